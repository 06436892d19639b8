#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace berth::experiments {

/// Facts about runs that are reported before a page is made of them.
struct RunsOfPage {
    /// Whether all runs have the same work, or all have the same cluster. Only then are they
    /// compared.
    bool same_question = true;
    std::size_t claims = 0;
    std::size_t held = 0;
    std::vector<std::string> broken;  ///< The claims that do not hold, one line each.
    /// Facts about the runs and what to do about them, one line each.
    std::vector<std::string> notes;
};

/// Shape:  run directories, but no sweep.
/// Errors: core::InputError if one of them is not a run directory, or a file in it is malformed.
[[nodiscard]] RunsOfPage look_at_runs(const std::vector<std::filesystem::path>& directories);

/// The text `69 of 70 claims hold` with the claims that do not, each ending in a line break; empty
/// without claims.
[[nodiscard]] std::string claims_text(const RunsOfPage& runs);

}  // namespace berth::experiments
