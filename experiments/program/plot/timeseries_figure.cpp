#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/plot/drawing.hpp"
#include "experiments/program/report/answer.hpp"
#include "experiments/program/report/run_parts.hpp"
#include "experiments/program/results/statistics.hpp"

namespace berth::report {
namespace timeseries {

constexpr std::size_t points_max = 1200;

/// A metric of a run as the table has it: a mean with its range over the replications.
struct Curve {
    std::size_t run = 0;
    std::vector<double> mean;
    std::vector<double> low;
    std::vector<double> high;
    std::vector<double> time_s;
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
                panel.curves.push_back({r, band.mean[c], band.low[c], band.high[c], band.time_s});
            }
        }
    }
    return panels;
}

void add_rows(FigureTable& table, const std::vector<std::string>& names, const Panel& panel) {
    for (const Curve& curve : panel.curves) {
        for (std::size_t k = 0; k < curve.time_s.size(); ++k) {
            table.row({names[curve.run],
                       panel.metric,
                       cell(curve.time_s[k]),
                       cell(curve.mean[k]),
                       cell(curve.low[k]),
                       cell(curve.high[k])});
        }
    }
}

}  // namespace timeseries

Drawing timeseries_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace timeseries;
    const std::vector<std::string> metrics = metrics_of(runs, choice);
    FigureTable table({"run", "metric", "time_s", "mean", "min", "max"});
    for (const Panel& panel : panels_of(runs, metrics)) {
        add_rows(table, run_names(runs), panel);
    }
    nlohmann::ordered_json data = data_of_runs(runs, [](const RunDirectory& run) {
        constexpr std::size_t values_max = 10'000'000;
        return nlohmann::ordered_json{{"series", series_data(run.series, values_max, 0)}};
    });
    data["page"]["definitions"] = definitions(metrics);
    data["metrics"] = metrics;
    return {std::move(table), std::move(data)};
}

}  // namespace berth::report
