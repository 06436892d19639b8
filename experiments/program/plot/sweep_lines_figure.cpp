#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/support/rounded_math.hpp"
#include "experiments/program/plot/sweep_figures.hpp"

namespace berth::report {
namespace {

constexpr double page_width = 504;
constexpr double left = 46;
constexpr double right = 10;
constexpr double foot = 30;  // below a panel: tics and the axis' name
constexpr std::size_t columns_max = 3;

/// Logarithmic where values are more even on that scale, as 1, 10, 100 are.
bool logarithmic(const std::vector<double>& numbers) {
    if (numbers.size() < 3 || numbers.front() <= 0) {
        return false;
    }
    const auto unevenness = [&](auto scale) {
        double least = std::numeric_limits<double>::infinity();
        double most = 0;
        for (std::size_t i = 1; i < numbers.size(); ++i) {
            const double gap = scale(numbers[i]) - scale(numbers[i - 1]);
            least = std::min(least, gap);
            most = std::max(most, gap);
        }
        return most / least;
    };
    const double plain = unevenness([](double v) { return v; });
    return plain > 4 && 2 * unevenness(core::rounded_log) < plain;
}

/// The x axis of every panel, `width` points wide.
void set_x_axis(Script& script, const SweepAxis& axis, double width) {
    script.line(axis_tics(axis, !axis.numeric(), width));
    script.x_label(axis.name, 1);
    if (!axis.numeric()) {
        script.line(fmt::format("set xrange [-0.5:{}.5]", axis.values.size() - 1));
        return;
    }
    const double low = axis.numbers.front();
    const double high = axis.numbers.back();
    if (logarithmic(axis.numbers)) {
        script.line("set logscale x");
        script.line(fmt::format("set xrange [{:.10g}:{:.10g}]", low / 1.15, high * 1.15));
        return;
    }
    const double pad = high > low ? (high - low) * 0.03 : 1;
    script.line(fmt::format("set xrange [{:.10g}:{:.10g}]", low - pad, high + pad));
}

RoundRange y_range(const SweepFigure& figure) {
    double low = std::numeric_limits<double>::infinity();
    double least = low;
    double high = -low;
    for (const SweepCell& one : figure.cells) {
        const double ci95 = one.values.ci95.value_or(0);
        low = std::min(low, one.values.mean - ci95);
        least = std::min(least, one.values.mean);
        high = std::max(high, one.values.mean + ci95);
    }
    // Where no mean is negative, neither is the axis.
    return round_range(least >= 0 ? std::max(0.0, low) : low, high);
}

/// The lines of one panel: first all intervals, then all means, so that none hides another.
std::string panel_plot(Script& script, const SweepFigure& figure, std::size_t panel) {
    std::string intervals;
    std::string means;
    const SweepAxis& x = figure.x();
    // Between names there is nothing that a line could stand for: their marks stand side by side.
    const double count = static_cast<double>(figure.lines().size());
    const double slot = std::min(0.8 / count, 0.12);
    for (std::size_t line = 0; line < figure.lines().size(); ++line) {
        std::vector<std::string> rows;
        for (const SweepCell& one : figure.cells) {
            if (one.panel == panel && one.by == line) {
                const double aside = slot * (static_cast<double>(line) - (count - 1) / 2);
                const double at =
                    x.numeric() ? x.numbers[one.x] : static_cast<double>(one.x) + aside;
                const double mean = one.values.mean;
                const double ci95 = one.values.ci95.value_or(0);
                rows.push_back(fmt::format(
                    "{:.10g} {:.8g} {:.8g} {:.8g}", at, mean, mean - ci95, mean + ci95));
            }
        }
        if (rows.empty()) {
            continue;
        }
        const LineLook look = line_look(line);
        const std::string data = script.data(rows);
        const std::string colour = hex(look.colour);
        intervals +=
            x.numeric() && rows.size() > 1
                ? fmt::format(
                      "{} using 1:3:4 with filledcurves fillcolor rgb '{}' fillstyle "
                      "transparent solid 0.16 noborder, ",
                      data,
                      colour)
                : fmt::format("{} using 1:2:3:4 with yerrorbars pointtype 0 linecolor rgb '{}', ",
                              data,
                              colour);
        means +=
            fmt::format("{}{} using 1:2 with {} linecolor rgb '{}' {} pointtype {} pointsize {}",
                        means.empty() ? "" : ", ",
                        data,
                        x.numeric() ? "linespoints" : "points",
                        colour,
                        x.numeric() ? "linewidth 1.3 dashtype " + look.dash : "",
                        look.point,
                        rows.size() > 30 ? 0.3 : 0.6);
    }
    return means.empty() ? "plot NaN" : "plot " + intervals + means;
}

}  // namespace

Script sweep_lines_figure(const SweepFigure& figure) {
    std::set<std::size_t> shown;
    for (const SweepCell& one : figure.cells) {
        shown.insert(one.panel);
    }
    const std::size_t columns = std::min(columns_max, shown.size());
    const std::size_t rows = (shown.size() + columns - 1) / columns;
    const double width = page_width / static_cast<double>(columns) - left - right;
    const double height = columns == 1 ? 190 : 104;
    const double head = figure.choice.panel ? 16 : 6;
    const double legend = legend_height(figure, left, page_width - right);
    const double top = 20 + legend;
    const double names = tics_height(figure.x(), width);
    const double step = head + height + foot + names;
    const std::vector<std::string> below =
        caption(figure, "means and 95% intervals", page_width - left - right);
    const double bottom = top + static_cast<double>(rows) * step;
    Script script(page_width, bottom + 3 + caption_row * static_cast<double>(below.size()));
    write_cells(script, figure);
    script.line("unset key\nset grid ytics linestyle 2\nset format y '%g'");
    draw_legend(script, figure, left, page_width - right, false);
    const std::string muted = fmt::format("left textcolor rgb '{}'", hex(ink::muted));
    script.title(left, 14 + legend, with_unit(figure.metric()));
    draw_caption(script, below, left, bottom + 6);
    set_x_axis(script, figure.x(), width);
    const RoundRange y = y_range(figure);
    script.line(fmt::format("set yrange [{:.8g}:{:.8g}]\nset ytics {:.8g}", y.low, y.high, y.step));
    std::size_t place = 0;
    for (const std::size_t panel : shown) {
        const double x = left + static_cast<double>(place % columns) *
                                    (page_width / static_cast<double>(columns));
        const std::size_t row = place / columns;
        const double at = top + static_cast<double>(row) * step + head;
        ++place;
        script.place(x, at, width, height);
        if (figure.choice.panel) {
            const SweepAxis& axis = figure.sweep.axes[*figure.choice.panel];
            script.label(x, at - 8, axis.name + " " + axis.values[panel], muted);
        }
        script.line(panel_plot(script, figure, panel));
        script.line("unset label\nunset arrow");
    }
    return script;
}

}  // namespace berth::report
