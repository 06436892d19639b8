#include "experiments/program/plot/sweep_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/plot/sweep_figures.hpp"
#include "experiments/program/results/sweep_choice.hpp"

namespace berth::report {
namespace {

constexpr Figure table[] = {
    {"heat-map", "of a sweep: a metric over two axes, --x and --by"},
    {"lines", "of a sweep: a metric over one axis with 95% intervals, one line a value of --by"},
    {"small-multiples", "of a sweep: the same, one panel a value of --panel"},
    {"sweep-distributions", "of a sweep: a metric over the replications as boxes, by --x and --by"},
};
constexpr Script (*makers[])(const SweepFigure&) = {
    &sweep_heat_figure, &sweep_lines_figure, &sweep_lines_figure, &sweep_boxes_figure};
static_assert(std::size(table) == std::size(makers));

std::size_t find_figure(std::string_view name) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::size(table); ++i) {
        if (table[i].name == name) {
            return i;
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

}  // namespace

std::span<const Figure> sweep_figures() {
    return table;
}

void write_sweep_plot(const std::filesystem::path& sweep_directory,
                      std::string_view figure,
                      const SweepOptions& options,
                      const std::filesystem::path& out) {
    const std::size_t place = find_figure(figure);
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
    write_script(makers[place](made), format, out);
}

std::vector<std::string> SweepFigure::lines() const {
    return choice.by ? sweep.axes[*choice.by].values : std::vector<std::string>{metric()};
}

LineLook line_look(std::size_t line) {
    constexpr int points[] = {7, 5, 9, 13, 11, 15, 6};
    constexpr std::string_view dashes[] = {"1", "(9,5)", "(2,4)", "(12,4,2,4)"};
    const std::size_t round = line / std::size(ink::series);
    return {ink::series[line % std::size(ink::series)],
            points[(line + round) % std::size(points)],
            std::string(dashes[(line + round) % std::size(dashes)])};
}

RoundRange round_range(double low, double high) {
    const double from = low >= 0 && low < high * 0.6 ? 0 : low;
    const double span = high > from ? high - from : std::max(std::abs(high), 1.0);
    RoundRange range;
    range.step = tic_step(span);
    range.low = std::floor(from / range.step + 1e-9) * range.step;
    range.high = std::ceil((from + span) / range.step - 1e-9) * range.step;
    return range;
}

double tics_height(const SweepAxis& axis, double width) {
    double longest = 0;
    for (const std::string& value : axis.values) {
        longest = std::max(longest, text_width(value));
    }
    const bool fits = (longest + 6) * static_cast<double>(axis.values.size()) <= width;
    return axis.numeric() || fits ? 0 : longest;
}

std::string axis_tics(const SweepAxis& axis, bool names, double width) {
    std::size_t longest = 1;
    for (const std::string& value : axis.values) {
        longest = std::max(longest, value.size());
    }
    // Names that do not fit side by side are drawn upright and all kept; of numbers, some are left
    // out.
    constexpr double name_height = 9;
    const bool upright = tics_height(axis, width) > 0;
    const double each = upright ? name_height : text_width(std::string(longest, 'x')) + 6;
    const auto every = static_cast<std::size_t>(std::max(
        1.0, std::ceil(static_cast<double>(axis.values.size()) * each / std::max(width, 1.0))));
    std::string tics;
    for (std::size_t i = 0; i < axis.values.size(); i += every) {
        std::string text;
        for (const char c : axis.values[i]) {
            text += c == '%' ? "%%" : std::string(1, c);  // the text of a tic is a format
        }
        const double at = names ? static_cast<double>(i) : axis.numbers[i];
        tics += fmt::format("{}{} {:.10g}", tics.empty() ? "" : ", ", single_quoted(text), at);
    }
    return fmt::format(
        "set xtics ({}) {}", tics, upright ? "rotate by 90 right offset 0,0" : "offset 0,0.4");
}

std::vector<std::string> caption(const SweepFigure& figure, const std::string& what, double width) {
    std::vector<std::string> parts{what};
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
    std::vector<std::string> lines;
    for (const std::string& part : parts) {
        if (lines.empty() || text_width(lines.back() + "; " + part) > width) {
            lines.push_back(part);
        } else {
            lines.back() += "; " + part;
        }
    }
    return lines;
}

void draw_caption(Script& script, const std::vector<std::string>& lines, double left, double y) {
    for (const std::string& line : lines) {
        script.label(left, y, line, fmt::format("left textcolor rgb '{}'", hex(ink::muted)));
        y += caption_row;
    }
}

namespace {

constexpr double sample_width = 24;  // the line in an entry of a legend
constexpr double legend_row = 12;

/// The place of each entry of a legend: its left end and its row.
std::vector<std::pair<double, int>> legend_places(const SweepFigure& figure,
                                                  double left,
                                                  double right) {
    std::vector<std::pair<double, int>> places;
    left += text_width(figure.sweep.axes[*figure.choice.by].name) + 10;
    double x = left;
    int row = 0;
    for (const std::string& name : figure.lines()) {
        const double width = sample_width + 4 + text_width(name) + 12;
        if (x > left && x + width > right) {
            x = left;
            ++row;
        }
        places.emplace_back(x, row);
        x += width;
    }
    return places;
}

}  // namespace

double legend_height(const SweepFigure& figure, double left, double right) {
    return figure.choice.by ? legend_row * (legend_places(figure, left, right).back().second + 1)
                            : 0;
}

double draw_legend(
    Script& script, const SweepFigure& figure, double left, double right, bool boxes) {
    if (!figure.choice.by) {
        return 0;
    }
    const std::vector<std::string> lines = figure.lines();
    const auto places = legend_places(figure, left, right);
    const std::string muted = fmt::format("left textcolor rgb '{}'", hex(ink::muted));
    script.label(left, 8, figure.sweep.axes[*figure.choice.by].name, muted);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const LineLook look = line_look(i);
        const auto& [x, row] = places[i];
        const double y = 8 + legend_row * row;
        if (boxes) {
            script.key(x, y, look.colour, lines[i]);
            continue;
        }
        // If x is an axis of names, the figure has marks without lines, and so does its legend.
        const double line = figure.x().numeric() ? sample_width : 0;
        script.sample(x + (sample_width - line) / 2, y, line, look.colour, look.point, look.dash);
        script.label(x + sample_width + 4, y, lines[i], muted);
    }
    return legend_height(figure, left, right);
}

void write_cells(Script& script, const SweepFigure& figure) {
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
    script.columns(columns);
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
        script.row(row);
    }
}

}  // namespace berth::report
