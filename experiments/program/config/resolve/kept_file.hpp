#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "core/support/value.hpp"
#include "experiments/program/config/resolve/input_files.hpp"

namespace berth::experiments {

/// Of a map whose `file` is too large to stand inside a resolved experiment, such as a trace: makes
/// the name absolute, and says in `sha256` what the file holds, so that the experiment means this
/// file and no other. Relative names are relative to `folder`. The name stands under `key`; the
/// last `rest` letters of the text under it are no part of the name.
/// Errors: core::InputError at the name: no such file, standard input, or not the file that a
///         `sha256` beside it tells of.
void keep_file(core::Value& map,
               const std::filesystem::path& folder,
               InputFiles& files,
               std::string_view key = "file",
               std::size_t rest = 0);

}  // namespace berth::experiments
