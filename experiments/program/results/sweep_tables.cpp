#include "experiments/program/results/sweep_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "core/support/parse_number.hpp"

namespace berth::report {
namespace {

using Figure = ReplicationTable::Figure;

constexpr double nothing_known = std::numeric_limits<double>::quiet_NaN();

/// The sum of the figures of several points; NaN if one of them is not known.
struct Sum {
    double value = 0;
    double compared = 0;  ///< The sum with bounds in place of values.
    double never_started = 0;
    bool bounded = false;

    void add(const Figure& figure) {
        value += figure.value.value_or(nothing_known);
        compared += figure.at_least ? *figure.at_least : figure.value.value_or(nothing_known);
        never_started += figure.never_started;
        bounded = bounded || figure.at_least;
    }

    [[nodiscard]] Figure mean(double count) const {
        const auto known = [&](double sum) {
            return std::isnan(sum) ? std::nullopt : std::optional(sum / count);
        };
        return {.value = known(value),
                .at_least = bounded ? known(compared) : std::nullopt,
                .never_started = never_started / count};
    }
};

void add_point(const SweepDirectory& sweep,
               std::size_t point,
               std::vector<std::vector<Sum>>& sums) {
    std::vector<std::vector<Figure>> figures(sums.size());
    for (std::size_t r = 0; r < sums.size(); ++r) {
        for (const SweepMetric& metric : sweep.metrics) {
            const double value = metric.values[point * sums.size() + r];
            figures[r].push_back(
                {.value = std::isnan(value) ? std::nullopt : std::optional(value), .at_least = {}});
        }
    }
    if (const auto found = sweep.exceptions.find(point); found != sweep.exceptions.end()) {
        for (const SweepDirectory::Exception& one : found->second) {
            figures[one.replication][one.metric] = one.figure;
        }
    }
    for (std::size_t r = 0; r < sums.size(); ++r) {
        for (std::size_t m = 0; m < sweep.metrics.size(); ++m) {
            sums[r][m].add(figures[r][m]);
        }
    }
}

}  // namespace

ReplicationTable table_of(const SweepDirectory& sweep, const std::vector<std::size_t>& points) {
    ReplicationTable table;
    for (const SweepMetric& metric : sweep.metrics) {
        table.metrics.push_back(metric.name);
    }
    std::vector<std::vector<Sum>> sums(sweep.seeds.size(), std::vector<Sum>(sweep.metrics.size()));
    for (const std::size_t point : points) {
        add_point(sweep, point, sums);
    }
    for (std::size_t r = 0; r < sums.size(); ++r) {
        ReplicationTable::Row row;
        row.seed = core::parse_number<std::uint64_t>(sweep.seeds[r]).value_or(r);
        row.replication = sweep.replications[r];
        for (const Sum& sum : sums[r]) {
            row.figures.push_back(sum.mean(static_cast<double>(points.size())));
        }
        table.by_seed.emplace(row.seed, std::move(row));
    }
    return table;
}

Alike alike(const SweepDirectory& sweep, std::size_t one, std::size_t other) {
    Alike out;
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
        const std::size_t i = sweep.points[one][a];
        const std::size_t j = sweep.points[other][a];
        const auto same = [&](const std::vector<std::string>& set) {
            return set.empty() || set[i] == set[j];
        };
        out.work = out.work && same(sweep.axes[a].work);
        out.cluster = out.cluster && same(sweep.axes[a].cluster);
    }
    return out;
}

std::string point_name(const SweepDirectory& sweep, std::size_t point) {
    std::string out;
    const bool any = std::ranges::any_of(sweep.axes, &SweepAxis::varies);
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
        const SweepAxis& axis = sweep.axes[a];
        if (axis.varies() || !any) {
            out += fmt::format(
                "{}{} {}", out.empty() ? "" : ", ", axis.name, axis.values[sweep.points[point][a]]);
        }
    }
    return out;
}

}  // namespace berth::report
