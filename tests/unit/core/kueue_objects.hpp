#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kueue/decide/cache.hpp"

namespace berth::core::kueue::testing {

inline constexpr FlavorResource gpus{FlavorId{0}, ResourceId{0}};

/// A ClusterQueue with one flavor of GPUs.
inline ClusterQueue gpu_queue(std::string name, std::string cohort, Amount nominal) {
    ClusterQueue queue;
    queue.name = std::move(name);
    queue.cohort = std::move(cohort);
    queue.quotas[gpus] = {nominal, std::nullopt, std::nullopt};
    queue.groups = {{{gpus.resource}, {gpus.flavor}}};
    return queue;
}

inline CacheSpec gpu_objects(std::vector<ClusterQueue> queues, std::vector<Cohort> cohorts = {}) {
    CacheSpec spec;
    spec.flavors[spec.names.flavor("default")] = {};
    (void)spec.names.resource("gpu");
    spec.queues = std::move(queues);
    spec.cohorts = std::move(cohorts);
    return spec;
}

/// A workload of one pod that asks for GPUs.
inline Workload gpu_workload(std::string name, QuotaNode queue, Amount amount) {
    Workload workload;
    workload.name = name;
    workload.uid = std::move(name);
    workload.queue = queue;
    workload.pod_sets.emplace_back().name = "main";
    workload.totals = {{1, {{gpus.resource, amount}}, {}}};
    return workload;
}

/// The same workload, which has held these GPUs since `second`.
inline Workload held_gpus(
    std::string name, QuotaNode queue, Amount amount, std::int64_t priority, std::int64_t second) {
    Workload workload = gpu_workload(std::move(name), queue, amount);
    workload.totals.front().flavors[gpus.resource] = gpus.flavor;
    workload.priority = priority;
    workload.created = Time{second, 0};
    workload.reserved = Time{second, 0};
    workload.holds_quota = true;
    return workload;
}

}  // namespace berth::core::kueue::testing
