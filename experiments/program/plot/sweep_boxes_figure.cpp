#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "experiments/program/plot/sweep_figures.hpp"

namespace berth::report {
namespace {

constexpr double page_width = 504;
constexpr double left = 46;
constexpr double right = 10;
constexpr double height = 190;

}  // namespace

Script sweep_boxes_figure(const SweepFigure& figure) {
    const SweepAxis& x = figure.x();
    const double legend = legend_height(figure, left, page_width - right);
    const double top = 26 + legend;
    const double width = page_width - left - right;
    const std::vector<std::string> below =
        caption(figure, "extremes, quartiles, median, mean (dot)", width);
    const double names = tics_height(x, width);
    Script script(page_width,
                  top + height + 44 + names + caption_row * static_cast<double>(below.size() - 1));
    write_cells(script, figure);
    script.line("unset key\nset grid ytics linestyle 2\nset format y '%g'");
    draw_legend(script, figure, left, page_width - right, true);
    script.title(left, 14 + legend, with_unit(figure.metric()));
    draw_caption(script, below, left, top + height + 36 + names);
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    std::set<std::size_t> lines;
    for (const SweepCell& one : figure.cells) {
        low = std::min(low, one.values.min);
        high = std::max(high, one.values.max);
        lines.insert(one.by);
    }
    const RoundRange y = round_range(low, high);
    script.place(left, top, width, height);
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
