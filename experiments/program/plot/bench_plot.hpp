#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/source.hpp"
#include "experiments/program/plot/drawing.hpp"
#include "experiments/program/plot/plot.hpp"

namespace berth::report {

/// A line of `berth bench --json`: one benchmark at one size.
struct BenchResult {
    std::string benchmark;
    std::uint64_t size = 0;
    /// The things that the size counts, such as `servers`; empty if the line does not state it.
    std::string size_of;
    std::string unit;     ///< The unit of work, in words.
    double best_s = 0;    ///< The best time in seconds for one unit of work.
    double median_s = 0;  ///< The median time in seconds for one unit of work.
};

/// Reads the lines of `berth bench --json`, in their order.
/// Errors: core::InputError that names the file and the line, for a file without lines and for
///         lines that are something else.
[[nodiscard]] std::vector<BenchResult> read_bench_results(const core::SourceText& file);

/// The figures for the output of `berth bench --json`.
[[nodiscard]] std::span<const Figure> bench_figures();
/// Whether one of them is named by the user's text for a figure, which may include a choice.
[[nodiscard]] bool is_bench_figure(std::string_view figure);

/// Draws a figure of the output of `berth bench --json`, as write_plot() does for runs.
/// Errors: core::InputError for a file with something else, and for one whose benchmarks have only
///         one size each; otherwise as write_plot().
void write_bench_plot(const std::vector<core::SourceText>& files,
                      std::string_view figure,
                      const std::filesystem::path& out);

/// One benchmark of one file, with its results by size.
struct ScalingLine {
    std::string name;  ///< The benchmark's name, with that of the file if several files have it.
    std::string unit;
    std::string size_of;
    std::map<std::uint64_t, BenchResult> at;
};
[[nodiscard]] Drawing scaling_figure(const std::vector<ScalingLine>& lines);

}  // namespace berth::report
