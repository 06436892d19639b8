#include "experiments/program/run/experiment_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <variant>

#include "experiments/program/run/never_start.hpp"
#include "experiments/program/run/trace_warnings.hpp"

namespace berth::experiments {
namespace {

/// When the first job of a source can arrive; nothing: it has none.
std::optional<sim::SimTime> first_arrival(const WorkloadSource& source) {
    if (const auto* list = std::get_if<JobList>(&source.what)) {
        const auto first = std::ranges::min_element(list->jobs, {}, &sim::Job::submit);
        return first == list->jobs.end() ? std::nullopt : std::optional(first->submit);
    }
    if (const auto* renewal = std::get_if<workloads::Renewal>(&source.what)) {
        return renewal->start;
    }
    if (const auto* file = std::get_if<TraceFile>(&source.what)) {
        const workloads::TraceScan& scan = file->trace.scan;
        const bool timed = file->trace.plan.times == workloads::TraceTimes::recorded;
        return timed && scan.first_arrival ? *scan.first_arrival - scan.zero : sim::SimTime(0);
    }
    return std::nullopt;
}

/// A workload without jobs, and sources whose first job would come after the run has ended.
std::vector<std::string> jobs_that_never_arrive(const ExperimentSpec& spec) {
    std::vector<std::string> warnings;
    bool any = false;
    for (const WorkloadSource& source : spec.workload) {
        const auto first = first_arrival(source);
        any = any || first;
        if (first && *first > spec.settings.until) {
            warnings.push_back(
                fmt::format("{}: its first job arrives at {}, after the run has "
                            "ended at {}: expected a later until",
                            source.name,
                            sim::time_text(*first),
                            sim::time_text(spec.settings.until)));
        }
    }
    if (!any) {
        warnings.emplace_back(
            "the workload brings no jobs: expected pods, groups, generate or trace in "
            "spec.workload");
    }
    return warnings;
}

}  // namespace

std::vector<std::string> experiment_warnings(const ExperimentSpec& spec) {
    std::vector<std::string> warnings = jobs_that_never_arrive(spec);
    if (!spec.outside) {  // who is free to ignore constraints
        std::ranges::move(jobs_that_never_start(spec), std::back_inserter(warnings));
    }
    std::ranges::move(trace_warnings(spec), std::back_inserter(warnings));
    return warnings;
}

}  // namespace berth::experiments
