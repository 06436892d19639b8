#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace berth::experiments {

/// A run to compare, as a person names it.
struct RunArgument {
    std::string label;                ///< As it was given.
    std::filesystem::path directory;  ///< The run directory.
};

/// Finds `DIR`, a run directory, or `SWEEPDIR:axis=value,axis=value`, the one finished point of a
/// sweep that has these values; axes that leave no choice need not be named. Numbers are equal as
/// numbers: 0.30 is 0.3.
/// Errors: core::InputError when there is no such run, or more than one, with the nearest axis or
///         value.
[[nodiscard]] RunArgument find_run(const std::string& argument);

/// The finished points of a sweep, labelled `axis=value,axis=value`: first the one that `baseline`
/// names in that form, then the others in their order.
/// Errors: as find_run; and when no other point is finished.
[[nodiscard]] std::vector<RunArgument> points_against(const std::string& sweep,
                                                      const std::string& baseline);

}  // namespace berth::experiments
