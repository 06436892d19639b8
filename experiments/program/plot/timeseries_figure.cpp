#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/plot/script.hpp"
#include "experiments/program/results/statistics.hpp"

namespace berth::report {
namespace timeseries {

constexpr double page_width = 504;
constexpr double left = 44;
constexpr double panel_height = 84;
constexpr double step = panel_height + 22;
constexpr std::size_t points_max = 1200;

/// A metric of a run as it is drawn: a mean with its range over the replications.
struct Curve {
    std::size_t run = 0;
    std::vector<double> mean;
    std::vector<double> low;
    std::vector<double> high;
    std::vector<double> time_s;
    bool several = false;
};

struct Panel {
    std::string metric;
    std::vector<Curve> curves;
};

/// Whether a column has two different values anywhere in the runs.
bool varies(const std::vector<RunDirectory>& runs, const std::string& metric) {
    std::optional<double> first;
    for (const RunDirectory& run : runs) {
        const auto found = std::ranges::find(run.series.columns, metric);
        const auto c = static_cast<std::size_t>(found - run.series.columns.begin());
        for (const ReplicationSeries& one : run.series.replications) {
            for (std::size_t i = 0; c < one.values.size() && i < one.values[c].size(); ++i) {
                const double value = one.values[c][i];
                if (!std::isnan(value) && first.value_or(value) != value) {
                    return true;
                }
                first = std::isnan(value) ? first : value;
            }
        }
    }
    return false;
}

/// The metrics to draw: those of `choice`, separated by commas, or else those that vary, at most
/// eight.
std::vector<std::string> metrics_of(const std::vector<RunDirectory>& runs,
                                    std::string_view choice) {
    std::vector<std::string> known;
    for (const RunDirectory& run : runs) {
        if (run.series.replications.empty() || run.series.columns.empty()) {
            throw core::InputError(fmt::format(
                "{}: error: the run has no samples over time: expected rows in timeseries.csv",
                run.directory));
        }
        for (const std::string& column : run.series.columns) {
            if (std::ranges::find(known, column) == known.end()) {
                known.push_back(column);
            }
        }
    }
    if (choice.empty()) {
        constexpr std::size_t shown_max = 8;
        std::erase_if(known, [&](const std::string& metric) { return !varies(runs, metric); });
        if (known.empty()) {
            throw core::InputError(fmt::format(
                "{}: error: no metric of timeseries.csv varies: there is nothing to draw",
                runs.front().directory));
        }
        known.resize(std::min(known.size(), shown_max));
        return known;
    }
    std::vector<std::string> wanted;
    while (!choice.empty()) {
        const std::size_t end = std::min(choice.find(','), choice.size());
        wanted.emplace_back(choice.substr(0, end));
        choice.remove_prefix(std::min(end + 1, choice.size()));
        if (std::ranges::find(known, wanted.back()) == known.end()) {
            throw core::InputError(fmt::format("{}: error: unknown metric '{}'{}: expected {}",
                                               runs.front().directory,
                                               wanted.back(),
                                               core::suggestion(wanted.back(), known),
                                               core::join(known, ", ")));
        }
        if (!varies(runs, wanted.back())) {
            std::erase_if(known, [&](const std::string& metric) { return !varies(runs, metric); });
            throw core::InputError(
                fmt::format("{}: error: '{}' does not vary over time: expected {}",
                            runs.front().directory,
                            wanted.back(),
                            known.empty() ? "a metric that does"
                                          : fmt::format("one of {}", core::join(known, ", "))));
        }
    }
    return wanted;
}

std::vector<Panel> panels_of(const std::vector<RunDirectory>& runs,
                             const std::vector<std::string>& metrics) {
    std::vector<Panel> panels;
    for (const std::string& metric : metrics) {
        panels.push_back({metric, {}});
    }
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const TimeSeries& series = runs[r].series;
        const bool several = series.replications.size() > 1;
        SeriesBand band;
        if (several) {
            band = join_replications(series, points_max);
        } else {
            const ReplicationSeries one = downsample(series.replications.front(), points_max / 2);
            band = {one.time_s, one.values, one.values, one.values};
        }
        for (Panel& panel : panels) {
            const auto found = std::ranges::find(series.columns, panel.metric);
            if (found != series.columns.end()) {
                const auto c = static_cast<std::size_t>(found - series.columns.begin());
                panel.curves.push_back(
                    {r, band.mean[c], band.low[c], band.high[c], band.time_s, several});
            }
        }
    }
    return panels;
}

void draw_panel(Script& script, const Panel& panel, double unit_s) {
    std::string plot;
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
        const Curve& curve = panel.curves[i];
        const std::string colour = hex(ink::series[i % std::size(ink::series)]);
        std::vector<std::string> rows;
        std::vector<std::string> range;
        for (std::size_t k = 0; k < curve.time_s.size(); ++k) {
            const double x = curve.time_s[k] / unit_s;
            if (std::isnan(curve.mean[k])) {
                rows.emplace_back();  // an empty line breaks the curve
                continue;
            }
            if (!range.empty()) {
                // Like the line, the range keeps its last value until now.
                range.push_back(
                    fmt::format("{:.8g}{}", x, range.back().substr(range.back().find(' '))));
            }
            rows.push_back(fmt::format("{:.8g} {:.8g}", x, curve.mean[k]));
            range.push_back(fmt::format("{:.8g} {:.8g} {:.8g}", x, curve.low[k], curve.high[k]));
        }
        if (curve.several) {
            plot += fmt::format(
                "{} using 1:2:3 with filledcurves fillcolor rgb '{}' fillstyle transparent solid "
                "0.15 noborder, ",
                script.data(range),
                colour);
        }
        plot += fmt::format("{} using 1:2 with steps linecolor rgb '{}' linewidth 1.1{}",
                            script.data(rows),
                            colour,
                            i + 1 < panel.curves.size() ? ", " : "");
    }
    script.line("plot " + plot);
}

void add_rows(Script& script, const std::vector<std::string>& names, const Panel& panel) {
    for (const Curve& curve : panel.curves) {
        for (std::size_t k = 0; k < curve.time_s.size(); ++k) {
            script.row({names[curve.run],
                        panel.metric,
                        cell(curve.time_s[k]),
                        cell(curve.mean[k]),
                        cell(curve.low[k]),
                        cell(curve.high[k])});
        }
    }
}

}  // namespace timeseries

Script timeseries_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace timeseries;
    const std::vector<Panel> panels = panels_of(runs, metrics_of(runs, choice));
    double first = std::numeric_limits<double>::infinity();
    double last = -first;
    for (const RunDirectory& run : runs) {
        for (const ReplicationSeries& one : run.series.replications) {
            if (!one.time_s.empty()) {
                first = std::min(first, one.time_s.front());
                last = std::max(last, one.time_s.back());
            }
        }
    }
    const auto [unit, unit_s] = time_unit(last - first);
    const double key = runs.size() > 1 ? 14 : 0;
    const double height = key + step * static_cast<double>(panels.size()) + 24;
    Script script(page_width, height);
    script.line("set grid ytics linestyle 2\nset format y '%g'\nset xtics auto offset 0,0.4");
    script.line("unset key");
    script.columns({"run", "metric", "time_s", "mean", "min", "max"});
    const double end = last > first ? last : first + 1;
    script.line(fmt::format("set xrange [{:.8g}:{:.8g}]", first / unit_s, end / unit_s));
    const std::vector<std::string> names = run_names(runs);
    double next = left;
    for (std::size_t i = 0; i < names.size() && names.size() > 1; ++i) {
        next = script.key(next, 7, ink::series[i % std::size(ink::series)], names[i]);
    }
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const double top = key + 16 + step * static_cast<double>(i);
        script.place(left, top, page_width - left - 10, panel_height);
        script.title(left, top - 7, with_unit(panels[i].metric));
        if (i + 1 == panels.size()) {
            script.x_label(unit);
            script.line("set format x '%g'");
        } else {
            script.line("set format x ''");
        }
        double low = std::numeric_limits<double>::infinity();
        double high = -low;
        for (const Curve& curve : panels[i].curves) {
            for (std::size_t k = 0; k < curve.low.size(); ++k) {
                low = std::fmin(low, curve.low[k]);
                high = std::fmax(high, curve.high[k]);
            }
        }
        if (!(low <= high)) {
            low = high = 0;  // no values at all: an axis without a curve
        }
        const double base = std::min(low, 0.0);
        const double most = high > base ? base + (high - base) * 1.05 : base + 1;
        script.line(fmt::format(
            "set yrange [{:.8g}:{:.8g}]\nset ytics {}", base, most, tic_step(most - base)));
        draw_panel(script, panels[i], unit_s);
        add_rows(script, names, panels[i]);
        script.line("unset label");
    }
    return script;
}

}  // namespace berth::report
