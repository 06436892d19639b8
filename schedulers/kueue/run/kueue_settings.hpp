#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/tree/ids.hpp"
#include "schedulers/kueue/decide/cache.hpp"
#include "sim/clock/time.hpp"
#include "sim/profile/admission.hpp"

namespace berth::sim {

struct Settings;

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
struct KueueSettings final : AdmissionSettings {
    /// Those of a run that Kueue admits jobs to; nullptr for any other run.
    [[nodiscard]] static const KueueSettings* of(const Settings& settings);

    [[nodiscard]] std::unique_ptr<Admission> make_admission(const Window& window,
                                                            RecordSink& sink,
                                                            Actions& actions,
                                                            PlaceQueue& places) const override;
    [[nodiscard]] std::vector<SimTime> change_times() const override;
    [[nodiscard]] bool may_preempt() const override;

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
