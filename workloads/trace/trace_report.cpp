/// What TraceDoctor concludes from all jobs once it has seen them.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/support/text.hpp"
#include "workloads/trace/trace_doctor.hpp"

namespace berth::workloads {

using sim::SimTime;

namespace {

/// If a larger share of the jobs is left out, the trace is a different workload.
constexpr double share_bearable = 0.05;
/// If more jobs than this end at one instant, they were cut off there.
constexpr double share_by_chance = 0.01;
constexpr std::uint64_t count_by_chance = 4;
constexpr double hour_share_bearable = 0.2;
constexpr double warm_up_bearable = 0.05;

bool is_subset(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
    return std::ranges::includes(whole, part);
}

double part_of(std::uint64_t count, std::uint64_t all) {
    return all == 0 ? 0 : static_cast<double>(count) / static_cast<double>(all);
}

TraceFinding of_times(std::string name, std::string text) {
    TraceFinding finding;
    finding.name = std::move(name);
    finding.text = std::move(text);
    finding.of_times = true;
    return finding;
}

/// Notes a load that is too much for the cluster.
void note_overload(const TraceLoad& load, const std::string& what, TraceReport& report) {
    // A resource that the cluster lacks altogether has findings of its own.
    const double capacity = load.capacity.value_or(0);
    if (capacity > 0 && load.average > capacity) {
        report.findings.push_back(of_times(
            "overloaded",
            fmt::format("demand for {} is {} of capacity, on average over the time of arrivals: "
                        "the queue keeps growing",
                        what,
                        percent_text(load.average / capacity))));
    }
    if (!report.mean_run_time_s && load.asked > capacity && capacity > 0) {
        report.findings.push_back(
            {"more_than_all",
             fmt::format("demand for {} is {} of capacity, all jobs together, and no job says "
                         "when it ends",
                         what,
                         percent_text(load.asked / capacity))});
    }
}

void note_bursts(TraceReport& report) {
    if (!report.first_submit || report.jobs < 2) {
        return;
    }
    const SimTime span = *report.last_submit - *report.first_submit;
    const double share = part_of(report.busiest_hour_jobs, report.jobs);
    if (span > std::chrono::hours(24) && share > hour_share_bearable) {
        report.findings.push_back(
            of_times("burst",
                     fmt::format("{} of all jobs are submitted within one hour of {:.4g}",
                                 percent_text(share),
                                 sim::seconds(span) / 3600)));
    }
    const double start_up = report.warm_up && span > SimTime(0)
                                ? sim::seconds(*report.warm_up) / sim::seconds(span)
                                : 0;
    if (start_up > warm_up_bearable) {
        report.findings.push_back(of_times(
            "warm_up",
            fmt::format("warm-up: the load takes {}, {} of the trace, to reach its median: "
                        "figures over all of it count a cluster that fills",
                        sim::time_text(*report.warm_up),
                        percent_text(start_up))));
    }
}

void judge(TraceReport& report, std::uint64_t never, std::uint64_t contradictory) {
    const auto reject = [&](std::string why) {
        report.verdict = TraceVerdict::not_usable;
        report.why.push_back(std::move(why));
    };
    if (report.jobs == 0) {
        reject("there is no job in it");
        return;
    }
    if (part_of(never, report.jobs) > share_bearable) {
        reject(fmt::format("{} of the jobs can never run on this cluster",
                           percent_text(part_of(never, report.jobs))));
    }
    if (part_of(contradictory, report.jobs) > share_bearable) {
        reject(fmt::format("the times of {} of the jobs contradict each other",
                           percent_text(part_of(contradictory, report.jobs))));
    }
    const std::uint64_t rows = report.jobs + report.skipped.count;
    if (part_of(report.skipped.count, rows) > share_bearable) {
        reject(fmt::format("{} of the rows are wrong and were skipped",
                           percent_text(part_of(report.skipped.count, rows))));
    }
    if (!report.why.empty()) {
        return;
    }
    for (const TraceFinding& finding : report.findings) {
        if (!finding.harmless) {
            report.verdict = TraceVerdict::with_care;
            report.why.push_back(finding.text);
        }
    }
}

}  // namespace

TraceReport TraceDoctor::report(const SkippedRows& skipped) const {
    TraceReport out = report_;
    out.skipped = skipped;
    for (const auto& [at, jobs] : by_hour_) {
        out.busiest_hour_jobs = std::max(out.busiest_hour_jobs, jobs);
    }
    if (with_run_time_ > 0) {
        out.mean_run_time_s = run_time_s_ / static_cast<double>(with_run_time_);
    }
    if (out.last_submit) {
        out.warm_up = (gpu_.asked > 0 ? curve_of_gpus_ : curve_of_cpus_).warm_up(*out.last_submit);
    }
    add_loads(out);
    add_findings(out);
    return out;
}

void TraceDoctor::add_loads(TraceReport& report) const {
    const auto load = [&](const std::string& name, const Sum& sum, std::optional<double> capacity) {
        return sum.load(name, report.first_submit, report.last_submit, capacity);
    };
    const auto gpus = [&](const std::vector<std::string>& models) {
        return limits_ ? std::optional(limits_->gpus(models) / core::gpu_whole_milli)
                       : std::nullopt;
    };
    if (cpu_.asked > 0) {
        const auto milli = limits_ ? limits_->cpu() : std::nullopt;
        report.loads.push_back(load("cpu", cpu_, milli ? std::optional(*milli / 1000) : milli));
    }
    if (memory_.asked > 0) {
        report.loads.push_back(load("memory", memory_, limits_ ? limits_->memory() : std::nullopt));
    }
    if (gpu_.asked > 0) {
        report.loads.push_back(load("gpu", gpu_, gpus({})));
    }
    for (const auto& [models, own] : by_models_) {
        Sum sum;
        for (const auto& [others, theirs] : by_models_) {
            if (!others.empty() && is_subset(others, models)) {
                sum.asked += theirs.asked;
                sum.seconds += theirs.seconds;
                sum.endless += theirs.endless;
                sum.endless_from += theirs.endless_from;
            }
        }
        if (!models.empty()) {
            report.gpu_models.push_back(load(core::join(models, "|"), sum, gpus(models)));
        }
    }
}

void TraceDoctor::add_findings(TraceReport& report) const {
    TraceFaults faults = faults_;
    const std::uint64_t at_end = at_last_instant_.count;
    if (at_end > count_by_chance && part_of(at_end, report.jobs) > share_by_chance) {
        faults[TraceFault::ends_with_trace] = at_last_instant_;
    }
    report.findings = faults.findings(report.jobs);
    if (report.skipped.count > 0) {
        const std::string& message = report.skipped.first;
        report.findings.push_back({"skipped_rows",
                                   fmt::format("wrong rows that were skipped: {}; the first: {}",
                                               report.skipped.count,
                                               message.substr(0, message.find('\n')))});
    }
    for (const TraceLoad& load : report.loads) {
        note_overload(load,
                      load.name == "cpu"   ? "CPUs"
                      : load.name == "gpu" ? "GPUs"
                                           : "bytes of memory",
                      report);
    }
    for (const TraceLoad& load : report.gpu_models) {
        note_overload(load, fmt::format("GPUs {}", load.name), report);
    }
    note_bursts(report);
    std::uint64_t never = 0;
    for (std::size_t fault = 0; never_runs(static_cast<TraceFault>(fault)); ++fault) {
        never += faults[static_cast<TraceFault>(fault)].count;
    }
    judge(report, never, contradictory_);
}

}  // namespace berth::workloads
