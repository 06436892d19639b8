#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/plot/script.hpp"
#include "experiments/program/results/sweep_choice.hpp"

namespace berth::report {

/// A figure of a sweep: the choice of what to draw, and its cells, of which there is at least one.
struct SweepFigure {
    const SweepDirectory& sweep;
    SweepChoice choice;
    std::vector<SweepCell> cells;

    [[nodiscard]] const SweepAxis& x() const { return sweep.axes[choice.x]; }
    [[nodiscard]] const std::string& metric() const { return sweep.metrics[choice.metric].name; }
    /// The values of `by`; without it a single line, with the metric's name.
    [[nodiscard]] std::vector<std::string> lines() const;
};

/// The figures. Each writes the cells as the script's table.
[[nodiscard]] Script sweep_lines_figure(const SweepFigure& figure);
[[nodiscard]] Script sweep_heat_figure(const SweepFigure& figure);
[[nodiscard]] Script sweep_boxes_figure(const SweepFigure& figure);

/// The colour, point and dash of a line, as gnuplot's options. Each line has its own.
struct LineLook {
    std::uint32_t colour = 0;
    int point = 0;
    std::string dash;
};
[[nodiscard]] LineLook line_look(std::size_t line);

/// A range with round ends for an axis of values, and the distance between its tics.
struct RoundRange {
    double low = 0;
    double high = 1;
    double step = 1;
};
/// The range starts at zero unless that would take more than half of it.
[[nodiscard]] RoundRange round_range(double low, double high);

/// How many points the names below an axis of `width` points take beyond one line. Names that do
/// not fit side by side are drawn upright.
[[nodiscard]] double tics_height(const SweepAxis& axis, double width);

/// `set xtics` for the names of values at 0, 1, ..., or for numbers at their own places; as many as
/// there is room for in `width` points.
[[nodiscard]] std::string axis_tics(const SweepAxis& axis, bool names, double width);

/// The text below a figure, in lines of at most `width` points. It says what is drawn (`what`) and
/// how other axes are treated: `averaged over size (2 values); policy pack; 20 replications`.
[[nodiscard]] std::vector<std::string> caption(const SweepFigure& figure,
                                               const std::string& what,
                                               double width);
inline constexpr double caption_row = 11;
/// Draws a caption together with the next plot. Its first line is at (left, y).
void draw_caption(Script& script, const std::vector<std::string>& lines, double left, double y);

/// Draws a legend of the lines together with the next plot, from (left, top) on, in rows up to
/// `right`; returns its height. `boxes`: squares instead of lines and points.
double draw_legend(
    Script& script, const SweepFigure& figure, double left, double right, bool boxes);
[[nodiscard]] double legend_height(const SweepFigure& figure, double left, double right);

/// Writes the cells as the script's table.
void write_cells(Script& script, const SweepFigure& figure);

}  // namespace berth::report
