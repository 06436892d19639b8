#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::experiments {

/// The words of a command line as a shell reads them: split at blanks, without backslashes and
/// quotes. A quote may still be open. The last word is the one that the cursor is in; after a blank
/// it is empty. Variables and commands in a word are left as they are written.
[[nodiscard]] std::vector<std::string> shell_words(std::string_view line);

}  // namespace berth::experiments
