#include "experiments/program/plot/bench_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/program/plot/draw.hpp"
#include "experiments/program/support/parsed_json.hpp"

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view expected = "expected a line of 'berth bench --json'";

/// Reads one line of a file. Each message begins with the line's place.
class LineReader {
public:
    LineReader(const std::string& file, int line) : file_(file), line_(line) {}

    [[nodiscard]] BenchResult read(std::string_view text) const {
        const Json object = experiments::parsed_if_json(text);
        if (!object.is_object()) {
            fail(object.is_discarded() ? "this is not JSON" : "this is not a JSON object");
        }
        BenchResult result;
        result.benchmark = this->text(object, "benchmark");
        result.size = size(object);
        result.size_of = object.contains("size_of") ? this->text(object, "size_of") : "";
        result.unit = this->text(object, "unit");
        result.best_s = seconds(object, "best_s");
        result.median_s = seconds(object, "median_s");
        return result;
    }

private:
    [[noreturn]] void fail(std::string_view message) const {
        throw core::InputError(
            fmt::format("{}:{}: error: {}: {}", file_, line_, message, expected));
    }
    [[nodiscard]] const Json& need(const Json& object, const char* key) const {
        const auto found = object.find(key);
        if (found == object.end()) {
            fail(fmt::format("no '{}'", key));
        }
        return *found;
    }
    [[nodiscard]] std::string text(const Json& object, const char* key) const {
        const Json& value = need(object, key);
        if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
            fail(fmt::format("'{}' is not a text", key));
        }
        return value.get<std::string>();
    }
    [[nodiscard]] std::uint64_t size(const Json& object) const {
        const Json& value = need(object, "size");
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() == 0) {
            fail("'size' is not a whole number of at least 1");
        }
        return value.get<std::uint64_t>();
    }
    [[nodiscard]] double seconds(const Json& object, const char* key) const {
        const Json& value = need(object, key);
        // Both numbers are drawn on a logarithmic axis.
        if (!value.is_number() || !(value.get<double>() > 0) ||
            !std::isfinite(value.get<double>())) {
            fail(fmt::format("'{}' is not a number above 0", key));
        }
        return value.get<double>();
    }

    const std::string& file_;
    int line_;
};

constexpr Figure table[] = {{"scaling", "of berth bench --json: time of one unit by size"}};

/// The most lines that can have colours, points and dashes of their own.
constexpr std::size_t lines_max = 28;

/// Adds a result. If a benchmark was measured several times at one size, the lowest median counts,
/// because other programs on the machine only ever increase a time.
void add(ScalingLine& line, const BenchResult& result) {
    const auto [found, added] = line.at.try_emplace(result.size, result);
    if (!added && result.median_s < found->second.median_s) {
        found->second = result;
    }
}

/// The lines of one file, in the order in which their benchmarks appear.
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
    std::vector<std::string> names;  // names without those of files
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

std::vector<BenchResult> read_bench_results(const core::SourceText& file) {
    const std::string_view text = file.text;
    std::vector<BenchResult> results;
    int line = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view one = text.substr(at, end - at);
        ++line;
        if (one.find_first_not_of(" \t\r") != std::string_view::npos) {
            results.push_back(LineReader(file.name, line).read(one));
        }
        at = end + 1;
    }
    if (results.empty()) {
        throw core::InputError(
            fmt::format("{}: error: the file is empty: {}", file.name, expected));
    }
    return results;
}

std::span<const Figure> bench_figures() {
    return table;
}

bool is_bench_figure(std::string_view figure) {
    const std::string_view name = figure.substr(0, figure.find(':'));
    return std::ranges::find(table, name, &Figure::name) != std::end(table);
}

Drawing scaling_figure(const std::vector<ScalingLine>& lines) {
    FigureTable numbers({"benchmark", "size", "size_of", "unit", "best_s", "median_s"});
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ScalingLine& line : lines) {
        nlohmann::ordered_json at = nlohmann::ordered_json::array();
        for (const auto& [size, result] : line.at) {
            at.push_back({size, result.best_s, result.median_s});
            numbers.row({line.name,
                         fmt::format("{}", size),
                         line.size_of,
                         line.unit,
                         cell(result.best_s),
                         cell(result.median_s)});
        }
        list.push_back(
            {{"name", line.name}, {"unit", line.unit}, {"sizeOf", line.size_of}, {"at", at}});
    }
    nlohmann::ordered_json data = data_of_runs({}, {});
    data["figure"] = bench_figures().front().name;
    data["lines"] = std::move(list);
    return {std::move(numbers), std::move(data)};
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
    write_drawing(scaling_figure(lines), format, out);
}

}  // namespace berth::report
