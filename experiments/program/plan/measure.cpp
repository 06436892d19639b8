#include "experiments/program/plan/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

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

/// A metric in the replications of a run, in their order; nothing if no replication had jobs of its
/// kind.
std::vector<report::ReplicationTable::Figure> figures_of(const report::ReplicationTable& table,
                                                         const std::string& metric) {
    const auto at = std::ranges::find(table.metrics, metric);
    if (at == table.metrics.end()) {
        return {};
    }
    const auto column = static_cast<std::size_t>(at - table.metrics.begin());
    std::vector<const report::ReplicationTable::Row*> rows;
    for (const auto& [seed, row] : table.by_seed) {
        rows.push_back(&row);
    }
    std::ranges::sort(rows, {}, [](const auto* row) { return row->replication; });
    std::vector<report::ReplicationTable::Figure> out;
    for (const auto* row : rows) {
        out.push_back(row->figures[column]);
    }
    return out;
}

}  // namespace

PlanPoints::PlanPoints(const PlanSpec& plan,
                       const PlanChoices& choices,
                       const SweepPlan& points,
                       const SweepDirectory& directory,
                       const RunPoint& run)
    : plan_(plan), choices_(choices), points_(points), directory_(directory), run_(run) {}

std::filesystem::path PlanPoints::folder(std::size_t choice, std::size_t look) const {
    return directory_.point(points_.keys[choices_.point(choice, look)]);
}

std::optional<std::vector<MetricValues>> PlanPoints::measure(std::size_t choice, std::size_t look) {
    const std::size_t point = choices_.point(choice, look);
    if (!directory_.has_point(points_.keys[point])) {
        const PointRuns runs = run_(point);
        if (runs.interrupted) {
            return std::nullopt;
        }
        if (!runs.failed.empty()) {
            const std::string& why = runs.failed.front().why;
            throw std::runtime_error(
                fmt::format("{}: {}", choices_[choice].name, why.substr(0, why.find('\n'))));
        }
        replications_run_ +=
            static_cast<std::size_t>(plan_.looks[look] - (look == 0 ? 0 : plan_.looks[look - 1]));
    }
    return read(folder(choice, look));
}

std::vector<MetricValues> PlanPoints::read(const std::filesystem::path& folder) const {
    const report::ReplicationTable table = report::read_replication_table(folder);
    std::vector<MetricValues> out;
    for (const PlanRequirement& requirement : plan_.requirements) {
        MetricValues& metric = out.emplace_back();
        for (const auto& figure : figures_of(table, requirement.target.metric)) {
            add_figure(figure, requirement.target.at_most, metric);
        }
    }
    return out;
}

double PlanPoints::pods_each(std::size_t choice) const {
    const report::ReplicationTable table = report::read_replication_table(folder(choice, 0));
    const auto pods = figures_of(table, "pods_submitted");
    double sum = 0;
    for (const auto& figure : pods) {
        sum += figure.value.value_or(0);
    }
    return sum / static_cast<double>(pods.size());
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
