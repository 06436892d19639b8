#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tree/ids.hpp"
#include "schedulers/kueue/decide/cache.hpp"
#include "sim/clock/time.hpp"
#include "sim/profile/admission.hpp"

namespace berth::sim {

struct Settings;

/// What becomes of a workload whose pods do not all run soon after its admission.
/// Source: Kueue, Configuration, waitForPodsReady.
struct WaitForPodsReady {
    SimTime timeout{};  ///< Counted from the admission; the workload then loses its quota.
    SimTime backoff{};  ///< Time before it is offered again for the first time; doubled each time.
    SimTime most{};     ///< Upper limit of the backoff.
    std::optional<std::uint32_t> give_up_after;  ///< How many times it is offered again; nothing:
                                                 ///< without limit.
};

/// The topology of a ResourceFlavor: the node label of each level, and the level of the cluster
/// that stands for it, from the highest level down to the servers.
struct FlavorTopology {
    std::string name;
    std::vector<std::string> labels;
    std::vector<core::Level> levels;
};

/// A LocalQueue: the ClusterQueue that its workloads go to, and whether they go there now.
struct KueueLocalQueue {
    std::string cluster_queue;
    core::kueue::StopPolicy stop = core::kueue::StopPolicy::none;
    double weight = 1;  ///< The queue's usage is divided by this before LocalQueues are compared.
};
/// LocalQueues by namespace and name.
using KueueLocalQueues = std::map<std::pair<std::string, std::string>, KueueLocalQueue>;

/// Objects that replace those of the same names during a run. A LocalQueue keeps its ClusterQueue.
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
    [[nodiscard]] std::string_view name() const override { return "Kueue"; }
    [[nodiscard]] std::string_view remedy_of(std::string_view reason) const override;
    [[nodiscard]] std::vector<SimTime> change_times() const override;
    [[nodiscard]] std::shared_ptr<const AdmissionSettings> begun_at(SimTime now) const override;
    [[nodiscard]] bool may_preempt() const override;
    [[nodiscard]] bool may_add_tolerations() const override;
    /// Whether this LocalQueue exists, or, if there are no LocalQueues, this ClusterQueue.
    [[nodiscard]] bool has_queue(const std::string& name_space,
                                 const std::string& name) const override;
    [[nodiscard]] const std::map<std::string, std::string>& levels_by_label() const override {
        return level_names;
    }

    core::kueue::CacheSpec cache;
    KueueLocalQueues local_queues;     ///< If there are none, jobs name ClusterQueues.
    std::vector<KueueChange> changes;  ///< Changes in order of time.
    /// Parked workloads are offered again this long after something was given back.
    SimTime retry_after = std::chrono::seconds(1);
    /// Admissions are written to the API server one after another, each taking this long; a
    /// workload's pods exist once its admission is written.
    SimTime write_time{};
    SimTime grace{};  ///< How long preempted pods run on.
    std::optional<WaitForPodsReady> pods_ready;
    std::optional<core::kueue::AdmissionFairSharing> admission_fair_sharing;
    std::map<core::kueue::FlavorId, FlavorTopology> topologies;
    /// The level of the cluster that a node label stands for, where the label's name does not say
    /// it.
    std::map<std::string, std::string> level_names;
};

}  // namespace berth::sim
