#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace berth::experiments {

/// A run to compare, as the user names it.
struct RunArgument {
    std::string label;                ///< The name as it was given.
    std::filesystem::path directory;  ///< The run directory.
};

/// Finds `DIR`, a run directory, or `SWEEPDIR:axis=value,axis=value`, the only finished point of a
/// sweep with these values. Axes that leave no choice may be omitted. Numbers are compared as
/// numbers: 0.30 is 0.3.
/// Errors: core::InputError if there is no such run or more than one, with the nearest axis or
///         value.
[[nodiscard]] RunArgument find_run(const std::string& argument);

/// The finished points of a sweep, with labels `axis=value,axis=value`: first the point that
/// `baseline` names in that form, then the others in their order.
/// Errors: as find_run(); also if no other point is finished.
[[nodiscard]] std::vector<RunArgument> points_against(const std::string& sweep,
                                                      const std::string& baseline);

}  // namespace berth::experiments
