#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/trace/guess_format.hpp"

namespace berth::workloads {

/// Guesses what a table is from its header and the line that follows; nothing if the header has one
/// column or looks like a sentence.
[[nodiscard]] FileGuess guess_table(std::string_view header, std::string_view second_line);

/// Whether columns or keys with these names hold jobs, for a format whose fields may have any
/// names: csv or jsonl.
[[nodiscard]] FileGuess guess_fields(const std::vector<std::string>& names,
                                     std::string_view format);

}  // namespace berth::workloads
