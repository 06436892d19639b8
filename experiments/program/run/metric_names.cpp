#include "experiments/program/run/metric_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "experiments/program/run/job_kinds.hpp"
#include "experiments/program/run/replicate.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "sim/job/records.hpp"
#include "sim/measure/job_metrics.hpp"

namespace berth::experiments {
namespace {

/// One job of every kind that the sources have, except traces.
std::vector<sim::Job> kinds_of_jobs(const std::vector<WorkloadSource>& workload) {
    std::vector<sim::Job> jobs;
    for (const WorkloadSource& source : workload) {
        if (const auto* list = std::get_if<JobList>(&source.what)) {
            std::ranges::copy(list->jobs, std::back_inserter(jobs));
        } else if (const auto* renewal = std::get_if<workloads::Renewal>(&source.what)) {
            std::ranges::transform(
                renewal->mix, std::back_inserter(jobs), &workloads::Renewal::Template::job);
        }
    }
    for (sim::Job& job : jobs) {
        job.submit = sim::SimTime(0);
    }
    return jobs;
}

bool has_traces(const std::vector<WorkloadSource>& workload) {
    return std::ranges::any_of(workload, [](const WorkloadSource& source) {
        return std::holds_alternative<TraceFile>(source.what);
    });
}

/// The names of metrics for kinds of jobs.
struct KindNames {
    std::vector<std::string> names;
    /// Whether the names are complete: there are no traces, and not so many kinds that some are
    /// left out.
    bool all = true;
};

std::vector<sim::JobKind> kinds_of(const ExperimentSpec& spec, std::vector<sim::Job> jobs) {
    sim::JobTimes times(*spec.topology, {});
    sim::JobMetrics metrics(times, *spec.topology, spec.settings);
    sim::JobRecord record;
    for (sim::Job& job : jobs) {
        record.job = std::move(job);
        times.submitted(record.job);
        times.recorded(record, sim::SimTime(0));
        metrics.job(record);
        ++record.arrival;
    }
    return metrics.kinds();
}

KindNames kind_names(const ExperimentSpec& spec) {
    std::vector<std::vector<sim::Metric>> found(1);
    KindNames out;
    out.all = add_job_kinds({kinds_of(spec, kinds_of_jobs(spec.workload))}, found).empty() &&
              !has_traces(spec.workload);
    std::ranges::transform(found.front(), std::back_inserter(out.names), &sim::Metric::name);
    return out;
}

/// The names before the brackets, which are the metrics of each kind of jobs.
std::vector<std::string> names_of_each_kind(const ExperimentSpec& spec) {
    std::vector<sim::Job> jobs(1);
    jobs.front().demand.resize(spec.topology->resources().size());
    std::vector<std::string> names;
    for (const sim::JobKind& kind : kinds_of(spec, std::move(jobs))) {
        std::ranges::transform(kind.metrics, std::back_inserter(names), &sim::Metric::name);
    }
    return names;
}

}  // namespace

std::vector<std::string> metric_names(const ExperimentSpec& spec) {
    ExperimentSpec idle = spec;
    idle.workload.clear();
    idle.outside.reset();  // the metrics do not depend on the scheduler
    idle.settings.until = sim::SimTime(0);
    core::Ledger ledger = cluster_of(idle, 0);
    sim::NoRecords nowhere;
    sim::RunControl control;
    std::vector<std::string> names;
    std::ranges::transform(replicate(idle, 0, ledger, nowhere, control).metrics,
                           std::back_inserter(names),
                           &sim::Metric::name);
    if (trace_rows_skipped(spec.workload)) {
        names.emplace_back("trace_rows_skipped");
    }
    return names;
}

void check_metric_names(const ExperimentSpec& spec, core::Diagnostics& diagnostics) {
    std::vector<const Claim*> claims;
    for (const auto* list : {&spec.claims, &spec.expectations}) {
        for (const Claim& claim : *list) {
            if (claim.kind == Claim::Kind::metric) {
                claims.push_back(&claim);
            }
        }
    }
    if (claims.empty()) {
        return;
    }
    std::vector<std::string> names = metric_names(spec);
    const KindNames kinds = kind_names(spec);
    const std::vector<std::string> of_each_kind = names_of_each_kind(spec);
    std::ranges::copy(kinds.names, std::back_inserter(names));
    const auto known = [&](const std::string& metric) {
        const std::string before = metric.substr(0, metric.find('['));
        const bool may_come = !kinds.all && metric.ends_with(']') &&
                              std::ranges::find(of_each_kind, before) != of_each_kind.end();
        return may_come || std::ranges::find(names, metric) != names.end();
    };
    for (const Claim* claim : claims) {
        if (!known(claim->metric)) {
            diagnostics.error(claim->span,
                              fmt::format("unknown metric '{}': expected one of this run's {}{}",
                                          claim->metric,
                                          names.size(),
                                          core::suggestion(claim->metric, names)));
        }
    }
}

}  // namespace berth::experiments
