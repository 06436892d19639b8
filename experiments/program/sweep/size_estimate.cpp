#include "experiments/program/sweep/size_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "sim/clock/time.hpp"
#include "sim/run/simulation.hpp"

namespace berth::experiments {
namespace {

/// What comes to a run.
struct Arrivals {
    double jobs = 0;
    double pods = 0;
};

Arrivals arrivals_of(const JobList& list) {
    Arrivals all{.jobs = static_cast<double>(list.jobs.size())};
    for (const sim::Job& job : list.jobs) {
        all.pods += static_cast<double>(job.size);
    }
    return all;
}

Arrivals arrivals_of(const workloads::Renewal& renewal, sim::SimTime until) {
    double pods = 0;
    double weight = 0;
    for (const auto& entry : renewal.mix) {
        pods += entry.weight * static_cast<double>(entry.job.size);
        weight += entry.weight;
    }
    const double each = weight > 0 ? pods / weight : 1;
    const sim::SimTime end = std::min(renewal.until, until);
    const double seconds = end > renewal.start ? sim::seconds(end - renewal.start) : 0;
    const double jobs = renewal.count > 0 ? static_cast<double>(renewal.count)
                                          : seconds / std::max(renewal.arrivals.mean(), 1e-9);
    return {jobs, each * jobs};
}

Arrivals arrivals_of(const WorkloadSource& source, sim::SimTime until) {
    if (const auto* list = std::get_if<JobList>(&source.what)) {
        return arrivals_of(*list);
    }
    if (const auto* renewal = std::get_if<workloads::Renewal>(&source.what)) {
        return arrivals_of(*renewal, until);
    }
    if (const auto* trace = std::get_if<TraceFile>(&source.what)) {
        const auto jobs = static_cast<double>(trace->trace.scan.jobs);
        return {jobs, jobs};
    }
    return {};  // a background takes no time
}

Arrivals arrivals_of(const ExperimentSpec& spec) {
    Arrivals all;
    for (const WorkloadSource& source : spec.workload) {
        const Arrivals own = arrivals_of(source, spec.settings.until);
        all.jobs += own.jobs;
        all.pods += own.pods;
    }
    return all;
}

/// Seconds until the last arrival of a source; 0 where nobody knows before the run.
double span_of(const WorkloadSource& source, sim::SimTime until) {
    if (const auto* list = std::get_if<JobList>(&source.what)) {
        sim::SimTime last{};
        for (const sim::Job& job : list->jobs) {
            last = std::max(last, job.submit);
        }
        return sim::seconds(last);
    }
    if (const auto* renewal = std::get_if<workloads::Renewal>(&source.what)) {
        const sim::SimTime end = std::min(renewal->until, until);
        return renewal->count > 0 ? static_cast<double>(renewal->count) * renewal->arrivals.mean()
                                  : sim::seconds(end - renewal->start);
    }
    if (const auto* trace = std::get_if<TraceFile>(&source.what)) {
        const workloads::TraceScan& scan = trace->trace.scan;
        return scan.first_arrival && scan.last_finish
                   ? sim::seconds(*scan.last_finish - *scan.first_arrival)
                   : 0;
    }
    return 0;
}

/// Rows of timeseries.csv of one replication.
double samples_of(const ExperimentSpec& spec, double jobs) {
    const sim::Settings& settings = spec.settings;
    double samples = settings.sample_arrivals ? jobs : 0;
    if (settings.sample_every > sim::SimTime(0)) {
        double span = settings.until == sim::never ? 0 : sim::seconds(settings.until);
        for (const WorkloadSource& source : spec.workload) {
            span = std::max(span, span_of(source, settings.until));
        }
        samples += span / sim::seconds(settings.sample_every);
    }
    return samples;
}

}  // namespace

double size_estimate(const ExperimentSpec& spec) {
    return spec.replications *
           (1 + arrivals_of(spec).pods + static_cast<double>(spec.topology->server_count()));
}

double bytes_estimate(const ExperimentSpec& spec) {
    // In bytes, of runs of all kinds; a row of a run that has much in it is twice as long.
    constexpr double job_row = 120;
    constexpr double pod_row = 120;
    // Few values change between two samples of a long run, and nearly all at an arrival.
    const double sampled_value = spec.settings.sample_arrivals ? 17 : 9;
    constexpr double sample_row = 20;
    constexpr double quota_row = 85;
    constexpr double node_row = 80;
    constexpr double other_files = 8'000;
    const Arrivals arrivals = arrivals_of(spec);
    const auto columns =
        static_cast<double>(sim::sampled_metrics(*spec.topology, spec.settings.profile).size());
    constexpr double own_quotas = 2;  // those that every run with quotas has besides
    const auto resources = static_cast<double>(spec.topology->resources().size());
    const double quota_rows =
        spec.settings.quotas
            ? (static_cast<double>(spec.settings.quotas->quotas.size()) + own_quotas) * resources
            : 0;
    const double sample = sample_row + sampled_value * columns + quota_row * quota_rows;
    const double replication = arrivals.jobs * job_row +
                               (spec.record_placements ? arrivals.pods * pod_row : 0) +
                               samples_of(spec, arrivals.jobs) * sample;
    return spec.replications * replication +
           node_row * static_cast<double>(spec.topology->server_count()) + other_files;
}

}  // namespace berth::experiments
