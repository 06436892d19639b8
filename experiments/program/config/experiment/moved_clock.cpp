#include "experiments/program/config/experiment/moved_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <variant>

namespace berth::experiments {
namespace {

using workloads::TraceScan;

bool is_moved(const TraceFile& file) {
    return file.trace.plan.times == workloads::TraceTimes::recorded && !file.says_zero &&
           file.trace.scan.zero > sim::SimTime(0);
}

bool is_since_1970(const TraceScan& scan) {
    constexpr sim::SimTime since_2001 = std::chrono::seconds(1'000'000'000);
    return scan.zero >= since_2001;
}

/// When the last job of a trace arrives, on the trace's own clock.
/// Cost: a pass over the trace.
sim::SimTime last_arrival(const TraceFile& file) {
    const auto reader = file.trace.open();
    workloads::TraceArrivals arrivals(*reader, file.trace.plan);
    workloads::TraceJob job;
    sim::SimTime last{};
    while (arrivals.next(job)) {
        last = std::max(last, workloads::arrival_of(job).value_or(last));
    }
    return last;
}

bool moved_far(const TraceFile& file) {
    constexpr std::int64_t hundredths = 100;
    const TraceScan& scan = file.trace.scan;
    const sim::SimTime end = scan.last_finish ? *scan.last_finish : last_arrival(file);
    return scan.zero >= (end - scan.zero) / hundredths;
}

/// Whether anything besides the trace has times of its own.
bool has_other_times(const ExperimentSpec& spec) {
    const sim::Settings& settings = spec.settings;
    const auto brings_jobs = [](const WorkloadSource& source) {
        return !std::holds_alternative<workloads::BackgroundLoad>(source.what) &&
               !std::holds_alternative<GivenBackground>(source.what);
    };
    return settings.until != sim::never || settings.window.from > sim::SimTime(0) ||
           settings.window.to != sim::never || !settings.node_changes.empty() ||
           !settings.drains.empty() || !spec.failures.recorded.empty() ||
           !settings.quota_changes().empty() ||
           std::ranges::count_if(spec.workload, brings_jobs) > 1;
}

bool matters(const ExperimentSpec& spec, const TraceFile& file) {
    return is_since_1970(file.trace.scan) || (has_other_times(spec) && moved_far(file));
}

std::string moved_text(const TraceScan& scan) {
    // A time since 1970 is written as in the trace.
    const bool since_1970 = is_since_1970(scan);
    return fmt::format(
        "the first job arrives at {} of the trace{}, and at 0 s of the run",
        since_1970 ? sim::format_seconds(scan.zero) + " s" : sim::time_text(scan.zero),
        since_1970 ? ", a time since 1970" : "");
}

}  // namespace

void warn_of_moved_clocks(const ExperimentSpec& spec, core::Diagnostics& diagnostics) {
    for (const WorkloadSource& source : spec.workload) {
        const auto* file = std::get_if<TraceFile>(&source.what);
        if (file != nullptr && is_moved(*file) && matters(spec, *file)) {
            diagnostics.warning(
                file->span,
                moved_text(file->trace.scan) +
                    ": set zero: trace to keep the trace's clock, or zero: first-arrival if "
                    "intended");
        }
    }
}

std::vector<std::string> notes_of_moved_clocks(const ExperimentSpec& spec) {
    std::vector<std::string> notes;
    for (const WorkloadSource& source : spec.workload) {
        const auto* file = std::get_if<TraceFile>(&source.what);
        if (file != nullptr && is_moved(*file) && !matters(spec, *file)) {
            notes.push_back(fmt::format("{}: {}", source.name, moved_text(file->trace.scan)));
        }
    }
    return notes;
}

}  // namespace berth::experiments
