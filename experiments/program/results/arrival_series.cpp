#include "experiments/program/results/arrival_series.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "experiments/program/results/statistics.hpp"

namespace berth::report {
namespace {

constexpr std::size_t bins_max = 1001;
constexpr std::size_t satisfied = 2;

/// Sums of one replication in one bin: unallocated, ratio, fragments, then the classes.
struct Bin {
    std::array<double, 10> sums{};
    double samples = 0;
};

/// The columns of a series that are needed, in the order of their use.
struct Columns {
    std::size_t arrived = 0;
    std::size_t allocated = 0;
    std::array<std::size_t, 7> classes{};
};

std::optional<Columns> columns_of(const TimeSeries& series) {
    bool all = true;
    const auto place = [&](std::string_view name) {
        const auto found = std::ranges::find(series.columns, name);
        all = all && found != series.columns.end();
        return static_cast<std::size_t>(found - series.columns.begin());
    };
    Columns columns;
    columns.arrived = place("gpu_arrived_milli");
    columns.allocated = place("gpu_allocated_milli");
    for (std::size_t part = 0; part < fragment_columns.size(); ++part) {
        columns.classes[part] = place(fragment_columns[part]);
    }
    return all ? std::optional(columns) : std::nullopt;
}

std::vector<Bin> bins_of(const ReplicationSeries& one, const Columns& columns) {
    std::vector<Bin> bins(bins_max);
    for (std::size_t i = 0; i < one.time_s.size(); ++i) {
        double idle = 0;
        for (const std::size_t column : columns.classes) {
            idle += one.values[column][i];
        }
        const double whole = idle + one.values[columns.allocated][i];
        const double arrived =
            whole > 0 ? std::nearbyint(100 * one.values[columns.arrived][i] / whole) : bins_max;
        if (!(arrived >= 0 && arrived < static_cast<double>(bins_max))) {
            continue;
        }
        Bin& bin = bins[static_cast<std::size_t>(arrived)];
        const double frag = idle - one.values[columns.classes[satisfied]][i];
        bin.samples += 1;
        bin.sums[0] += 100 * idle / whole;
        bin.sums[1] += idle > 0 ? 100 * frag / idle : 0;
        bin.sums[2] += 100 * frag / whole;
        for (std::size_t part = 0; part < columns.classes.size(); ++part) {
            bin.sums[3 + part] += 100 * one.values[columns.classes[part]][i] / whole;
        }
    }
    return bins;
}

}  // namespace

std::optional<ArrivalSeries> arrival_series(const TimeSeries& series) {
    const auto columns = columns_of(series);
    if (!columns || series.replications.empty()) {
        return std::nullopt;
    }
    std::vector<std::vector<Bin>> replications;
    for (const ReplicationSeries& one : series.replications) {
        replications.push_back(bins_of(one, *columns));
    }
    ArrivalSeries out;
    for (std::size_t bin = 0; bin < bins_max; ++bin) {
        const auto empty = [&](const auto& bins) { return bins[bin].samples == 0; };
        if (std::ranges::any_of(replications, empty)) {
            continue;
        }
        const auto values_of = [&](std::size_t figure) {
            std::vector<double> values;
            for (const std::vector<Bin>& bins : replications) {
                values.push_back(bins[bin].sums[figure] / bins[bin].samples);
            }
            std::ranges::sort(values);
            return values;
        };
        out.arrived_pct.push_back(static_cast<int>(bin));
        std::size_t figure = 0;
        for (MiddleBand* band : {&out.unallocated_pct, &out.frag_ratio_pct, &out.frag_pct}) {
            const std::vector<double> values = values_of(figure++);
            band->median.push_back(quantile(values, 0.5));
            band->low.push_back(quantile(values, 0.25));
            band->high.push_back(quantile(values, 0.75));
        }
        for (std::vector<double>& medians : out.class_pct) {
            medians.push_back(quantile(values_of(figure++), 0.5));
        }
    }
    return out.arrived_pct.size() > 1 ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace berth::report
