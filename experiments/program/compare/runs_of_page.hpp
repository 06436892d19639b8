#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace berth::experiments {

/// What is said of runs before a page is made of them.
struct RunsOfPage {
    /// Whether all have the same work, or all the same cluster; only then are they compared.
    bool same_question = true;
    std::size_t claims = 0;
    std::size_t held = 0;
    std::vector<std::string> broken;  ///< The claims that do not hold, a line each.
    std::vector<std::string> notes;   ///< What to know of the runs, and what to do, a line each.
};

/// Shape:  run directories, and no sweep.
/// Errors: core::InputError when one is no run directory, or a file in it is malformed.
[[nodiscard]] RunsOfPage look_at_runs(const std::vector<std::filesystem::path>& directories);

/// `69 of 70 claims hold`, and which do not, with line ends; empty without claims.
[[nodiscard]] std::string claims_text(const RunsOfPage& runs);

}  // namespace berth::experiments
