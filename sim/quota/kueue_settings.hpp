#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/kueue/cache.hpp"
#include "core/tree/ids.hpp"
#include "sim/clock/time.hpp"

namespace berth::sim {

/// What becomes of a workload whose pods do not all run soon after it was admitted.
/// Source: Kueue, Configuration, waitForPodsReady.
struct WaitForPodsReady {
    SimTime timeout{};  ///< From its admission on; it loses its quota then.
    SimTime backoff{};  ///< Before it is offered again for the first time; doubled each time.
    SimTime most{};     ///< But no longer than this.
    std::optional<std::uint32_t> give_up_after;  ///< So many times; nothing: never.
};

/// The topology of a ResourceFlavor: each level's label of nodes, and the level of the cluster that
/// stands for it, from the highest to the servers.
struct FlavorTopology {
    std::string name;
    std::vector<std::string> labels;
    std::vector<core::Level> levels;
};

/// A LocalQueue: the ClusterQueue that its workloads go to, and whether they do.
struct KueueLocalQueue {
    std::string cluster_queue;
    core::kueue::StopPolicy stop = core::kueue::StopPolicy::none;
    double weight = 1;  ///< Its usage is divided by this before LocalQueues are compared.
};
/// LocalQueues by namespace and name.
using KueueLocalQueues = std::map<std::pair<std::string, std::string>, KueueLocalQueue>;

/// Objects that take the place of those of their names in a run. A LocalQueue stays that of its
/// ClusterQueue.
struct KueueChange {
    SimTime at{};
    std::vector<core::kueue::ClusterQueue> queues;
    std::vector<core::kueue::Cohort> cohorts;
    KueueLocalQueues local_queues;
};

/// Kueue's objects, and what its configuration says of time.
struct KueueSettings {
    core::kueue::CacheSpec cache;
    KueueLocalQueues local_queues;     ///< Without any, jobs name ClusterQueues.
    std::vector<KueueChange> changes;  ///< By time.
    /// So long after something was given back those who are parked are offered again.
    SimTime retry_after = std::chrono::seconds(1);
    /// Admissions are written to the API server one after another, each for so long; pods are there
    /// once theirs is written.
    SimTime write_time{};
    SimTime grace{};  ///< Pods that are preempted run on for so long.
    std::optional<WaitForPodsReady> pods_ready;
    std::optional<core::kueue::AdmissionFairSharing> admission_fair_sharing;
    std::map<core::kueue::FlavorId, FlavorTopology> topologies;
    /// Which level of the cluster a label of nodes stands for, where its name does not say it.
    std::map<std::string, std::string> level_names;
};

}  // namespace berth::sim
