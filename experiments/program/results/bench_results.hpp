#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/source.hpp"

namespace berth::report {

/// What `berth bench --json` says of one benchmark at one size.
struct BenchResult {
    std::string benchmark;
    std::uint64_t size = 0;
    std::string size_of;  ///< What the size counts: `servers`; empty where the line does not say.
    std::string unit;     ///< What one unit of work is.
    double best_s = 0;    ///< Seconds for one unit of work.
    double median_s = 0;  ///< The same.
};

/// The lines of `berth bench --json`, in their order.
/// Errors: core::InputError that names the file and the line, for a file without a line, and for
///         lines that are something else.
[[nodiscard]] std::vector<BenchResult> read_bench_results(const core::SourceText& file);

}  // namespace berth::report
