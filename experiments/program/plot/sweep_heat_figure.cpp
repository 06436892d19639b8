#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/program/plot/sweep_figures.hpp"

namespace berth::report {
namespace {

constexpr double page_width = 504;
constexpr double right = 10;
constexpr double foot = 44;
constexpr double head = 40;

/// A number of few digits, without an exponent where it has five digits or six.
std::string short_number(double value, int digits) {
    const double size = std::abs(value);
    return size >= 1000 && size < 1e6 ? fmt::format("{:.0f}", value)
                                      : fmt::format("{:.{}g}", value, digits);
}

/// The colours with the least and the greatest value beside them.
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

}  // namespace

Script sweep_heat_figure(const SweepFigure& figure) {
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
    Script script(
        page_width,
        head + height + foot + names + caption_row * static_cast<double>(below.size() - 1));
    write_cells(script, figure);
    script.line("unset key\nset style fill solid 1 noborder\nset border 0");
    script.title(left, 9, with_unit(figure.metric()));
    draw_scale(script, left, low, high);
    draw_caption(script, below, left, head + height + 36 + names);
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
    script.place(left, head, width, height);
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
                 head - 8,
                 figure.sweep.axes[*figure.choice.by].name,
                 fmt::format("right textcolor rgb '{}'", hex(ink::muted)));
    script.line(fmt::format("set xrange [-0.5:{}.5]", x.values.size() - 1));
    // Numbers grow upwards, names are read downwards.
    const std::string last = fmt::format("{}.5", y.values.size() - 1);
    script.line(y.numeric() ? fmt::format("set yrange [-0.5:{}]", last)
                            : fmt::format("set yrange [{}:-0.5]", last));
    std::string plot = fmt::format(
        "plot {} using 1:2:3:4:5:6:7 with boxxyerror linecolor rgb variable", script.data(fields));
    // Numbers in all fields or in none, a little smaller where that helps.
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

}  // namespace berth::report
