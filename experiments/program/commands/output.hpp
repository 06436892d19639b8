#pragma once

#include <filesystem>

namespace berth::experiments {

/// Errors: core::InputError for an empty name, and if what a command writes would take the place of
///         a file of a run or of a sweep, whose result would be lost.
void check_is_no_result(const std::filesystem::path& output);

}  // namespace berth::experiments
