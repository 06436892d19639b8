#pragma once

#include <filesystem>
#include <string>

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

}  // namespace berth::experiments
