#include "experiments/program/commands/completion/values.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "core/support/file_kind.hpp"
#include "experiments/program/bench/benchmark.hpp"
#include "experiments/program/commands/completion/paths.hpp"
#include "experiments/program/commands/list.hpp"
#include "experiments/program/compare/run_argument.hpp"
#include "experiments/program/plot/bench_plot.hpp"
#include "experiments/program/plot/plot.hpp"
#include "experiments/program/plot/sweep_plot.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/tables/metric_table.hpp"
#include "experiments/program/sweep/results_csv.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

bool is_run_directory(const fs::path& folder) {
    return core::exists(folder / "manifest.json") || core::exists(folder / "summary.json");
}

/// The sweeps among the arguments before a value. More than one makes no sense.
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

/// Adds the columns of a table of results that are metrics.
void add_metrics(const fs::path& file, std::set<std::string>& names) {
    static constexpr std::array<std::string_view, 3> others{"point", "replication", "seed"};
    const report::CsvReader table(file);
    for (const std::string& column : table.header()) {
        if (std::ranges::find(others, column) == others.end()) {
            names.insert(column);
        }
    }
}

/// The names of the metrics in the arguments before a value.
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

/// Completes run directories, sweep directories and points of a sweep, and the folders on the way
/// to them. `detail`: `point` if only a point of a sweep can be named, not the whole sweep;
/// otherwise empty.
/// Errors: core::InputError for a sweep whose points.csv is malformed.
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

/// Completes metrics of the runs and sweeps before the value; without any, all metrics with fixed
/// names.
/// Errors: core::InputError for one that cannot be read.
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

/// Completes axes of the sweep before the value. `detail`: a word for "no axis", or empty.
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

/// Completes `AXIS=`, then the values of that axis, for the sweep before the value.
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

/// Completes points of the sweep before the value: `axis=value,axis=value`.
std::vector<Completion> point_completions(const BegunValue& begun, std::string_view /*detail*/) {
    std::vector<Completion> out;
    for (const std::string& sweep : sweeps_before(begun)) {
        for (Completion& point : points_of(sweep, "")) {
            out.push_back(std::move(point));
        }
    }
    return out;
}

/// Completes the figures that can be drawn from the arguments before the value: figures of runs, of
/// a sweep, or of either.
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

/// A path of an experiment whose value is a name from a list, or a list with such a name.
struct Setting {
    std::string_view path;
    std::string_view list;
    bool is_list = false;
};

constexpr std::array settings{
    Setting{"spec.scheduler.profile.placementGroup.numFit", "num-fits"},
    Setting{"spec.scheduler.profile.placementGroup.solver", "solvers"},
    Setting{"spec.scheduler.profile.postFilter", "post-filters", true},
    Setting{"spec.scheduler.profile.queueSort", "queue-sorts"},
    Setting{"spec.scheduler.profile.reserve", "reserves", true},
    Setting{"spec.scheduler.profile.reserve", "shared-reserves", true},
    Setting{"spec.scheduler.profile.score", "gpu-scores", true},
    Setting{"spec.scheduler.profile.score", "scores", true},
};

void add_values(const Setting& setting, std::vector<Completion>& out) {
    for (const List& list : all_lists()) {
        if (list.name != setting.list) {
            continue;
        }
        for (const ListLine& line : list.lines) {
            const std::string name(line.name);
            out.push_back(
                {std::string(setting.path) + "=" + (setting.is_list ? "[" + name + "]" : name),
                 std::string(line.summary)});
        }
    }
}

/// Completes `PATH=`, then its value, for the paths of an experiment whose values are in a list of
/// `berth list`.
std::vector<Completion> setting_completions(const BegunValue& begun, std::string_view /*detail*/) {
    std::vector<Completion> out;
    std::string_view last;
    for (const Setting& setting : settings) {
        const std::string path = std::string(setting.path) + "=";
        if (begun.text.starts_with(path)) {
            add_values(setting, out);
        } else if (setting.path != last) {
            out.push_back({path});
        }
        last = setting.path;
    }
    return out;
}

/// Offers nothing: for numbers, and for names that are only known from a whole document.
std::vector<Completion> any_completions(const BegunValue& /*begun*/, std::string_view /*detail*/) {
    return {};
}

/// Completes words. `detail`: the words, separated by blanks.
std::vector<Completion> word_completions(const BegunValue& /*begun*/, std::string_view detail) {
    std::istringstream words{std::string(detail)};
    std::vector<Completion> out;
    for (std::string word; words >> word;) {
        out.push_back({word});
    }
    return out;
}

/// Completes names of a list. `detail`: the list of `berth list`.
std::vector<Completion> listed_completions(const BegunValue& /*begun*/, std::string_view detail) {
    std::vector<Completion> out;
    for (const List& list : all_lists()) {
        if (list.name == detail) {
            for (const ListLine& line : list.lines) {
                out.push_back({std::string(line.name), std::string(line.summary)});
            }
        }
    }
    return out;
}

/// Completes the names of the lists themselves.
std::vector<Completion> list_completions(const BegunValue& /*begun*/, std::string_view /*detail*/) {
    std::vector<Completion> out{{std::string(columns_name), "columns of tables"},
                                {std::string(metrics_name), "metrics of summary.json"}};
    for (const List& list : all_lists()) {
        out.push_back({std::string(list.name), std::string(list.title)});
    }
    return out;
}

std::vector<Completion> benchmark_completions(const BegunValue& /*begun*/,
                                              std::string_view /*detail*/) {
    std::vector<Completion> out;
    for (const Benchmark& benchmark : benchmarks({})) {
        out.push_back({benchmark.name, benchmark.summary});
    }
    return out;
}

}  // namespace

const ValueKind* find_value_kind(std::string_view command, std::string_view parameter) {
    static constexpr std::array table{
#define BERTH_VALUE(command, parameter, kind, detail) \
    ValueKind{command, parameter, &kind##_completions, detail},
#include "experiments/program/commands/completion/values.def"
#undef BERTH_VALUE
    };
    const auto* const found = std::ranges::find_if(table, [&](const ValueKind& kind) {
        return kind.command == command && kind.parameter == parameter;
    });
    return found == table.end() ? nullptr : found;
}

}  // namespace berth::experiments
