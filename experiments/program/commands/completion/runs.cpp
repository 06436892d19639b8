#include "experiments/program/commands/completion/runs.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "core/support/file_kind.hpp"
#include "experiments/program/commands/completion/paths.hpp"
#include "experiments/program/compare/run_argument.hpp"
#include "experiments/program/plot/bench_plot.hpp"
#include "experiments/program/plot/plot.hpp"
#include "experiments/program/plot/sweep_plot.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/tables/metric_table.hpp"
#include "experiments/program/sweep/points_table.hpp"

namespace berth::experiments {

namespace {

namespace fs = std::filesystem;

bool is_run_directory(const fs::path& folder) {
    return core::exists(folder / "manifest.json") || core::exists(folder / "summary.json");
}

/// The sweeps among the arguments before a value; there is at most one that makes sense.
std::vector<std::string> sweeps_before(const BegunValue& begun) {
    std::vector<std::string> out;
    std::ranges::copy_if(begun.positional, std::back_inserter(out), [](const std::string& path) {
        return is_sweep_directory(path);
    });
    return out;
}

std::vector<Completion> points_of(const std::string& sweep, const std::string& before) {
    const PointsTable table = read_points_table(sweep);
    std::vector<Completion> out;
    for (const TablePoint& point : table.points) {
        out.push_back({before + point_text(table, point)});
    }
    return out;
}

/// The columns of a table of results that are metrics.
void add_metrics(const fs::path& file, std::set<std::string>& names) {
    static constexpr std::array<std::string_view, 3> others{"point", "replication", "seed"};
    const report::CsvReader table(file);
    for (const std::string& column : table.header()) {
        if (std::ranges::find(others, column) == others.end()) {
            names.insert(column);
        }
    }
}

/// The names of metrics in what stands before a value.
std::set<std::string> metrics_before(const BegunValue& begun) {
    std::set<std::string> names;
    for (const std::string& argument : begun.positional) {
        if (is_sweep_directory(argument)) {
            add_metrics(fs::path(argument) / "results.csv", names);
            for (const std::string& axis : read_points_table(argument).axes) {
                names.erase(axis);
            }
        } else {
            add_metrics(find_run(argument).directory / "replications.csv", names);
        }
    }
    return names;
}

bool has_capitals(std::string_view name) {
    return std::ranges::any_of(name,
                               [](unsigned char letter) { return std::isupper(letter) != 0; });
}

}  // namespace

std::vector<Completion> run_completions(const BegunValue& begun, std::string_view detail) {
    const std::size_t colon = begun.text.rfind(':');
    if (colon != std::string::npos && is_sweep_directory(begun.text.substr(0, colon))) {
        return points_of(begun.text.substr(0, colon), begun.text.substr(0, colon + 1));
    }
    std::vector<Completion> out;
    for (const std::string& folder : folders_begun(begun.text)) {
        if (is_sweep_directory(folder)) {
            if (detail != "point") {
                out.push_back({folder, "a sweep"});
            }
            out.push_back({folder + ":", "a point of the sweep"});
        } else if (is_run_directory(folder)) {
            out.push_back({folder, "a run"});
        } else {
            out.push_back({folder + "/"});
        }
    }
    return out;
}

std::vector<Completion> metric_completions(const BegunValue& begun, std::string_view /*detail*/) {
    std::vector<Completion> out;
    for (const std::string& name : metrics_before(begun)) {
        const report::MetricRecord* record = report::find_metric(name);
        out.push_back({name, record == nullptr ? "" : std::string(record->meaning)});
    }
    if (begun.positional.empty()) {
        for (const report::MetricRecord& metric : report::metric_table()) {
            if (!has_capitals(metric.name)) {
                out.push_back({std::string(metric.name), std::string(metric.meaning)});
            }
        }
    }
    return out;
}

std::vector<Completion> axis_completions(const BegunValue& begun, std::string_view detail) {
    std::vector<Completion> out;
    for (const std::string& sweep : sweeps_before(begun)) {
        for (const std::string& axis : read_points_table(sweep).axes) {
            out.push_back({axis});
        }
    }
    if (!detail.empty()) {
        out.push_back({std::string(detail)});
    }
    return out;
}

std::vector<Completion> axis_value_completions(const BegunValue& begun,
                                               std::string_view /*detail*/) {
    std::vector<Completion> out;
    std::set<std::string> seen;
    for (const std::string& sweep : sweeps_before(begun)) {
        const PointsTable table = read_points_table(sweep);
        for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
            const std::string name = table.axes[axis] + "=";
            if (!begun.text.starts_with(name)) {
                out.push_back({name});
                continue;
            }
            for (const TablePoint& point : table.points) {
                if (seen.insert(name + point.values[axis]).second) {
                    out.push_back({name + point.values[axis]});
                }
            }
        }
    }
    return out;
}

std::vector<Completion> point_completions(const BegunValue& begun, std::string_view /*detail*/) {
    std::vector<Completion> out;
    for (const std::string& sweep : sweeps_before(begun)) {
        for (Completion& point : points_of(sweep, "")) {
            out.push_back(std::move(point));
        }
    }
    return out;
}

std::vector<Completion> figure_completions(const BegunValue& begun, std::string_view /*detail*/) {
    const bool is_sweep = !sweeps_before(begun).empty();
    std::vector<Completion> out;
    const auto add = [&](const std::span<const report::Figure> figures) {
        for (const report::Figure& figure : figures) {
            out.push_back({std::string(figure.name), std::string(figure.summary)});
        }
    };
    if (!is_sweep) {
        add(report::figures());
        add(report::bench_figures());
    }
    if (is_sweep || begun.positional.empty()) {
        add(report::sweep_figures());
    }
    return out;
}

}  // namespace berth::experiments
