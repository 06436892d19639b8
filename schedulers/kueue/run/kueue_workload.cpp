#include "schedulers/kueue/run/kueue_workload.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace berth::sim {

namespace kueue = core::kueue;

KueueWorkloads::KueueWorkloads(const core::ResourceSchema& resources, kueue::Names& names)
    : pods_(names.resource("pods")) {
    for (std::size_t r = 0; r < resources.size(); ++r) {
        const bool cpu = resources.name(r) == "cpu";  // Kueue also counts it in thousandths
        resources_.push_back(
            {names.resource(resources.name(r)), cpu ? core::Amount{1} : resources.per_unit(r)});
    }
}

kueue::Workload KueueWorkloads::make(const Job& job,
                                     std::uint64_t arrival,
                                     const kueue::Cache& cache,
                                     kueue::QuotaNode queue) const {
    kueue::PodSet set;
    set.name = "main";
    set.count = job.size;
    set.min_count = job.min_available;
    set.pod_requests = job.demand.in_a_vector();
    if (const auto nodes = NodeSelector::of_pods(job.nodes); nodes != nullptr) {
        set.node_selector = nodes->rules()->selector;
        set.tolerations = nodes->rules()->tolerations;
        set.affinity = nodes->rules()->required.value_or(std::vector<core::NodeSelectorTerm>());
    }
    kueue::PodSetResources total;
    total.count = job.size;
    for (std::size_t r = 0; r < resources_.size(); ++r) {
        if (job.demand[r] > 0 && resources_[r].id != pods_) {  // Kueue counts pods itself
            const core::Amount unit = resources_[r].unit;
            const core::Amount of_pod = (job.demand[r] + unit - 1) / unit;
            total.requests[resources_[r].id] = kueue::times(of_pod, job.size);
        }
    }
    kueue::Workload workload;
    workload.name = job.name;
    workload.uid = fmt::format("{:020}", arrival);
    workload.queue_name = cache.queue(queue).name;
    workload.queue = queue;
    workload.local_queue = job.quota;
    workload.priority = job.priority;
    workload.created = kueue_time(job.submit);
    workload.pod_sets.push_back(std::move(set));
    workload.totals.push_back(std::move(total));
    return workload;
}

void KueueWorkloads::set_size(kueue::Workload& workload, core::Members size) {
    workload.totals.front() = workload.totals.front().scaled_to(size);
    workload.last.reset();
}

kueue::ResourceAmounts by_resource(const kueue::FlavorResourceAmounts& usage) {
    kueue::ResourceAmounts amounts;
    for (const auto& [what, amount] : usage) {
        kueue::add_to(amounts, what.resource, amount);
    }
    return amounts;
}

kueue::ResourceAmounts entry_requests(const kueue::Workload& asked, const kueue::Cache& cache) {
    kueue::ResourceAmounts requests;
    for (const kueue::PodSetResources& set : asked.totals) {
        for (const auto& [resource, amount] : set.requests) {
            if (!cache.configuration().ignore_undeclared ||
                cache.queue(*asked.queue).group_of(resource) != nullptr) {
                kueue::add_to(requests, resource, amount);
            }
        }
    }
    return requests;
}

kueue::Time kueue_time(SimTime time) {
    return {std::chrono::duration_cast<std::chrono::seconds>(time).count(), 0};
}

kueue::Workload KueueWorkloads::admit(kueue::Workload workload,
                                      const kueue::Assignment& assignment,
                                      SimTime now) const {
    for (std::size_t i = 0; i < assignment.pod_sets.size(); ++i) {
        const kueue::PodSetAssignment& set = assignment.pod_sets[i];
        kueue::PodSetResources& total = workload.totals[i];
        total = total.scaled_to(set.count);
        for (const auto& [resource, flavor] : set.flavors) {
            total.flavors[resource] = flavor.flavor;
        }
        if (set.flavors.contains(pods_)) {
            total.requests[pods_] = set.count;
        }
        total.places = set.places;
        total.placed_on = set.placed_on;
    }
    workload.evicted.reset();
    workload.preempted.reset();
    workload.reserved = kueue_time(now);
    workload.holds_quota = true;
    workload.last.reset();
    return workload;
}

}  // namespace berth::sim
