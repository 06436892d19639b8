#include "experiments/program/calibrate/recorded_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "workloads/trace/trace_scan.hpp"

namespace berth::experiments {
namespace {

/// The keys of a trace with which its jobs are no longer those that were recorded.
std::vector<std::string> changing_keys(const workloads::TracePlan& plan) {
    const workloads::TraceChanges& changes = plan.changes;
    std::vector<std::string> keys;
    const auto note = [&](bool changes_jobs, const char* key) {
        if (changes_jobs) {
            keys.emplace_back(key);
        }
    };
    note(plan.times == workloads::TraceTimes::ignored, "times: ignored");
    note(changes.sample < 1, "sample");
    note(changes.bootstrap > 0, "bootstrap");
    note(changes.shuffle, "shuffle");
    note(changes.tune_milli.has_value(), "tune");
    note(changes.inflate != 1, "inflate");
    note(changes.rate != 1, "rate");
    note(changes.durations != 1, "durations");
    return keys;
}

void add_job(const workloads::TraceJob& job,
             const workloads::Trace& trace,
             std::vector<RecordedJob>& jobs) {
    const auto on_the_clock = [&](const std::optional<sim::SimTime>& time) {
        return time ? std::optional(*time - trace.scan.zero) : std::nullopt;
    };
    std::optional<sim::SimTime> finish = job.finish;
    if (!finish && job.start && job.run_time) {
        finish = *job.start + *job.run_time;
    }
    const RecordedJob recorded{job.name,
                               job.queue,
                               on_the_clock(job.submit),
                               on_the_clock(job.start),
                               on_the_clock(finish)};
    if (trace.plan.gangs || job.members <= 1) {
        jobs.push_back(recorded);
        return;
    }
    for (core::Members member = 0; member < job.members; ++member) {
        jobs.push_back(recorded);
        jobs.back().name += fmt::format("-{}", member);
    }
}

void add_trace(const TraceFile& file, std::vector<RecordedJob>& jobs) {
    if (const auto keys = changing_keys(file.trace.plan); !keys.empty()) {
        throw core::InputError(
            file.span,
            fmt::format("the run's jobs are not those that were recorded: leave out {} to compare "
                        "them",
                        core::join(keys, ", ")));
    }
    const auto reader = file.trace.open();
    workloads::TraceArrivals arrivals(*reader, file.trace.plan);
    workloads::TraceJob job;
    const std::size_t first = jobs.size();
    while (arrivals.next(job)) {
        add_job(job, file.trace, jobs);
    }
    const auto added =
        std::ranges::subrange(jobs.begin() + static_cast<std::ptrdiff_t>(first), jobs.end());
    if (std::ranges::none_of(added,
                             [](const RecordedJob& one) { return one.start && one.submit; })) {
        throw core::InputError(
            file.span,
            "no job of the trace has both a submit time and a start: expected a trace that tells "
            "when its jobs started, such as sacct's");
    }
}

}  // namespace

std::vector<RecordedJob> read_recorded_jobs(const std::string& file, const ExperimentSpec& spec) {
    std::vector<RecordedJob> jobs;
    bool has_trace = false;
    bool by_time = true;
    for (const WorkloadSource& source : spec.workload) {
        if (const auto* trace = std::get_if<TraceFile>(&source.what)) {
            has_trace = true;
            by_time = by_time && trace->trace.plan.order == workloads::TraceOrder::time;
            add_trace(*trace, jobs);
        }
    }
    if (by_time) {
        std::ranges::stable_sort(jobs, {}, &RecordedJob::submit);
    }
    if (!has_trace) {
        throw core::InputError(fmt::format(
            "{}: error: no workload of it is a trace: expected 'trace: {{file: ...}}' with the "
            "recorded starts of jobs",
            file));
    }
    return jobs;
}

}  // namespace berth::experiments
