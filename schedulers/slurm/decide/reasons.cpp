#include <algorithm>
#include <iterator>

#include "schedulers/slurm/decide/controller.hpp"

namespace berth::core::slurm {

std::vector<JobIndex> Controller::before(JobIndex job) const {
    std::vector<JobIndex> before;
    std::ranges::copy_if(waiting_, std::back_inserter(before), [&](JobIndex other) {
        return other != job && comes_before(other, job);
    });
    return before;
}

std::string Controller::reason_of(JobIndex index, Seconds now) const {
    const HeldJob& held = jobs_[index];
    const Job& job = held.job;
    const Partition& partition = partition_of(job);
    if (partition.is_down) {
        return "PartitionDown";
    }
    if (job.is_beyond_partition) {
        return job.limit > partition.max_time ? "PartitionTimeLimit" : "PartitionNodeLimit";
    }
    if (held.priority == 0) {
        return "JobHeldUser";
    }
    if (held.not_before > now) {
        return "BeginTime";
    }
    if (!std::ranges::all_of(job.after, [&](JobIndex other) { return has_ended(other); })) {
        return "Dependency";
    }
    if (!array_is_open(job)) {
        return "JobArrayTaskLimit";
    }
    if (!has_licenses(job)) {
        return "Licenses";
    }
    if (is_held(job)) {
        return "QOSResourceLimit";
    }
    // The first job of its partition that nothing else holds back waits for resources.
    const bool is_first = std::ranges::none_of(before(index), [&](JobIndex other) {
        const HeldJob& ahead = jobs_[other];
        return ahead.job.partition == job.partition && !ahead.job.is_beyond_partition &&
               ahead.not_before <= now && array_is_open(ahead.job) && has_licenses(ahead.job) &&
               !is_held(ahead.job);
    });
    return is_first ? "Resources" : "Priority";
}

}  // namespace berth::core::slurm
