#pragma once

#include <filesystem>

#include "core/support/value.hpp"
#include "experiments/program/config/resolve/input_files.hpp"

namespace berth::experiments {

/// Of a map whose `file` is too large to stand inside a resolved experiment, such as a trace: makes
/// the name absolute, and says in `sha256` what the file holds, so that the experiment means this
/// file and no other. Relative names are relative to `folder`.
/// Errors: core::InputError at the name: no such file, standard input, or not the file that a
///         `sha256` beside it tells of.
void keep_file(core::Value& map, const std::filesystem::path& folder, InputFiles& files);

}  // namespace berth::experiments
