#pragma once

#include <filesystem>
#include <string>

namespace berth::report {

/// What a run is called: the name of its folder; of a point of a sweep, whose folder has a digest
/// for its name, its values: `load=0.9, policy=pack`.
/// Errors: core::InputError when the sweep's points.csv is malformed.
[[nodiscard]] std::string run_name(const std::filesystem::path& run);

}  // namespace berth::report
