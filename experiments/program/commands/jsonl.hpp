#pragma once

#include <string>
#include <string_view>

namespace berth::experiments {

/// Answers each line of standard input that is not blank, on standard output. Whoever waits for an
/// answer before the next request gets it.
void answer_lines(std::string (*answer)(std::string_view line));

}  // namespace berth::experiments
