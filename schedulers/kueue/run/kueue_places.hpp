#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schedulers/kueue/decide/topology_aware/topology_places.hpp"
#include "schedulers/kueue/decide/workload.hpp"
#include "schedulers/kueue/run/flavor_nodes.hpp"
#include "schedulers/kueue/run/kueue_settings.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/job/job.hpp"
#include "sim/job/records.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// The places that flavors with a topology have in the cluster of a run, and what jobs ask of them.
///
/// A group that packs its members into one node of a level asks for that level: `hard` requires it,
/// otherwise it is preferred.
class KueuePlaces {
public:
    /// `cluster` outlives it. Each flavor with a topology has at least one server.
    KueuePlaces(const KueueSettings& settings,
                const Cluster& cluster,
                const core::kueue::Names& names,
                FlavorNodes& nodes);

    [[nodiscard]] core::kueue::TopologyPlaces& flavors() { return flavors_; }
    [[nodiscard]] const core::kueue::TopologyPlaces& flavors() const { return flavors_; }
    /// What a job asks for; nothing if its pods may lie anywhere.
    [[nodiscard]] std::optional<core::kueue::TopologyRequest> request_of(const Job& job) const;
    /// Why a job cannot be placed by topology at all; nothing if it can.
    [[nodiscard]] std::optional<std::string> refuses(const Job& job) const;
    /// Whether there is room for a job's pods at these places now.
    [[nodiscard]] bool has_room(const Job& job, const Placement& placement) const;
    /// The flavors with a topology that have one of the servers on which these pods run.
    [[nodiscard]] std::set<core::kueue::FlavorId> flavors_on(const Stints& stints) const;
    /// Whether all servers on which the pods of a workload are to lie are up.
    [[nodiscard]] bool are_up(const core::kueue::Workload& workload) const;
    /// Where the pods of a workload that was placed by topology start; nothing if it was not.
    [[nodiscard]] std::optional<Placement> placement(const core::kueue::Workload& workload) const;

private:
    const Cluster& cluster_;
    core::kueue::TopologyPlaces flavors_;
    std::vector<core::kueue::FlavorId> placed_;  ///< The flavors that have a topology.
    /// For each level that some topology has, the node label that stands for it.
    std::map<core::Level, std::string> labels_;
};

}  // namespace berth::sim
