#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/commands/completion/completion.hpp"

namespace berth::experiments {

/// Files and folders that may be meant, in the order of their names; a folder ends in a slash.
/// Hidden ones are left out until their dot is typed.
///
/// `endings`: those that a file must have one of, with blanks between: `.yaml .json`; empty: any.
/// Errors: none; a folder that cannot be read has nothing in it.
[[nodiscard]] std::vector<Completion> file_completions(const BegunValue& begun,
                                                       std::string_view endings);

/// The folders that a path may go on to, with a slash at the end.
[[nodiscard]] std::vector<Completion> folder_completions(const BegunValue& begun,
                                                         std::string_view detail);

/// The same folders as they would be typed, without a slash.
[[nodiscard]] std::vector<std::string> folders_begun(const std::string& text);

}  // namespace berth::experiments
