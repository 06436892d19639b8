#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "core/support/source.hpp"
#include "experiments/program/plot/drawing.hpp"
#include "experiments/program/report/run_parts.hpp"
#include "experiments/program/results/arrival_series.hpp"
#include "experiments/program/support/typed_json.hpp"

namespace berth::report {
namespace arrivals {

/// A measure over the share of the workload that has arrived.
struct Measure {
    std::string name;  ///< Its name in the table.
    MiddleBand ArrivalSeries::* band;
};
using Range = std::pair<double, double>;

std::vector<ArrivalSeries> series_of(const std::vector<RunDirectory>& runs) {
    std::vector<ArrivalSeries> out;
    for (const RunDirectory& run : runs) {
        auto series = arrival_series(run.series);
        if (!series) {
            throw core::InputError(fmt::format(
                "{}: error: the run measured no fragmentation: expected shared GPUs, typical pods "
                "and record: {{sampleEvery: arrival}}",
                run.directory));
        }
        out.push_back(std::move(*series));
    }
    return out;
}

/// Reads `FROM,TO` in percent of the GPUs; without a choice, the range goes up to the largest share
/// that arrives in any run.
Range range_of(const std::vector<ArrivalSeries>& all, std::string_view choice) {
    double from = 0;
    double to = 0;
    for (const ArrivalSeries& series : all) {
        to = std::max(to, static_cast<double>(series.arrived_pct.back()));
    }
    if (!choice.empty()) {
        const std::string text(choice);
        int end = 0;
        // The text must have exactly two numbers.
        if (std::sscanf(text.c_str(), "%lf,%lf%n", &from, &to, &end) != 2 ||
            static_cast<std::size_t>(end) != text.size() || !(from < to) || from < 0) {
            throw core::InputError(fmt::format(
                "--figure: error: found '{}': expected FROM,TO in percent, such as 75,120", text));
        }
    }
    return {from, to};
}

bool holds(Range range, int x) {
    return x >= range.first && x <= range.second;
}

nlohmann::ordered_json data_of(const std::vector<RunDirectory>& runs,
                               const std::vector<ArrivalSeries>& all,
                               Range range) {
    std::size_t place = 0;
    nlohmann::ordered_json data = data_of_runs(runs, [&](const RunDirectory& run) {
        nlohmann::ordered_json arrival = arrival_data(run);
        add_to_some<"Arrival">(  // only on paper: as a share of all GPUs
            arrival,
            field<"fragments">(band_data(all[place++].frag_pct)));
        return nlohmann::ordered_json{{"arrival", std::move(arrival)}};
    });
    data["range"] = {range.first, range.second};
    return data;
}

Drawing draw(const std::vector<RunDirectory>& runs,
             std::string_view choice,
             const std::vector<Measure>& measures) {
    const std::vector<ArrivalSeries> all = series_of(runs);
    const Range range = range_of(all, choice);
    const std::vector<std::string> names = run_names(runs);
    FigureTable table(
        {"run", "measure", "arrived_pct", "median", "lower_quartile", "upper_quartile"});
    for (const auto& [measure, member] : measures) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const MiddleBand& band = all[i].*member;
            for (std::size_t k = 0; k < band.median.size(); ++k) {
                const int x = all[i].arrived_pct[k];
                if (holds(range, x)) {
                    table.row({names[i],
                               measure,
                               cell(x),
                               cell(band.median[k]),
                               cell(band.low[k]),
                               cell(band.high[k])});
                }
            }
        }
    }
    return {std::move(table), data_of(runs, all, range)};
}

/// The classes as indices into fragment_columns, in the order of the report, which begins with
/// usable GPUs.
constexpr std::size_t classes[] = {2, 1, 3, 0, 4, 5, 6};

}  // namespace arrivals

Drawing unallocated_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    return arrivals::draw(runs, choice, {{"unallocated_pct", &ArrivalSeries::unallocated_pct}});
}

Drawing fragmentation_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    return arrivals::draw(runs,
                          choice,
                          {{"frag_ratio_pct", &ArrivalSeries::frag_ratio_pct},
                           {"frag_pct", &ArrivalSeries::frag_pct}});
}

Drawing fragment_classes_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace arrivals;
    const std::vector<ArrivalSeries> all = series_of(runs);
    const Range range = range_of(all, choice);
    const std::vector<std::string> names = run_names(runs);
    FigureTable table({"run", "class", "arrived_pct", "percent"});
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (const std::size_t column : classes) {
            const std::vector<double>& shares = all[i].class_pct[column];
            for (std::size_t k = 0; k < shares.size(); ++k) {
                if (holds(range, all[i].arrived_pct[k]) && shares[k] >= 0) {
                    table.row({names[i],
                               fragment_columns[column],
                               cell(all[i].arrived_pct[k]),
                               cell(shares[k])});
                }
            }
        }
    }
    return {std::move(table), data_of(runs, all, range)};
}

}  // namespace berth::report
