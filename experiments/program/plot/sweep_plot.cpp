#include "experiments/program/plot/sweep_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/plot/draw.hpp"
#include "experiments/program/report/answer.hpp"
#include "experiments/program/results/sweep_choice.hpp"

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr Figure table[] = {
    {"heat-map", "of a sweep: a metric over two axes, --x and --by"},
    {"lines", "of a sweep: a metric over one axis with 95% intervals, one line a value of --by"},
    {"small-multiples", "of a sweep: the same, one panel a value of --panel"},
    {"sweep-distributions", "of a sweep: a metric over the replications as boxes, by --x and --by"},
};
std::string_view find_figure(std::string_view name) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::size(table); ++i) {
        if (table[i].name == name) {
            return table[i].name;
        }
        names.emplace_back(table[i].name);
    }
    const std::string wanted(name);
    throw core::InputError(
        fmt::format("--figure: error: unknown figure '{}' of a sweep{}: expected {}",
                    wanted,
                    core::suggestion(wanted, names),
                    core::join(names, ", ")));
}

/// The axes that this figure uses. Throws an InputError if they do not fit.
SweepChoice choice_for(std::string_view figure,
                       const SweepDirectory& sweep,
                       const SweepOptions& options) {
    const bool panels = figure == "small-multiples";
    if (options.panel && !panels) {
        throw core::InputError(fmt::format(
            "--panel: error: '{}' has one panel: expected --figure small-multiples", figure));
    }
    SweepChoice choice = choose(sweep, options);
    if (!panels) {
        choice.panel.reset();
    } else if (!choice.panel && !options.panel) {
        // with two axes, each line becomes a panel
        choice.panel = std::exchange(choice.by, std::nullopt);
    }
    if ((panels && !choice.panel) || (figure == "heat-map" && !choice.by)) {
        throw core::InputError(fmt::format(
            "{}: error: '{}' needs an axis beside '{}': expected one with more than one "
            "value",
            panels ? "--panel" : "--by",
            figure,
            sweep.axes[choice.x].name));
    }
    return choice;
}

/// Whether a metric has more than one value over all points and replications.
bool varies(const SweepMetric& metric) {
    const double* first = nullptr;
    for (const double& value : metric.values) {
        if (std::isnan(value)) {
            continue;
        }
        if (first != nullptr && value != *first) {
            return true;
        }
        first = &value;
    }
    return false;
}

/// Checks that a metric varies.
/// Errors: core::InputError if it has the same value at every point, since a figure would show
///         nothing. The message names a metric that varies.
void check_varies(const SweepDirectory& sweep, const SweepMetric& metric) {
    if (varies(metric)) {
        return;
    }
    const auto other = std::ranges::find_if(sweep.metrics, varies);
    throw core::InputError(fmt::format(
        "--metric: error: '{}' has the same value at every point: expected a metric that varies{}",
        metric.name,
        other == sweep.metrics.end() ? "" : fmt::format(", such as '{}'", other->name)));
}

/// A figure of a sweep: the choice of what to draw, and its cells, of which there is at least one.
struct SweepFigure {
    const SweepDirectory& sweep;
    SweepChoice choice;
    std::vector<SweepCell> cells;

    [[nodiscard]] const SweepAxis& x() const { return sweep.axes[choice.x]; }
    [[nodiscard]] const std::string& metric() const { return sweep.metrics[choice.metric].name; }
};

std::string what_is_drawn(std::string_view figure) {
    return figure == "heat-map"              ? "means"
           : figure == "sweep-distributions" ? "extremes, quartiles, median, mean (ring)"
                                             : "means and 95% intervals";
}

/// The words below a figure: what is drawn and how other axes are treated, such as `averaged over
/// size (2 values)`, `policy pack` and `20 replications`.
std::vector<std::string> notes_of(const SweepFigure& figure, std::string_view name) {
    std::vector<std::string> parts{what_is_drawn(name)};
    const SweepChoice& choice = figure.choice;
    for (std::size_t a = 0; a < figure.sweep.axes.size(); ++a) {
        const SweepAxis& axis = figure.sweep.axes[a];
        const bool drawn = a == choice.x || choice.by == a || choice.panel == a;
        if (drawn || axis.values.size() < 2) {
            continue;
        }
        parts.push_back(
            choice.where[a]
                ? fmt::format("{} {}", axis.name, axis.values[*choice.where[a]])
                : fmt::format("averaged over {} ({} values)", axis.name, axis.values.size()));
    }
    const std::size_t count = figure.sweep.replications.size();
    parts.push_back(fmt::format("{} replication{}", count, count == 1 ? "" : "s"));
    const auto points = [](const SweepCell& one) { return one.points; };
    const std::size_t most = std::ranges::max(figure.cells, {}, points).points;
    const auto fewer = std::ranges::count_if(
        figure.cells, [&](const SweepCell& one) { return one.points < most; });
    if (fewer > 0) {
        parts.push_back(fmt::format("{} of {} marks over fewer than {} points: some are missing",
                                    fewer,
                                    figure.cells.size(),
                                    most));
    }
    return parts;
}

FigureTable table_of(const SweepFigure& figure) {
    const SweepChoice& choice = figure.choice;
    const std::vector<SweepAxis>& axes = figure.sweep.axes;
    std::vector<std::string> columns;
    for (const std::optional<std::size_t> axis :
         {choice.panel, choice.by, std::optional(choice.x)}) {
        if (axis) {
            columns.push_back(axes[*axis].name);
        }
    }
    for (const char* name : {"ci95",
                             "sd",
                             "min",
                             "lower quartile",
                             "median",
                             "upper quartile",
                             "max",
                             "replications",
                             "points"}) {
        if (std::string_view(name) == "ci95") {
            columns.push_back(figure.metric());
        }
        columns.emplace_back(name);
    }
    FigureTable out(columns);
    for (const SweepCell& one : figure.cells) {
        std::vector<std::string> row;
        if (choice.panel) {
            row.push_back(axes[*choice.panel].values[one.panel]);
        }
        if (choice.by) {
            row.push_back(axes[*choice.by].values[one.by]);
        }
        row.push_back(figure.x().values[one.x]);
        const Distribution& values = one.values;
        row.push_back(cell(values.mean));
        row.push_back(values.ci95 ? cell(*values.ci95) : "");
        for (const double value : {values.sd,
                                   values.min,
                                   values.lower_quartile,
                                   values.median,
                                   values.upper_quartile,
                                   values.max}) {
            row.push_back(cell(value));
        }
        row.push_back(fmt::format("{}", values.count));
        row.push_back(fmt::format("{}", one.points));
        out.row(row);
    }
    return out;
}

/// The axes and the replications, in the form of a sweep's page.
Json sweep_data(const SweepDirectory& sweep) {
    Json axes = Json::array();
    for (const SweepAxis& axis : sweep.axes) {
        axes.push_back({{"name", axis.name},
                        {"values", axis.values},
                        {"numbers", axis.numeric() ? Json(axis.numbers) : Json(nullptr)}});
    }
    return {{"axes", std::move(axes)}, {"replications", sweep.replications}};
}

Json cell_data(const SweepCell& one) {
    const Distribution& v = one.values;
    return {{"x", one.x},
            {"by", one.by},
            {"panel", one.panel},
            {"points", one.points},
            {"n", v.count},
            {"mean", v.mean},
            {"ci95", v.ci95 ? Json(*v.ci95) : Json(nullptr)},
            {"sd", v.sd},
            {"min", v.min},
            {"q1", v.lower_quartile},
            {"median", v.median},
            {"q3", v.upper_quartile},
            {"max", v.max}};
}

Json data_of(const SweepFigure& figure, std::string_view name) {
    const auto axis = [&](std::optional<std::size_t> a) {
        return a ? Json(figure.sweep.axes[*a].name) : Json(nullptr);
    };
    Json cells = Json::array();
    for (const SweepCell& one : figure.cells) {
        cells.push_back(cell_data(one));
    }
    return {{"figure", name},
            {"page",
             {{"schema", "berth.page/v1"},
              {"definitions", definitions({figure.metric()})},
              {"runs", Json::array()},
              {"sweep", sweep_data(figure.sweep)}}},
            {"view",
             {{"metric", figure.metric()},
              {"x", axis(figure.choice.x)},
              {"by", axis(figure.choice.by)},
              {"panel", axis(figure.choice.panel)},
              {"where", Json::object()}}},
            {"cells", std::move(cells)},
            {"notes", notes_of(figure, name)}};
}

}  // namespace

std::span<const Figure> sweep_figures() {
    return table;
}

void write_sweep_plot(const std::filesystem::path& sweep_directory,
                      std::string_view figure,
                      const SweepOptions& options,
                      const std::filesystem::path& out) {
    const std::string_view name = find_figure(figure);
    const PlotFormat format = plot_format(out);
    SweepDirectory sweep = read_sweep_directory(sweep_directory);
    SweepOptions left = options;
    narrow_sweep(sweep, left.where);
    SweepFigure made{sweep, choice_for(figure, sweep, left), {}};
    made.cells = sweep_cells(sweep, made.choice);
    if (made.cells.empty()) {
        throw core::InputError(
            fmt::format("{}: error: no finished point has '{}' with these values: expected some",
                        sweep_directory.string(),
                        made.metric()));
    }
    if (format != PlotFormat::csv) {
        check_varies(sweep, sweep.metrics[made.choice.metric]);
    }
    write_drawing({table_of(made), data_of(made, name)}, format, out);
}

}  // namespace berth::report
