#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/source.hpp"
#include "experiments/program/plot/plot.hpp"
#include "experiments/program/plot/script.hpp"

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

/// The figures of what `berth bench --json` prints.
[[nodiscard]] std::span<const Figure> bench_figures();
/// Whether a figure as the user gave it, with its choice, is one of those.
[[nodiscard]] bool is_bench_figure(std::string_view figure);

/// Draws a figure of what `berth bench --json` printed, as write_plot() does of runs.
/// Errors: core::InputError for a file of something else, and for one whose benchmarks have one
///         size each; otherwise as write_plot().
void write_bench_plot(const std::vector<core::SourceText>& files,
                      std::string_view figure,
                      const std::filesystem::path& out);

/// One benchmark of one file, by its sizes.
struct ScalingLine {
    std::string name;  ///< The benchmark's, with the file's where several files have it.
    std::string unit;
    std::string size_of;
    std::map<std::uint64_t, BenchResult> at;
};
[[nodiscard]] Script scaling_figure(const std::vector<ScalingLine>& lines);

}  // namespace berth::report
