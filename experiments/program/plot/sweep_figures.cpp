#include "experiments/program/plot/sweep_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/support/rounded_math.hpp"

namespace berth::report {
namespace sweep_points {

constexpr double page_width = 504;
constexpr double axis_room = 46;
constexpr double right = 10;
constexpr double lines_foot = 30;  // below a panel: tics and the name of the axis
constexpr std::size_t columns_max = 3;

/// Whether an axis is logarithmic: its values are more evenly spaced on that scale, as 1, 10, 100
/// are.
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

/// Sets the x axis of a panel, `width` points wide.
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
    // If no mean is negative, the axis is not negative either.
    return round_range(least >= 0 ? std::max(0.0, low) : low, high);
}

/// The lines of one panel: first all intervals, then all means, so that none hides another.
std::string panel_plot(Script& script, const SweepFigure& figure, std::size_t panel) {
    std::string intervals;
    std::string means;
    const SweepAxis& x = figure.x();
    // Between names there is nothing that a line could represent, so their marks are side by side.
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

constexpr double heat_foot = 44;
constexpr double heat_head = 40;

/// A number with few digits, and without an exponent if it has four to six digits.
std::string short_number(double value, int digits) {
    const double size = std::abs(value);
    return size >= 1000 && size < 1e6 ? fmt::format("{:.0f}", value)
                                      : fmt::format("{:.{}g}", value, digits);
}

/// Draws the colours, with the least and the greatest value beside them.
void draw_scale(Script& script, double left, double low, double high) {
    const std::string options = fmt::format("textcolor rgb '{}'", hex(ink::muted));
    const std::string from = short_number(low, 4);
    constexpr int steps = 30;
    constexpr double width = 3;
    script.label(left, 26, from, "left " + options);
    const double start = left + text_width(from) + 6;
    for (int i = 0; i < steps; ++i) {
        script.rectangle(
            start + i * width, 22, width + 0.3, 8, ramp(static_cast<double>(i) / (steps - 1)));
    }
    script.label(start + steps * width + 6, 26, short_number(high, 4), "left " + options);
}

}  // namespace sweep_points

Script sweep_lines_figure(const SweepFigure& figure) {
    using namespace sweep_points;
    std::set<std::size_t> shown;
    for (const SweepCell& one : figure.cells) {
        shown.insert(one.panel);
    }
    const std::size_t columns = std::min(columns_max, shown.size());
    const std::size_t rows = (shown.size() + columns - 1) / columns;
    const double width = page_width / static_cast<double>(columns) - axis_room - right;
    const double height = columns == 1 ? 190 : 104;
    const double head = figure.choice.panel ? 16 : 6;
    const double legend = legend_height(figure, axis_room, page_width - right);
    const double top = 20 + legend;
    const double names = tics_height(figure.x(), width);
    const double step = head + height + lines_foot + names;
    const std::vector<std::string> below =
        caption(figure, "means and 95% intervals", page_width - axis_room - right);
    const double bottom = top + static_cast<double>(rows) * step;
    Script script(page_width, bottom + 3 + caption_row * static_cast<double>(below.size()));
    write_cells(script, figure);
    script.line("unset key\nset grid ytics linestyle 2\nset format y '%g'");
    draw_legend(script, figure, axis_room, page_width - right, false);
    const std::string muted = fmt::format("left textcolor rgb '{}'", hex(ink::muted));
    script.title(axis_room, 14 + legend, with_unit(figure.metric()));
    draw_caption(script, below, axis_room, bottom + 6);
    set_x_axis(script, figure.x(), width);
    const RoundRange y = y_range(figure);
    script.line(fmt::format("set yrange [{:.8g}:{:.8g}]\nset ytics {:.8g}", y.low, y.high, y.step));
    std::size_t place = 0;
    for (const std::size_t panel : shown) {
        const double x = axis_room + static_cast<double>(place % columns) *
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

Script sweep_heat_figure(const SweepFigure& figure) {
    using namespace sweep_points;
    const SweepAxis& x = figure.x();
    const SweepAxis& y = figure.sweep.axes[*figure.choice.by];
    const auto [least, most] = std::ranges::minmax_element(
        figure.cells, {}, [](const SweepCell& one) { return one.values.mean; });
    const double low = least->values.mean;
    const double high = most->values.mean;
    double left = std::clamp(text_width(y.name) + 8, 30.0, 260.0);
    for (const std::string& value : y.values) {
        left = std::clamp(text_width(value) + 14, left, 260.0);
    }
    const double width = page_width - left - right;
    const double row = std::clamp(300 / static_cast<double>(y.values.size()), 9.0, 24.0);
    const double height = row * static_cast<double>(y.values.size());
    const std::vector<std::string> below = caption(figure, "means", width);
    const double names = tics_height(x, width);
    Script script(page_width,
                  heat_head + height + heat_foot + names +
                      caption_row * static_cast<double>(below.size() - 1));
    write_cells(script, figure);
    script.line("unset key\nset style fill solid 1 noborder\nset border 0");
    script.title(left, 9, with_unit(figure.metric()));
    draw_scale(script, left, low, high);
    draw_caption(script, below, left, heat_head + height + 36 + names);
    std::vector<std::string> fields;
    std::vector<std::string> dark;
    std::vector<std::string> light;
    double widest = 0;
    for (const SweepCell& one : figure.cells) {
        const double share = high > low ? (one.values.mean - low) / (high - low) : 0.5;
        fields.push_back(fmt::format("{0} {1} {2} {3} {4} {5} {6}",
                                     one.x,
                                     one.by,
                                     static_cast<double>(one.x) - 0.485,
                                     static_cast<double>(one.x) + 0.485,
                                     static_cast<double>(one.by) - 0.46,
                                     static_cast<double>(one.by) + 0.46,
                                     ramp(share)));
        const std::string text = short_number(one.values.mean, 3);
        widest = std::max(widest, text_width(text));
        (share > 0.8 ? light : dark).push_back(fmt::format("{} {} {}", one.x, one.by, text));
    }
    script.place(left, heat_head, width, height);
    script.line(axis_tics(x, true, width));
    script.x_label(x.name, 1);
    std::string tics;
    for (std::size_t i = 0; i < y.values.size(); ++i) {
        std::string text;
        for (const char c : y.values[i]) {
            text += c == '%' ? "%%" : std::string(1, c);
        }
        tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", single_quoted(text), i);
    }
    script.line(fmt::format("set ytics ({})", tics));
    script.label(left - 6,
                 heat_head - 8,
                 figure.sweep.axes[*figure.choice.by].name,
                 fmt::format("right textcolor rgb '{}'", hex(ink::muted)));
    script.line(fmt::format("set xrange [-0.5:{}.5]", x.values.size() - 1));
    // Numbers increase upwards, but names are read downwards.
    const std::string last = fmt::format("{}.5", y.values.size() - 1);
    script.line(y.numeric() ? fmt::format("set yrange [-0.5:{}]", last)
                            : fmt::format("set yrange [{}:-0.5]", last));
    std::string plot = fmt::format(
        "plot {} using 1:2:3:4:5:6:7 with boxxyerror linecolor rgb variable", script.data(fields));
    // All fields have numbers, or none; the numbers are a little smaller if that helps.
    const double room = width / static_cast<double>(x.values.size()) - 1;
    const double font = widest <= room ? 8 : 6.5;
    for (const auto& [texts, colour] : {std::pair(&dark, ink::text), {&light, 0xFFFFFFU}}) {
        if (!texts->empty() && widest * font / 8 <= room && row > font + 2) {
            plot +=
                fmt::format(", {} using 1:2:3 with labels font 'sans-serif,{}' textcolor rgb '{}'",
                            script.data(*texts),
                            font,
                            hex(colour));
        }
    }
    script.line(plot);
    return script;
}

Script sweep_boxes_figure(const SweepFigure& figure) {
    using namespace sweep_points;
    const SweepAxis& x = figure.x();
    constexpr double height = 190;
    const double legend = legend_height(figure, axis_room, page_width - right);
    const double top = 26 + legend;
    const double width = page_width - axis_room - right;
    const std::vector<std::string> below =
        caption(figure, "extremes, quartiles, median, mean (dot)", width);
    const double names = tics_height(x, width);
    Script script(page_width,
                  top + height + 44 + names + caption_row * static_cast<double>(below.size() - 1));
    write_cells(script, figure);
    script.line("unset key\nset grid ytics linestyle 2\nset format y '%g'");
    draw_legend(script, figure, axis_room, page_width - right, true);
    script.title(axis_room, 14 + legend, with_unit(figure.metric()));
    draw_caption(script, below, axis_room, top + height + 36 + names);
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    std::set<std::size_t> lines;
    for (const SweepCell& one : figure.cells) {
        low = std::min(low, one.values.min);
        high = std::max(high, one.values.max);
        lines.insert(one.by);
    }
    const RoundRange y = round_range(low, high);
    script.place(axis_room, top, width, height);
    script.line(axis_tics(x, true, width));
    script.x_label(x.name, 1);
    script.line(fmt::format("set xrange [-0.5:{}.5]", x.values.size() - 1));
    script.line(fmt::format("set yrange [{:.8g}:{:.8g}]\nset ytics {:.8g}", y.low, y.high, y.step));
    const double slot = std::min(0.8 / static_cast<double>(lines.size()), 0.4);
    std::string plot;
    double offset = -slot * static_cast<double>(lines.size() - 1) / 2;
    for (const std::size_t line : lines) {
        std::vector<std::string> rows;
        for (const SweepCell& one : figure.cells) {
            const Distribution& v = one.values;
            if (one.by == line) {
                rows.push_back(
                    fmt::format("{:.6g} {:.8g} {:.8g} {:.8g} {:.8g} {:.8g} {:.8g} {:.6g}",
                                static_cast<double>(one.x) + offset,
                                v.min,
                                v.lower_quartile,
                                v.median,
                                v.upper_quartile,
                                v.max,
                                v.mean,
                                slot * 0.8));
            }
        }
        offset += slot;
        const std::string data = script.data(rows);
        const std::string colour = hex(line_look(line).colour);
        plot += fmt::format(
            "{0}{1} using 1:3:2:6:5:8 with candlesticks linecolor rgb '{2}' fillstyle transparent "
            "solid 0.2 border whiskerbars 0.5, "
            "{1} using ($1-$8/2):4:8:(0) with vectors nohead linecolor rgb '{2}' linewidth 2, "
            "{1} using 1:7 with points pointtype 7 pointsize 0.35 linecolor rgb '{3}'",
            plot.empty() ? "plot " : ", ",
            data,
            colour,
            hex(ink::text));
    }
    script.line(plot);
    return script;
}

}  // namespace berth::report
