#include "workloads/trace/trace_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/support/source.hpp"
#include "sim/job/asked_together.hpp"

namespace berth::workloads {
namespace {

void note_devices(const TraceJob& job, TraceScan& scan) {
    const bool share = job.gpus.count > 0 && job.gpus.milli < core::gpu_whole_milli;
    scan.gpus = scan.gpus || job.gpus.count > 0;
    scan.shares = scan.shares || share;
    scan.uneven_shares = scan.uneven_shares || (share && job.gpus.milli % 10 != 0);
    scan.models = scan.models || !job.gpus.models.empty();
    scan.nics = scan.nics || job.rdma_percent > 0;
    scan.trains = scan.trains || job.training != nullptr;
}

}  // namespace

bool never_started(const TraceJob& job) {
    const bool waited_in_vain =
        job.status == TraceStatus::pending || job.status == TraceStatus::cancelled;
    return waited_in_vain && !job.start && !job.run_time;
}

std::optional<sim::SimTime> arrival_of(const TraceJob& job) {
    return job.submit ? job.submit : job.start;
}

const std::string& quota_of(const TraceJob& job, TraceQuota quota) {
    static const std::string none;
    return quota == TraceQuota::queue ? job.queue : quota == TraceQuota::user ? job.user : none;
}

bool TraceArrivals::next(TraceJob& job) {
    while ((plan_.limit == 0 || read_ < plan_.limit) && reader_.next(job)) {
        ++read_;
        if (plan_.times == TraceTimes::ignored || !never_started(job)) {
            return true;
        }
        ++unstarted_;
    }
    return false;
}

namespace {

/// Errors: InputError if the pods of a job together request more than a run can count.
void check_amounts(const TraceJob& job, std::uint64_t line) {
    const core::Members pods = std::max<core::Members>(job.members, 1);
    const bool is_counted =
        sim::can_be_asked(job.cpu_milli, pods) && sim::can_be_asked(job.memory_bytes, pods) &&
        sim::can_be_asked(job.rdma_percent, pods) &&
        job.gpus.count <= sim::asked_together_max / core::gpu_whole_milli / pods;
    if (!is_counted) {
        throw core::InputError(
            fmt::format("line {}: job {} asks for more than a run can count: expected at most {} "
                        "bytes, and thousandths of CPUs and GPUs, in all its pods",
                        line,
                        job.name,
                        sim::asked_together_max));
    }
}

/// Gathers facts about a trace, job by job.
class Scanner {
public:
    explicit Scanner(const TracePlan& plan) : plan_(plan) {}

    /// `line`: where the job begins.
    void add(const TraceJob& job, std::uint64_t line) {
        check_amounts(job, line);
        ++scan_.jobs;
        const auto arrival = arrival_of(job);
        scan_.by_time = scan_.by_time && (arrival ? last_arrival_ <= arrival : !last_arrival_);
        last_arrival_ = std::max(last_arrival_, arrival);
        if (arrival) {
            scan_.first_arrival = std::min(scan_.first_arrival.value_or(*arrival), *arrival);
        }
        scan_.last_finish = std::max(scan_.last_finish, job.finish);
        const bool endless = !job.start && !job.finish && !job.run_time && !job.time_limit;
        scan_.endless += endless && job.status == TraceStatus::unknown ? 1 : 0;
        scan_.startless +=
            job.submit && job.finish && !job.start && !job.run_time && !job.time_limit ? 1 : 0;
        note_devices(job, scan_);
        if (job.topology.label) {
            scan_.level_labels.insert(*job.topology.label);
        }
        if (job.conditions) {
            note_conditions(*job.conditions);
        }
        if (const std::string& quota = quota_of(job, plan_.quota); !quota.empty()) {
            scan_.quotas.insert(quota);
        }
    }

    [[nodiscard]] TraceScan finish(const TraceReader& reader, const TraceArrivals& arrivals) && {
        scan_.unstarted = arrivals.unstarted();
        scan_.skipped = reader.skipped();
        scan_.notes = reader.notes();
        scan_.zero = scan_.first_arrival.value_or(sim::SimTime(0));
        if (plan_.zero == TraceZero::trace) {
            scan_.zero = std::min(scan_.zero, sim::SimTime(0));
        }
        return std::move(scan_);
    }

private:
    void note_conditions(const TraceConditions& conditions) {
        if (!conditions.nodes.empty()) {
            ++scan_.node_rules[conditions.nodes];
        }
        for (const TraceDependency& one : conditions.after) {
            ++scan_.followed[one.name].dependencies;
        }
    }

    const TracePlan& plan_;
    TraceScan scan_;
    std::optional<sim::SimTime> last_arrival_;
};

void put_in_order(std::vector<TraceJob>& jobs, const TracePlan& plan) {
    if (plan.order == TraceOrder::time) {
        std::ranges::stable_sort(jobs, {}, &TraceJob::submit);
    }
}

}  // namespace

TraceScan scan_trace(TraceReader& reader, const TracePlan& plan) {
    Scanner scanner(plan);
    TraceArrivals arrivals(reader, plan);
    TraceJob job;
    while (arrivals.next(job)) {
        scanner.add(job, reader.line());
    }
    return std::move(scanner).finish(reader, arrivals);
}

namespace {

std::uint64_t dependencies_in(const TraceScan& scan) {
    std::uint64_t count = 0;
    for (const auto& [name, followed] : scan.followed) {
        count += followed.dependencies;
    }
    return count;
}

}  // namespace

bool leave_out_dependencies(const TracePlan& plan, TraceScan& scan) {
    const bool tells_all = plan.times == TraceTimes::recorded && plan.changes.sample == 1 &&
                           !plan.changes.need_all_jobs();
    if (scan.followed.empty() || tells_all) {
        return false;
    }
    scan.notes.push_back(
        fmt::format("{} dependencies of jobs on others are not looked at where times are ignored "
                    "or jobs are sampled, drawn, moved or added",
                    dependencies_in(scan)));
    scan.followed.clear();
    return true;
}

void count_followed(TraceReader& reader, const TracePlan& plan, TraceScan& scan) {
    const std::uint64_t dependencies = dependencies_in(scan);
    TraceArrivals arrivals(reader, plan);
    for (TraceJob job; arrivals.next(job);) {
        const auto jobs = static_cast<std::uint32_t>(plan.gangs ? 1 : job.members);
        for (const std::string* name : {&job.name, &job.application}) {
            if (const auto found = scan.followed.find(*name); found != scan.followed.end()) {
                found->second.jobs += jobs;
            }
        }
    }
    std::uint64_t lost = 0;
    std::erase_if(scan.followed, [&](const auto& named) {
        lost += named.second.jobs == 0 ? named.second.dependencies : 0;
        return named.second.jobs == 0;
    });
    if (lost > 0) {
        scan.notes.push_back(
            fmt::format("{} of {} dependencies are on jobs that do not arrive: they are taken as "
                        "ended before",
                        lost,
                        dependencies));
    }
}

WholeTrace read_whole_trace(TraceReader& reader, const TracePlan& plan) {
    WholeTrace trace;
    Scanner scanner(plan);
    TraceArrivals arrivals(reader, plan);
    for (TraceJob job; arrivals.next(job);) {
        scanner.add(job, reader.line());
        trace.jobs.push_back(std::move(job));
    }
    trace.scan = std::move(scanner).finish(reader, arrivals);
    for (TraceJob& job : trace.jobs) {
        set_clock(job, trace.scan);
    }
    put_in_order(trace.jobs, plan);
    return trace;
}

namespace {

/// Whether a job may have no run time because it has not ended.
bool may_go_on(const TraceJob& job) {
    return job.status == TraceStatus::running || job.status == TraceStatus::pending;
}

}  // namespace

void set_clock(TraceJob& job, const TraceScan& scan) {
    const auto arrival = arrival_of(job);
    std::optional<sim::SimTime> run_time = job.duration();
    if (!arrival && !run_time && job.finish) {
        run_time = std::max(sim::SimTime(0), *job.finish - scan.zero);
    }
    const bool cut_off =
        job.status == TraceStatus::running && job.finish && job.finish == scan.last_finish;
    if (!run_time && job.time_limit && !may_go_on(job)) {
        run_time = job.time_limit;  // it has ended, and not later than that
    }
    job.run_time = cut_off ? std::nullopt : run_time;
    job.submit = arrival ? *arrival - scan.zero : sim::SimTime(0);
    job.start.reset();
    job.finish.reset();
}

std::vector<TraceJob> load_trace(TraceReader& reader,
                                 const TracePlan& plan,
                                 const TraceScan& scan) {
    std::vector<TraceJob> jobs;
    TraceArrivals arrivals(reader, plan);
    TraceJob job;
    while (arrivals.next(job)) {
        set_clock(job, scan);
        jobs.push_back(std::move(job));
    }
    put_in_order(jobs, plan);
    return jobs;
}

}  // namespace berth::workloads
