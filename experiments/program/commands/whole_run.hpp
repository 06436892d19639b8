#pragma once

#include <filesystem>
#include <string>

#include "experiments/program/compare/run_argument.hpp"

namespace berth::experiments {

/// Finds a run, or a point of a sweep, as find_run() does, and checks that its files are complete.
/// Warnings go to standard error.
/// Errors: core::InputError.
[[nodiscard]] RunArgument find_whole_run(const std::string& argument);

/// Does the same, except that the folder of a sweep means the whole sweep.
[[nodiscard]] std::filesystem::path find_whole_folder(const std::string& argument);

}  // namespace berth::experiments
