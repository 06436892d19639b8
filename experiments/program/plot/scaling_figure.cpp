#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "core/support/text.hpp"
#include "core/support/value.hpp"
#include "experiments/program/plot/bench_plot.hpp"
#include "experiments/program/plot/sweep_figures.hpp"

namespace berth::report {
namespace scaling {

constexpr double page_width = 504;
constexpr double left = 46;
constexpr double right = 20;
constexpr double panel_height = 210;
constexpr double sample_width = 24;
constexpr double legend_row = 12;

/// The ends of a logarithmic axis.
struct Ends {
    double low = std::numeric_limits<double>::infinity();
    double high = 0;

    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    [[nodiscard]] Ends wider(double by) const { return {low / by, high * by}; }
};

/// A number with groups of digits: `12 500`.
std::string size_text(double size) {
    std::string text = fmt::format("{:.0f}", size);
    for (std::size_t at = text.size(); at > 3; at -= 3) {
        text.insert(at - 3, " ");
    }
    return text;
}

std::string time_text(double time_s) {
    constexpr std::pair<double, const char*> units[] = {{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}};
    for (const auto& [unit_s, name] : units) {
        if (time_s < 999 * unit_s) {
            return fmt::format("{:.3g} {}", time_s / unit_s, name);
        }
    }
    return fmt::format("{:.3g} s", time_s);
}

/// `set xtics` or `set ytics` at the powers of ten between the ends; if these are less than two
/// decades apart, also at their multiples by two and five.
std::string tics(const char* axis, const Ends& ends, std::string (*text)(double)) {
    const bool near = ends.high < 100 * ends.low;
    std::vector<std::string> out;
    for (double decade = 1e-12; decade <= ends.high; decade *= 10) {
        for (const double times : {1, 2, 5}) {
            const double at = decade * times;
            if ((times == 1 || near) && at >= ends.low && at <= ends.high) {
                out.push_back(fmt::format("{} {:.10g}", single_quoted(text(at)), at));
            }
        }
    }
    return out.empty() ? fmt::format("set format {} '%g'", axis)
                       : fmt::format("set {}tics ({})", axis, core::join(out, ", "));
}

/// The things that sizes count, without duplicates; `size` if no line states it.
std::string sizes_text(const std::vector<ScalingLine>& lines) {
    std::vector<std::string> counted;
    for (const ScalingLine& line : lines) {
        if (!line.size_of.empty() && std::ranges::count(counted, line.size_of) == 0) {
            counted.push_back(line.size_of);
        }
    }
    return counted.empty() ? "size" : core::alternatives(counted);
}

bool same(const std::vector<ScalingLine>& lines, std::string ScalingLine::* member) {
    return std::ranges::all_of(
        lines, [&](const ScalingLine& line) { return line.*member == lines.front().*member; });
}

/// A look as in a sweep's figure, but lines of the same colour also differ in their dashes, since
/// there are often more lines here.
LineLook look_of(std::size_t place) {
    LineLook look = line_look(place);
    constexpr std::size_t dashes = 4;
    look.dash = line_look((place + 2 * (place / std::size(ink::series))) % dashes).dash;
    return look;
}

/// A text in which apostrophes are escaped for a script.
std::string shown(const std::string& unit) {
    std::string out;
    for (const char c : unit) {
        out += c == '\'' ? "’" : std::string(1, c);
    }
    return out;
}

/// Draws a legend with a row for each line, and what is not the same for all lines.
void draw_legend(Script& script, const std::vector<ScalingLine>& lines) {
    const std::string muted = fmt::format("left textcolor rgb '{}'", hex(ink::muted));
    double y = 8;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const LineLook look = look_of(i);
        std::string text = lines[i].name;
        if (!same(lines, &ScalingLine::unit)) {
            text += ": " + shown(lines[i].unit);
        }
        if (!same(lines, &ScalingLine::size_of) && !lines[i].size_of.empty()) {
            text += ", by " + lines[i].size_of;
        }
        script.sample(left, y, sample_width, look.colour, look.point, look.dash);
        script.label(left + sample_width + 4, y, text, muted);
        y += legend_row;
    }
}

std::string plot_of(Script& script, const ScalingLine& line, std::size_t place) {
    std::vector<std::string> rows;
    for (const auto& [size, result] : line.at) {
        rows.push_back(fmt::format("{} {:.8g}", size, result.median_s));
        script.row({line.name,
                    fmt::format("{}", size),
                    line.size_of,
                    line.unit,
                    cell(result.best_s),
                    cell(result.median_s)});
    }
    const LineLook look = look_of(place);
    return fmt::format(
        "{} using 1:2 with linespoints linecolor rgb '{}' linewidth 1.3 dashtype {} pointtype {} "
        "pointsize 0.6",
        script.data(rows),
        hex(look.colour),
        look.dash,
        look.point);
}

}  // namespace scaling

Script scaling_figure(const std::vector<ScalingLine>& lines) {
    using namespace scaling;
    const double title = 8 + legend_row * static_cast<double>(lines.size()) + 4;
    const double top = title + 12;
    Script script(page_width, top + panel_height + 32);
    script.columns({"benchmark", "size", "size_of", "unit", "best_s", "median_s"});
    Ends sizes;
    Ends times;
    std::vector<std::string> plots;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        for (const auto& [size, result] : lines[i].at) {
            sizes.add(static_cast<double>(size));
            times.add(result.median_s);
        }
        plots.push_back(plot_of(script, lines[i], i));
    }
    draw_legend(script, lines);
    script.title(left,
                 title,
                 same(lines, &ScalingLine::unit)
                     ? fmt::format("median time of one unit: {}", shown(lines.front().unit))
                     : "median time of one unit, which the legend names");
    script.place(left, top, page_width - left - right, panel_height);
    script.line("unset key\nset grid xtics ytics linestyle 2\nset logscale xy");
    const Ends x = sizes.wider(1.2);
    const Ends y = times.wider(1.5);
    script.line(fmt::format("set xrange [{:.8g}:{:.8g}]", x.low, x.high));
    script.line(fmt::format("set yrange [{:.8g}:{:.8g}]", y.low, y.high));
    script.line(tics("x", x, &size_text) + "\nset xtics offset 0,0.4");
    script.line(tics("y", y, &time_text));
    script.x_label(sizes_text(lines));
    script.line(fmt::format("plot {}", core::join(plots, ", ")));
    return script;
}

}  // namespace berth::report
