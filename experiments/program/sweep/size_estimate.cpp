#include "experiments/program/sweep/size_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "sim/clock/time.hpp"
#include "sim/run/simulation.hpp"

namespace berth::experiments {
namespace {

double pods_of(const JobList& list) {
    double pods = 0;
    for (const sim::Job& job : list.jobs) {
        pods += static_cast<double>(job.size);
    }
    return pods;
}

double pods_of(const workloads::Renewal& renewal, sim::SimTime until) {
    double pods = 0;
    double weight = 0;
    for (const auto& entry : renewal.mix) {
        pods += entry.weight * static_cast<double>(entry.job.size);
        weight += entry.weight;
    }
    const double each = weight > 0 ? pods / weight : 1;
    if (renewal.count > 0) {
        return each * static_cast<double>(renewal.count);
    }
    const sim::SimTime end = std::min(renewal.until, until);
    const double seconds = end > renewal.start ? sim::seconds(end - renewal.start) : 0;
    return each * seconds / std::max(renewal.arrivals.mean(), 1e-9);
}

double pods_of(const WorkloadSource& source, sim::SimTime until) {
    if (const auto* list = std::get_if<JobList>(&source.what)) {
        return pods_of(*list);
    }
    if (const auto* renewal = std::get_if<workloads::Renewal>(&source.what)) {
        return pods_of(*renewal, until);
    }
    if (const auto* trace = std::get_if<TraceFile>(&source.what)) {
        return static_cast<double>(trace->trace.scan.jobs);
    }
    return 0;  // a background takes no time
}

double pods_of(const ExperimentSpec& spec) {
    double pods = 0;
    for (const WorkloadSource& source : spec.workload) {
        pods += pods_of(source, spec.settings.until);
    }
    return pods;
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
double samples_of(const ExperimentSpec& spec, double pods) {
    const sim::Settings& settings = spec.settings;
    double samples = settings.sample_arrivals ? pods : 0;
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
           (1 + pods_of(spec) + static_cast<double>(spec.topology->server_count()));
}

double bytes_estimate(const ExperimentSpec& spec) {
    constexpr double pod_row = 130;
    constexpr double sampled_value = 9;
    constexpr double sample_row = 20;
    constexpr double node_row = 80;
    constexpr double other_files = 8'000;
    const double pods = pods_of(spec);
    const auto columns =
        static_cast<double>(sim::sampled_metrics(*spec.topology, spec.settings.profile).size());
    constexpr double quota_row = 70;
    constexpr double own_quotas = 2;  // those that every run with quotas has besides
    const auto resources = static_cast<double>(spec.topology->resources().size());
    const double quota_rows =
        spec.settings.quotas
            ? (static_cast<double>(spec.settings.quotas->quotas.size()) + own_quotas) * resources
            : 0;
    const double sample = sample_row + sampled_value * columns + quota_row * quota_rows;
    const double replication =
        (spec.record_placements ? pods * pod_row : 0) + samples_of(spec, pods) * sample;
    return spec.replications * replication +
           node_row * static_cast<double>(spec.topology->server_count()) + other_files;
}

}  // namespace berth::experiments
