#include "experiments/sweep/size_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "sim/time.hpp"

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

}  // namespace

double size_estimate(const ExperimentSpec& spec) {
    double pods = 1;
    for (const WorkloadSource& source : spec.workload) {
        pods += pods_of(source, spec.settings.until);
    }
    return spec.replications * (pods + static_cast<double>(spec.topology->server_count()));
}

}  // namespace berth::experiments
