#include "workloads/trace/trace_scan.hpp"

#include <algorithm>

namespace berth::workloads {
namespace {

bool never_started(const TraceJob& job) {
    const bool waited_in_vain =
        job.status == TraceStatus::pending || job.status == TraceStatus::cancelled;
    return waited_in_vain && !job.start && !job.run_time;
}

void note_devices(const TraceJob& job, TraceScan& scan) {
    const bool share = job.gpus.count > 0 && job.gpus.milli < core::gpu_whole_milli;
    scan.gpus = scan.gpus || job.gpus.count > 0;
    scan.shares = scan.shares || share;
    scan.uneven_shares = scan.uneven_shares || (share && job.gpus.milli % 10 != 0);
    scan.models = scan.models || !job.gpus.models.empty();
    scan.nics = scan.nics || job.rdma_percent > 0;
}

}  // namespace

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

TraceScan scan_trace(TraceReader& reader, const TracePlan& plan) {
    TraceScan scan;
    TraceArrivals arrivals(reader, plan);
    std::optional<sim::SimTime> last_arrival;
    TraceJob job;
    while (arrivals.next(job)) {
        ++scan.jobs;
        const auto arrival = arrival_of(job);
        scan.by_time = scan.by_time && (arrival ? last_arrival <= arrival : !last_arrival);
        last_arrival = std::max(last_arrival, arrival);
        if (arrival) {
            scan.first_arrival = std::min(scan.first_arrival.value_or(*arrival), *arrival);
        }
        scan.last_finish = std::max(scan.last_finish, job.finish);
        const bool endless = !job.start && !job.finish && !job.run_time;
        scan.endless += endless && job.status == TraceStatus::unknown ? 1 : 0;
        scan.startless += job.submit && job.finish && !job.start && !job.run_time ? 1 : 0;
        note_devices(job, scan);
        if (job.topology.label) {
            scan.level_labels.insert(*job.topology.label);
        }
        if (const std::string& quota = quota_of(job, plan.quota); !quota.empty()) {
            scan.quotas.insert(quota);
        }
    }
    scan.unstarted = arrivals.unstarted();
    scan.skipped = reader.skipped();
    scan.notes = reader.notes();
    scan.zero = scan.first_arrival.value_or(sim::SimTime(0));
    if (plan.zero == TraceZero::trace) {
        scan.zero = std::min(scan.zero, sim::SimTime(0));
    }
    return scan;
}

void set_clock(TraceJob& job, const TraceScan& scan) {
    const auto arrival = arrival_of(job);
    std::optional<sim::SimTime> run_time = job.duration();
    if (!arrival && !run_time && job.finish) {
        run_time = std::max(sim::SimTime(0), *job.finish - scan.zero);
    }
    const bool cut_off =
        job.status == TraceStatus::running && job.finish && job.finish == scan.last_finish;
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
    if (plan.order == TraceOrder::time) {
        std::ranges::stable_sort(jobs, {}, &TraceJob::submit);
    }
    return jobs;
}

}  // namespace berth::workloads
