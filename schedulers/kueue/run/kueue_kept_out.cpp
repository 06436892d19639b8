/// What `berth why` asks about a job that waits for quota.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "core/support/text.hpp"
#include "schedulers/kueue/run/kueue_admission.hpp"
#include "schedulers/kueue/run/kueue_inquiry.hpp"

namespace berth::sim {

namespace kueue = core::kueue;

using kueue::PendingId;

/// The flavors that its ClusterQueue has for the resources that it asks for, in the order in which
/// they are tried.
std::string KueueAdmission::flavors_of(JobId id) {
    const kueue::Workload workload = workload_of(id);
    std::vector<std::string> names;
    for (const kueue::ResourceGroup& group : cache_.queue(*known(id).queue).groups) {
        const auto asks = [&](kueue::ResourceId resource) {
            return workload.totals.front().requests.contains(resource);
        };
        if (std::ranges::any_of(group.resources, asks)) {
            for (const kueue::FlavorId flavor : group.flavors) {
                names.push_back(cache_.names()[flavor]);
            }
        }
    }
    return core::join(names, ", ");
}

std::string KueueAdmission::what_keeps_out(JobId id) {
    const Known& job = known(id);
    const kueue::ClusterQueue& queue = cache_.queue(*job.queue);
    if (!cache_.is_active(*job.queue)) {
        return fmt::format("{} ClusterQueue {}",
                           queue.stop != kueue::StopPolicy::none ? "stopped" : "inactive",
                           queue.name);
    }
    if (job.held_back) {
        return "stopped LocalQueue";
    }
    const PendingId pending{id.index};
    if (!queues_.waits(pending)) {
        return "backoff after its pods were not ready";
    }
    const auto next = queues_.next_of(*job.queue);
    if (queue.strategy == kueue::QueueingStrategy::strict_fifo && next && *next != pending) {
        return fmt::format("StrictFIFO, behind {}", queues_.workload(*next).name);
    }
    const bool for_another = job.message.empty() && queues_.is_parked(pending);
    const std::string with = for_another ? ", parked with equals" : "";
    switch (for_another ? queues_.lack_when_parked(pending) : job.lack) {
        case kueue::Lack::flavor:
            return "no matching flavor" + with;
        case kueue::Lack::quota_for_good:
            return fmt::format("all that it could have of {}{}", flavors_of(id), with);
        case kueue::Lack::quota:
            return fmt::format("quota of {}{}", flavors_of(id), with);
        case kueue::Lack::places:
            return fmt::format("topology of {}{}", flavors_of(id), with);
        case kueue::Lack::leaving:
            return "preempted workloads that have not stopped yet";
        case kueue::Lack::turn:
        case kueue::Lack::none:
        case kueue::Lack::active_queue:
            break;
    }
    return "others that go first";
}

KeptOut KueueAdmission::kept_out(JobId id) {
    const Known& job = known(id);
    if (!job.queue) {
        return {};
    }
    if (job.being_written) {
        return {"It has quota, and its admission is being written to the API server.",
                "an admission that is being written",
                job.looks};
    }
    if (job.held) {
        return {"It has quota and places, which others have not left yet.",
                "places that others are leaving",
                job.looks};
    }
    const PendingId pending{id.index};
    const std::uint64_t parked = queues_.waits(pending) ? queues_.times_parked(pending) : 0;
    return {explain(id), what_keeps_out(id), job.looks + parked};
}

/// When it is offered again if nothing happens before; nothing if that is not known.
std::optional<SimTime> KueueAdmission::offered_again(JobId id) {
    const Known& job = known(id);
    const PendingId pending{id.index};
    if (job.task) {
        return job.task->at;
    }
    if (!queues_.is_parked(pending)) {
        return is_resting() ? std::optional(rests_until_) : std::nullopt;
    }
    const kueue::QuotaNode root = cache_.tree().root(*job.queue);
    const auto retry = std::ranges::find_if(tasks_, [&](const Task& one) {
        return one.kind == Task::Kind::retry &&
               cache_.tree().root(kueue::QuotaNode{one.of}) == root;
    });
    return retry == tasks_.end() ? std::nullopt : std::optional(retry->at);
}

std::shared_ptr<Inquiry> KueueAdmission::inquire(JobId id) {
    const Known& job = known(id);
    if (!job.queue || job.held || job.held_back) {
        return nullptr;
    }
    const PendingId pending{id.index};
    const auto waiter = [&](JobId of) {
        const PendingId number{of.index};
        const kueue::Workload& workload = queues_.workload(number);
        return KueueMoment::Waiter{
            of, workload, queues_.is_parked(number), queues_.preemptor(*workload.queue) == number};
    };
    const bool waits = queues_.waits(pending);
    KueueMoment moment{actions_.now(),
                       cycles_ + 1,
                       settings_,
                       actions_.cluster(),
                       cache_.spec(),
                       cache_.local_queues(),
                       {},
                       waits ? waiter(id) : KueueMoment::Waiter{id, workload_of(id)},
                       {},
                       waits ? queues_.size_of_class(pending) - 1 : 0,
                       std::nullopt};
    const std::set<JobId> starting(starting_.begin(), starting_.end());
    for (const auto& [workload, holder] : holders_) {
        moment.held.push_back({holder, cache_.workload(workload), starting.contains(holder)});
    }
    for (const PendingId other : queues_.waiting()) {
        if (other != pending) {
            moment.others.push_back(waiter(JobId{other.index}));
        }
    }
    // Sorted by arrival, because ids are given again to later jobs.
    const auto by_arrival = [](const auto& one) -> const std::string& { return one.workload.uid; };
    std::ranges::sort(moment.held, {}, by_arrival);
    std::ranges::sort(moment.others, {}, by_arrival);
    moment.offered_again = offered_again(id);
    return std::make_shared<KueueInquiry>(std::move(moment));
}

}  // namespace berth::sim
