#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace berth::experiments {

/// Answers a shell that asks how a command line can be completed, with a word on each line:
///
///   `bash LINE WORD`   LINE is what was typed up to the cursor, and WORD is the end of it that
///                      bash would replace. Answers with replacements for WORD, which is only a
///                      part of the word behind a colon or an equals sign.
///   `fish WORDS...`    the words behind `berth` up to the cursor, without quotes. Answers whole
///   `zsh WORDS...`     words, each with a tab and its meaning.
///
/// The user has not asked for anything yet: if anything goes wrong, there is no answer and no
/// message.
void print_completions(const std::vector<std::string>& arguments, std::ostream& out);

}  // namespace berth::experiments
