#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace berth::experiments {

/// Answers a shell that asks how a command line may go on, a word on each line:
///
///   `bash LINE WORD`   LINE up to the cursor as it is typed, and the end of it that bash would
///                      exchange. Answers what may stand for WORD, which is not the whole word
///                      behind a colon or an equals sign.
///   `fish WORDS...`    the words behind `berth` up to the cursor, without quotes. Answers whole
///   `zsh WORDS...`     words, each with a tab and its meaning.
///
/// Whoever types has not asked for anything yet: whatever goes wrong, there is no answer and no
/// message.
void print_completions(const std::vector<std::string>& arguments, std::ostream& out);

}  // namespace berth::experiments
