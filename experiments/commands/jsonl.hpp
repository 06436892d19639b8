#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::experiments {

/// A verb that is a filter: one JSON request a line on standard input, one answer a line on
/// standard output.
int run_jsonl(const char* command,
              const std::vector<std::string>& arguments,
              std::string (*answer)(std::string_view line));

/// Answers each line of the standard input that is not blank, on the standard output.
void answer_lines(std::string (*answer)(std::string_view line));

}  // namespace berth::experiments
