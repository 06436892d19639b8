#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/commands/completion/completion.hpp"

namespace berth::experiments {

/// Files and folders that complete a path, sorted by name; a folder ends in a slash. Hidden ones
/// are left out until their dot is typed.
///
/// `endings`: those that a file must have one of, separated by blanks: `.yaml .json`; empty: any.
/// Errors: none; a folder that cannot be read counts as empty.
[[nodiscard]] std::vector<Completion> file_completions(const BegunValue& begun,
                                                       std::string_view endings);

/// The folders that complete a path, with a slash at the end.
[[nodiscard]] std::vector<Completion> folder_completions(const BegunValue& begun,
                                                         std::string_view detail);

/// The same folders as a user would type them, without a slash.
[[nodiscard]] std::vector<std::string> folders_begun(const std::string& text);

}  // namespace berth::experiments
