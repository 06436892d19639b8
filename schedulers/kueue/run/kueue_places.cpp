#include "schedulers/kueue/run/kueue_places.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tree/logical_tree.hpp"
#include "schedulers/kueue/decide/topology_aware/domain_tree.hpp"

namespace berth::sim {

namespace kueue = core::kueue;

namespace {

/// A server and the values of its levels.
struct Leaf {
    kueue::DomainPath path;
    core::ServerId server;
};

std::vector<Leaf> leaves_of(const FlavorTopology& of,
                            const core::Topology& tree,
                            const NodeSelector* nodes) {
    std::vector<Leaf> leaves;
    for (std::uint32_t i = 0; i < tree.server_count(); ++i) {
        if (nodes != nullptr && !nodes->selects(core::ServerId{i})) {
            continue;
        }
        Leaf& leaf = leaves.emplace_back(Leaf{{}, core::ServerId{i}});
        for (const core::Level level : of.levels) {
            leaf.path.emplace_back(
                tree.name(tree.ancestor(tree.node_of(core::ServerId{i}), level)));
        }
    }
    std::ranges::sort(leaves, {}, &Leaf::path);
    return leaves;
}

/// The cluster as a topology names it: domains in the order of their values, because Kueue's choice
/// between equal domains depends on it.
kueue::TopologySnapshot::Spec spec_of(const FlavorTopology& of,
                                      const kueue::FeatureGates& gates,
                                      const core::Topology& tree,
                                      const NodeSelector* nodes) {
    kueue::TopologySnapshot::Spec spec;
    spec.name = of.name;
    spec.levels = of.labels;
    spec.gates = gates;
    std::vector<kueue::DomainPath> paths;
    for (Leaf& leaf : leaves_of(of, tree, nodes)) {
        spec.servers.push_back(leaf.server);
        spec.nodes.push_back({leaf.path.back(), {}, {}});
        paths.push_back(std::move(leaf.path));
    }
    core::MachineType any;  // amounts come from the cluster
    any.name = "any";
    any.capacity = core::Amounts::Zero(static_cast<Eigen::Index>(tree.resources().size()));
    const std::vector<std::uint32_t> types(paths.size(), 0);
    spec.tree = std::make_shared<const core::Topology>(
        kueue::make_domain_tree(tree.resources(), spec.levels, paths, {std::move(any)}, types));
    return spec;
}

bool has_one_pack(const core::LevelConstraints& constraints) {
    std::uint32_t stated = 0;
    for (std::uint32_t i = 0; i < constraints.level_count(); ++i) {
        const core::Level level{i};
        if (constraints.stated(level)) {
            const core::LevelConstraint& one = constraints.at(level);
            if (one.affinity != core::Affinity::pack || one.range || one.partitions != 0 ||
                one.factor != 1) {
                return false;
            }
            ++stated;
        }
    }
    return stated <= 1;
}

}  // namespace

KueuePlaces::KueuePlaces(const KueueSettings& settings,
                         const Cluster& cluster,
                         const kueue::Names& names,
                         FlavorNodes& nodes)
    : cluster_(cluster), flavors_(cluster.ledger(), names) {
    for (const auto& [flavor, topology] : settings.topologies) {
        placed_.push_back(flavor);
        const auto servers = nodes.of({flavor}, nullptr);
        flavors_.add_flavor(
            flavor,
            spec_of(
                topology, settings.cache.configuration.gates, cluster.topology(), servers.get()));
        for (std::size_t i = 0; i < topology.levels.size(); ++i) {
            labels_.emplace(topology.levels[i], topology.labels[i]);
        }
    }
}

std::optional<kueue::TopologyRequest> KueuePlaces::request_of(const Job& job) const {
    if (!job.constraints) {
        return std::nullopt;
    }
    for (std::uint32_t i = 0; i < job.constraints->level_count(); ++i) {
        const core::Level level{i};
        if (!job.constraints->stated(level)) {
            continue;
        }
        kueue::TopologyRequest request;
        if (level == core::Level{0}) {  // the whole cluster is one place
            request.unconstrained = true;
            return request;
        }
        const auto label = labels_.find(level);
        const std::string name =
            label != labels_.end() ? label->second : cluster_.topology().level_name(level);
        (job.constraints->at(level).hard ? request.required : request.preferred) = name;
        return request;
    }
    return std::nullopt;
}

std::optional<std::string> KueuePlaces::refuses(const Job& job) const {
    if (job.constraints && !has_one_pack(*job.constraints)) {
        return "Kueue places its pods by topology, and the only constraint that it knows is to "
               "pack them into one node of one level.";
    }
    if (cluster_.asks_inside(job) || job.per_server_max != 0) {
        return "Kueue places its pods by topology, and knows nothing of devices inside servers or "
               "of limits of pods on each.";
    }
    return std::nullopt;
}

bool KueuePlaces::has_room(const Job& job, const Placement& placement) const {
    return std::ranges::all_of(placement.servers, [&](const core::PlacedNode& place) {
        const auto free = cluster_.ledger().available(place.node);
        for (std::size_t r = 0; r < job.demand.size(); ++r) {
            if (job.demand[r] > 0 && free[r] / job.demand[r] < place.count) {
                return false;
            }
        }
        return cluster_.ledger().is_up(cluster_.topology().server_of(place.node));
    });
}

std::set<kueue::FlavorId> KueuePlaces::flavors_on(const Stints& stints) const {
    std::set<kueue::FlavorId> found;
    for (const kueue::FlavorId flavor : placed_) {
        const kueue::TopologySnapshot& snapshot = flavors_.snapshot(flavor);
        if (std::ranges::any_of(stints, [&](const Stint& stint) {
                return snapshot.leaf_of(stint.server).has_value();
            })) {
            found.insert(flavor);
        }
    }
    return found;
}

bool KueuePlaces::are_up(const kueue::Workload& workload) const {
    bool up = true;
    kueue::for_each_place(workload,
                          [&](kueue::FlavorId flavor, const kueue::PodSet&, const auto& places) {
                              for (const auto& [server, count] : flavors_.servers(flavor, places)) {
                                  up = up && cluster_.ledger().is_up(server);
                              }
                          });
    return up;
}

std::optional<Placement> KueuePlaces::placement(const kueue::Workload& workload) const {
    std::map<core::NodeId, core::Members> counts;
    const core::Topology& tree = cluster_.topology();
    kueue::for_each_place(workload,
                          [&](kueue::FlavorId flavor, const kueue::PodSet&, const auto& places) {
                              for (const auto& [server, count] : flavors_.servers(flavor, places)) {
                                  counts[tree.node_of(server)] += static_cast<core::Members>(count);
                              }
                          });
    if (counts.empty()) {
        return std::nullopt;
    }
    Placement placement;
    for (const auto& [node, count] : counts) {
        placement.servers.push_back({node, count});
    }
    placement.tree = core::logical_tree(placement.servers, tree);
    return placement;
}

}  // namespace berth::sim
