#include "experiments/program/plan/measure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/results/replication_table.hpp"
#include "experiments/program/run/metric_names.hpp"

namespace berth::experiments {
namespace {

/// What one replication says of a requirement. Of a metric that must be at most a bound, its lower
/// bound counts if it has one, which includes what still waits.
void add_figure(const report::ReplicationTable::Figure& figure,
                bool at_most,
                MetricValues& metric) {
    std::optional<double> value = figure.value;
    if (at_most && figure.at_least) {
        value = std::max(figure.value.value_or(*figure.at_least), *figure.at_least);
    }
    if (value) {
        metric.values.push_back(*value);
    }
    const bool was_asked = figure.value || figure.at_least;
    metric.reached = metric.reached && (figure.value.has_value() || !was_asked);
}

}  // namespace

PlanPoints::PlanPoints(const PlanSpec& plan,
                       const PlanChoices& choices,
                       const SweepPlan& points,
                       PointExperiments& experiments,
                       const SweepDirectory& directory,
                       unsigned threads,
                       ProgressView* progress,
                       sim::RunControl& control)
    : plan_(plan),
      choices_(choices),
      points_(points),
      experiments_(experiments),
      directory_(directory),
      threads_(threads),
      progress_(progress),
      control_(control) {}

std::filesystem::path PlanPoints::folder(std::size_t choice, std::size_t look) const {
    return directory_.point(points_.keys[choices_.point(choice, look)]);
}

std::optional<std::vector<MetricValues>> PlanPoints::measure(std::size_t choice, std::size_t look) {
    const std::size_t point = choices_.point(choice, look);
    if (!directory_.has_point(points_.keys[point])) {
        const PointRuns runs = run_points(plan_.sweep,
                                          points_,
                                          {point},
                                          experiments_,
                                          directory_,
                                          threads_,
                                          TableForm{},
                                          progress_,
                                          control_);
        if (!runs.failed.empty()) {
            throw ChoiceFailed(
                fmt::format("{}: {}", choices_[choice].name, runs.failed.front().why));
        }
        if (runs.interrupted) {
            return std::nullopt;
        }
        replications_run_ +=
            static_cast<std::size_t>(plan_.looks[look] - (look == 0 ? 0 : plan_.looks[look - 1]));
    }
    return read(folder(choice, look));
}

std::vector<MetricValues> PlanPoints::read(const std::filesystem::path& folder) const {
    const report::ReplicationTable table = report::read_replication_table(folder);
    std::vector<MetricValues> out(plan_.requirements.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const report::SweepTarget& target = plan_.requirements[i].target;
        const auto metric = std::ranges::find(table.metrics, target.metric);
        if (metric == table.metrics.end()) {
            continue;  // no replication had jobs of this kind
        }
        const auto column = static_cast<std::size_t>(metric - table.metrics.begin());
        std::vector<const report::ReplicationTable::Row*> rows;
        for (const auto& [seed, row] : table.by_seed) {
            rows.push_back(&row);
        }
        std::ranges::sort(rows, {}, [](const auto* row) { return row->replication; });
        for (const auto* row : rows) {
            add_figure(row->figures[column], target.at_most, out[i]);
        }
    }
    return out;
}

void check_requirements(const PlanSpec& plan, PointExperiments& experiments) {
    core::Diagnostics diagnostics;
    auto spec = read_experiment(experiments.resolved(0), diagnostics);
    diagnostics.throw_if_failed();
    spec->claims.clear();
    spec->expectations.clear();
    for (const PlanRequirement& requirement : plan.requirements) {
        Claim claim;
        claim.metric = requirement.target.metric;
        claim.span = requirement.span;
        spec->expectations.push_back(std::move(claim));
    }
    check_metric_names(*spec, diagnostics);
    diagnostics.throw_if_failed();
}

}  // namespace berth::experiments
