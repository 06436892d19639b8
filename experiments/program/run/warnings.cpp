#include "experiments/program/run/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "core/tree/gpu_resource.hpp"
#include "experiments/program/run/never_start.hpp"
#include "experiments/program/run/summary.hpp"
#include "sim/measure/gpu_time_ledger.hpp"
#include "sim/measure/warm_up.hpp"
#include "sim/profile/admission.hpp"
#include "workloads/trace/trace_doctor.hpp"

namespace berth::experiments {
namespace {

constexpr std::uintmax_t bytes_max = std::uintmax_t{64} << 20U;

constexpr std::string_view over_limit = "over_limit";

/// What happens to the jobs that a finding is about.
std::string_view outcome_of(std::string_view finding) {
    return finding == over_limit ? ", and run on: atLimit: stop in scheduler would stop them"
           : finding == "start_without_finish" || finding == "completed_without_finish"
               ? ", and run until their time limits, or without one until the run ends"
               : "";
}

bool matters(const workloads::TraceFinding& finding,
             const workloads::TracePlan& plan,
             const sim::Settings& settings) {
    return !finding.harmless && !(finding.name == over_limit && settings.limit_grace) &&
           !(finding.of_times && plan.times == workloads::TraceTimes::ignored) &&
           !(finding.name == "group_too_large" && !plan.gangs);
}

/// The findings of the trace doctor that matter to an experiment with these traces, one line each.
/// Cost: one more pass over each trace. Files above 64 MiB are not read for this; a line says so.
std::vector<std::string> trace_warnings(const ExperimentSpec& spec) {
    std::vector<std::string> warnings;
    for (const WorkloadSource& source : spec.workload) {
        const auto* file = std::get_if<TraceFile>(&source.what);
        if (file == nullptr) {
            continue;
        }
        std::error_code ignored;
        if (const auto bytes = std::filesystem::file_size(file->file, ignored);
            !ignored && bytes > bytes_max) {
            warnings.push_back(
                fmt::format("{}: {} is larger than 64 MiB and was not looked through: berth "
                            "workload {} --check does it",
                            source.name,
                            file->file,
                            file->file));
            continue;
        }
        const workloads::Trace& trace = file->trace;
        const workloads::TraceReport report = trace.report != nullptr
                                                  ? *trace.report
                                                  : workloads::examine(*trace.open(),
                                                                       spec.topology.get(),
                                                                       trace.plan.times,
                                                                       spec.settings.left_out());
        for (const workloads::TraceFinding& finding : report.findings) {
            if (matters(finding, trace.plan, spec.settings)) {
                const std::string_view outcome = outcome_of(finding.name);
                warnings.push_back(finding.count > 0
                                       ? fmt::format("{}: {}{}: the first is '{}', line {}",
                                                     source.name,
                                                     finding.text,
                                                     outcome,
                                                     finding.first,
                                                     finding.line)
                                       : fmt::format("{}: {}", source.name, finding.text));
            }
        }
    }
    return warnings;
}

/// The earliest time at which the first job of a source can arrive; nothing: it has no jobs.
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

/// Warnings about a workload without jobs, and about sources whose first job would arrive after the
/// end of the run.
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

/// With fewer replications, the deviation of their means is hardly known itself.
constexpr std::size_t replications_min = 5;
/// The number of independent waits of each replication that must lie beyond a percentile.
constexpr double beyond_min = 3;

const sim::Metric* find(const std::vector<sim::Metric>& metrics, std::string_view name) {
    const auto at = std::ranges::find(metrics, name, &sim::Metric::name);
    return at != metrics.end() && at->value ? &*at : nullptr;
}

/// The number of independent waits whose mean would vary as much as the means of the replications
/// do; nothing if they do not vary.
std::optional<double> independent_waits(std::span<const std::vector<sim::Metric>> replications) {
    std::vector<double> means;
    double squares = 0;
    for (const auto& metrics : replications) {
        const sim::Metric* mean = find(metrics, "job_wait_s_mean");
        if (mean == nullptr || !mean->spread) {
            return std::nullopt;
        }
        means.push_back(*mean->value);
        squares += *mean->spread * *mean->spread;
    }
    const double deviation = statistics_of(means).sd;
    if (deviation <= 0 || squares <= 0) {
        return std::nullopt;
    }
    return squares / static_cast<double>(means.size()) / (deviation * deviation);
}

bool varies(std::span<const std::vector<sim::Metric>> replications, std::string_view metric) {
    const sim::Metric* first = find(replications.front(), metric);
    return first != nullptr && std::ranges::any_of(replications, [&](const auto& metrics) {
               const sim::Metric* one = find(metrics, metric);
               return one != nullptr && *one->value != *first->value;
           });
}

/// A number with three digits, or with more if its whole part has more.
std::string three_digits(double value) {
    constexpr double thousand = 1000;
    return value < thousand ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

/// With fewer jobs, a mean is not meaningful in any case.
constexpr std::uint64_t jobs_min = 100;
/// By which factor a mean must rise when the distorting part is left out.
constexpr double clearly_higher = 1.05;
constexpr double drained = 1.1;
/// By which factor the queue must be longer in the last quarter of the arrivals than in the second.
constexpr double grown = 2;

/// A duration in the form of a document, in the largest unit in which it is at least 100.
std::string duration_value(sim::SimTime time) {
    for (const auto& [unit, suffix] : {std::pair<sim::SimTime, char>{std::chrono::hours(1), 'h'},
                                       {std::chrono::minutes(1), 'm'},
                                       {std::chrono::seconds(1), 's'}}) {
        if (time >= 100 * unit) {
            return fmt::format("{}{}", time / unit, suffix);
        }
    }
    return sim::format_seconds(time) + "s";
}

/// A warning about the queue if it is longer in each quarter of the arrivals than in the one
/// before.
std::string growing_queue(const sim::LoadHistory& history) {
    std::array<double, 4> waiting{};
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        const auto part = static_cast<std::int64_t>(i);
        waiting[i] =
            sim::mean_load(
                history, history.last_arrival / 4 * part, history.last_arrival / 4 * (part + 1))
                .waiting;
        if (i > 0 && waiting[i] <= waiting[i - 1]) {
            return "";
        }
    }
    if (waiting[3] < grown * waiting[1] || waiting[3] < 1) {
        return "";
    }
    return fmt::format(
        "not stationary: the queue grows from the first arrival to the last (on average {}, "
        "{}, {} and {} pods wait in the quarters of that time), so every mean depends "
        "on how long the run is: lower the load, add servers, or compare only runs of equal length",
        three_digits(waiting[0]),
        three_digits(waiting[1]),
        three_digits(waiting[2]),
        three_digits(waiting[3]));
}

std::string empty_beginning(const sim::LoadHistory& history) {
    const auto end = sim::end_of_warm_up(history);
    if (!end || end->count() == 0) {
        return "";
    }
    const double before = sim::mean_load(history, sim::SimTime(0), *end).in_system;
    const double after = sim::mean_load(history, *end).in_system;
    if (after < clearly_higher * sim::mean_load(history, sim::SimTime(0)).in_system) {
        return "";
    }
    return fmt::format(
        "warm-up: jobs that arrive in the first {} meet an emptier cluster than those after them "
        "({:.3g} pods in it on average, later {:.3g}), so mean waits and utilization are too low: "
        "set record.warmUp to auto, or record.from",
        sim::time_text(*end),
        before,
        after);
}

std::string emptying_end(const sim::LoadHistory& history,
                         const sim::Window& window,
                         const std::string& resource,
                         double utilization) {
    const double arriving = sim::mean_load(history, window.from).allocated;
    if (arriving < drained * utilization || utilization <= 0) {
        return "";
    }
    return fmt::format(
        "drain: utilization of {} is {:.2g} until the last arrival and {:.2g} on average, because "
        "the last jobs run out in an emptying cluster: set record.to to {}, the last arrival",
        resource,
        arriving,
        utilization,
        duration_value(history.last_arrival));
}

CountedJobs sum_of(std::span<const CountedJobs> jobs) {
    CountedJobs all;
    for (const CountedJobs& of_one : jobs) {
        all.add(of_one);
    }
    return all;
}

}  // namespace

std::vector<std::string> experiment_warnings(const ExperimentSpec& spec) {
    std::vector<std::string> warnings = jobs_that_never_arrive(spec);
    if (!spec.outside) {  // an outside scheduler may ignore constraints
        std::ranges::move(jobs_that_never_start(spec), std::back_inserter(warnings));
    }
    std::ranges::move(trace_warnings(spec), std::back_inserter(warnings));
    return warnings;
}

std::optional<std::string> given_up_warning(std::uint64_t jobs, std::uint32_t give_up_after) {
    if (jobs == 0) {
        return std::nullopt;
    }
    return fmt::format(
        "given up: {} {} after {} {} by failures; jobs.csv says which. Have checkpoints keep what "
        "is done between two interruptions, or raise scheduler.onFailure.giveUpAfter",
        jobs,
        jobs == 1 ? "job was dropped" : "jobs were dropped",
        give_up_after,
        give_up_after == 1 ? "interruption" : "interruptions");
}

void CountedJobs::add(const sim::JobRecord& record) {
    if (count++ == 0 || record.arrival < arrival) {
        arrival = record.arrival;
        first = fmt::format("{}: {}", record.job.name, record.reason);
    }
}

void CountedJobs::add(const CountedJobs& more) {
    first = count == 0 ? more.first : first;
    count += more.count;
}

std::optional<std::string> rejected_warning(const ExperimentSpec& spec,
                                            std::span<const CountedJobs> jobs) {
    const CountedJobs all = sum_of(jobs);
    if (all.count == 0 || spec.outside) {  // a scheduler from outside rejects as it wants
        return std::nullopt;
    }
    const sim::AdmissionSettings* admission = spec.settings.admission.get();
    const std::string_view remedy = admission != nullptr ? admission->remedy_of(all.first) : "";
    return fmt::format(
        "rejected: {} cannot take {} {}; jobs.csv says why of each, of the first: "
        "{}{}{}",
        admission != nullptr                 ? admission->name()
        : spec.settings.scheduler != nullptr ? "the scheduler"
                                             : "quotas",
        all.count,
        all.count == 1 ? "job" : "jobs",
        all.first,
        remedy.empty() ? "" : " ",
        remedy);
}

std::optional<std::string> never_arrived_warning(std::span<const CountedJobs> jobs) {
    const CountedJobs all = sum_of(jobs);
    if (all.count == 0) {
        return std::nullopt;
    }
    return fmt::format(
        "never arrived: {} still waited for others when the run ended, and {} among pods_waiting; "
        "jobs.csv says why of each, of the first: {}. Set a later until, a lifetime for the jobs "
        "that they wait for, or afterany where these need not end well",
        all.count == 1 ? "1 job" : fmt::format("{} jobs", all.count),
        all.count == 1 ? "counts" : "count",
        all.first);
}

std::optional<std::string> short_run_warning(std::span<const std::vector<sim::Metric>> replications,
                                             int percent) {
    const std::string metric = fmt::format("job_wait_s_p{}", percent);
    if (replications.size() < replications_min || !varies(replications, metric)) {
        return std::nullopt;
    }
    const std::optional<double> waits = independent_waits(replications);
    const double needed = beyond_min / (1 - percent / 100.0);
    if (!waits || *waits >= needed) {
        return std::nullopt;
    }
    const double worth = std::max(*waits, 1.0);
    return fmt::format(
        "short: a replication has about {:.0f} independent waits, and {} needs "
        "{:.0f}, so it is too low and its interval too narrow: make the run "
        "{:.0f} times as long, or use a lower percentile",
        worth,
        metric,
        needed,
        std::ceil(needed / worth));
}

std::string steady_resource(const core::Topology& tree) {
    const core::ResourceSchema& resources = tree.resources();
    if (sim::GpuTimeLedger::has_gpus(tree)) {
        return resources.name(*core::gpu_resource(tree));
    }
    return resources.find("cpu") || resources.size() == 0 ? "cpu" : resources.name(0);
}

std::vector<std::string> steady_warnings(const ExperimentSpec& spec,
                                         std::span<const sim::LoadHistory> histories,
                                         double utilization) {
    const sim::LoadHistory history = sim::average(histories);
    if (history.jobs < jobs_min || 2 * history.ended < history.jobs ||
        history.means.size() < sim::slices_min) {
        return {};
    }
    const sim::Window& window = spec.settings.window;
    std::vector<std::string> warnings;
    std::string growing = growing_queue(history);
    if (growing.empty() && window.from.count() == 0 && !spec.find_warm_up) {
        warnings.push_back(empty_beginning(history));
    }
    warnings.push_back(std::move(growing));
    if (window.to == sim::never) {
        warnings.push_back(
            emptying_end(history, window, steady_resource(*spec.topology), utilization));
    }
    std::erase(warnings, "");
    return warnings;
}

}  // namespace berth::experiments
