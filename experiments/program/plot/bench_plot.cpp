#include "experiments/program/plot/bench_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

namespace berth::report {
namespace {

constexpr Figure table[] = {{"scaling", "of berth bench --json: time of one unit by size"}};

/// More lines than this would have no colours, points and dashes of their own.
constexpr std::size_t lines_max = 28;

/// Where a benchmark was measured more than once at a size, the lowest median counts: what else ran
/// on the machine only ever adds to a time.
void add(ScalingLine& line, const BenchResult& result) {
    const auto [found, added] = line.at.try_emplace(result.size, result);
    if (!added && result.median_s < found->second.median_s) {
        found->second = result;
    }
}

/// The lines of one file, in the order in which their benchmarks come.
std::vector<ScalingLine> lines_of(const core::SourceText& file) {
    std::vector<ScalingLine> lines;
    for (const BenchResult& result : read_bench_results(file)) {
        auto found = std::ranges::find(lines, result.benchmark, &ScalingLine::name);
        if (found == lines.end()) {
            lines.push_back({result.benchmark, result.unit, result.size_of, {}});
            found = std::prev(lines.end());
        }
        add(*found, result);
    }
    const auto sizes = [](const ScalingLine& line) { return line.at.size(); };
    if (std::ranges::max(lines, {}, sizes).at.size() < 2) {
        throw core::InputError(
            fmt::format("{}: error: '{}' has one size, {}: expected two or more, as berth bench "
                        "measures them without --size",
                        file.name,
                        lines.front().name,
                        lines.front().at.begin()->first));
    }
    return lines;
}

std::vector<ScalingLine> lines_of(const std::vector<core::SourceText>& files) {
    std::vector<ScalingLine> all;
    std::vector<std::string> names;  // without those of files
    for (const core::SourceText& file : files) {
        for (ScalingLine& line : lines_of(file)) {
            names.push_back(line.name);
            all.push_back(std::move(line));
            all.back().name +=
                fmt::format(" ({})", file.name == "-" ? "standard input" : file.name);
        }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (std::ranges::count(names, names[i]) == 1) {
            all[i].name = names[i];
        }
    }
    return all;
}

}  // namespace

std::span<const Figure> bench_figures() {
    return table;
}

bool is_bench_figure(std::string_view figure) {
    const std::string_view name = figure.substr(0, figure.find(':'));
    return std::ranges::find(table, name, &Figure::name) != std::end(table);
}

void write_bench_plot(const std::vector<core::SourceText>& files,
                      std::string_view figure,
                      const std::filesystem::path& out) {
    if (const std::size_t colon = figure.find(':'); colon != std::string_view::npos) {
        throw core::InputError(
            fmt::format("--figure: error: found '{}': expected no choice for this figure",
                        figure.substr(colon + 1)));
    }
    const PlotFormat format = plot_format(out);
    const std::vector<ScalingLine> lines = lines_of(files);
    if (lines.size() > lines_max) {
        throw core::InputError(
            fmt::format("{}: error: {} benchmarks: expected at most {}, as berth bench NAME... "
                        "chooses them",
                        files.front().name,
                        lines.size(),
                        lines_max));
    }
    write_script(scaling_figure(lines), format, out);
}

}  // namespace berth::report
