#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::tests {

/// A small invented trace of a format, all of it right.
struct TraceSample {
    std::string_view format;
    std::string text;
};
[[nodiscard]] const std::vector<TraceSample>& trace_samples();

/// Reads arbitrary bytes as a trace to their end, strictly and leniently.
/// Returns: how many jobs the lenient reading gave. Only InputErrors are caught.
std::size_t read_arbitrary(std::string_view format, const std::string& bytes);

}  // namespace berth::tests
