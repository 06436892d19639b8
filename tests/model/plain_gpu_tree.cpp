// topology-aware-packing and topology-aware-fragmentation, as docs/reference/policies.md describes
// them.

#include "tests/model/plain_gpu_tree.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "tests/model/plain_fragments.hpp"
#include "tests/model/plain_gpus.hpp"

namespace berth::tests {

using core::Amount;
using core::NodeId;

namespace {

/// The cost of a way to serve a pod, smaller is better: by level from the top if the policy packs,
/// else one sum; then a way that breaks into free devices is worse.
struct Cost {
    std::vector<std::int64_t> amounts;
    bool breaks = false;
    friend auto operator<=>(const Cost&, const Cost&) = default;
};

class Domains {
public:
    Domains(const PlainCluster& cluster, const sim::Job& job)
        : cluster_(cluster), tree_(*cluster.tree), job_(job), asked_(gpus_asked(job)) {}

    /// The cost of using devices in use, or of breaking into free ones; absent if there is no such
    /// way.
    [[nodiscard]] std::optional<Cost> cost(std::uint32_t server, bool breaks) const {
        if (!is_way(server, breaks)) {
            return std::nullopt;
        }
        std::vector<NodeId> path;  // from below the root to the server
        for (NodeId node = tree_.node_of(core::ServerId{server}); node != tree_.root();
             node = tree_.parent(node)) {
            path.insert(path.begin(), node);
        }
        Cost cost{{}, breaks};
        if (cluster_.sharing->policy == "topology-aware-packing") {
            for (const NodeId node : path) {
                cost.amounts.push_back(fullness(node));
            }
            return cost;
        }
        path.pop_back();
        cost.amounts.push_back(growth_on(server, breaks));
        for (const NodeId node : path) {
            cost.amounts.front() += growth_in(node, breaks ? asked_.count : 0);
        }
        return cost;
    }

    /// Among the devices in use, the one with the least free, or the one that increases
    /// fragmentation least.
    [[nodiscard]] std::size_t used_device(std::uint32_t server) const {
        std::optional<std::pair<std::int64_t, std::size_t>> best;
        const std::vector<Amount>& free = cluster_.gpus.free(server);
        for (std::size_t i = 0; i < free.size(); ++i) {
            if (free[i] < asked_.milli || free[i] == whole_gpu) {
                continue;
            }
            const bool packs = cluster_.sharing->policy == "topology-aware-packing";
            const std::pair here(packs ? free[i] : growth_with(server, i), i);
            best = std::min(best.value_or(here), here);
        }
        return best->second;
    }

private:
    [[nodiscard]] bool is_way(std::uint32_t server, bool breaks) const {
        if (asked_.count == 0 || asked_.milli == whole_gpu) {
            return breaks == (asked_.count > 0);
        }
        return std::ranges::any_of(cluster_.gpus.free(server), [&](Amount free) {
            return free >= asked_.milli && (free == whole_gpu) == breaks;
        });
    }

    [[nodiscard]] std::vector<std::uint32_t> up_servers(NodeId node) const {
        std::vector<std::uint32_t> servers;
        if (tree_.is_server(node)) {
            servers.push_back(tree_.server_of(node).index);
        }
        for (const NodeId child : tree_.children(node)) {
            const std::vector<std::uint32_t> below = up_servers(child);
            servers.insert(servers.end(), below.begin(), below.end());
        }
        std::erase_if(servers, [&](std::uint32_t server) { return !cluster_.up[server]; });
        return servers;
    }

    /// What is free in a domain, in steps; more than any step if the domain is idle. There are as
    /// many steps as fit if all levels together have 60 bits.
    [[nodiscard]] std::int64_t fullness(NodeId node) const {
        Amount free = 0;
        Amount capacity = 0;
        for (const std::uint32_t server : up_servers(node)) {
            free += cluster_.free_of(server, gpu_resource);
            capacity += cluster_.capacity(server, gpu_resource);
        }
        const std::int64_t idle = (std::int64_t{1} << (60 / tree_.level_count() - 1)) - 1;
        return capacity == 0 ? 0 : free == capacity ? idle : free * (idle - 1) / capacity;
    }

    /// The growth of what gangs cannot use among free devices: of W devices, a gang of g leaves W
    /// mod g.
    [[nodiscard]] std::int64_t growth_in(NodeId node, std::int64_t devices) const {
        std::int64_t whole = 0;
        for (const std::uint32_t server : up_servers(node)) {
            whole += cluster_.gpus.whole(server);
        }
        std::int64_t growth = 0;
        std::int64_t weights = 0;
        for (const core::TypicalGang& gang : cluster_.sharing->gangs) {
            growth += gang.weight * ((whole - devices) % gang.gpus - whole % gang.gpus);
            weights += gang.weight;
        }
        return weights > 0 ? growth * whole_gpu / weights : 0;
    }

    [[nodiscard]] std::int64_t growth_on(std::uint32_t server, bool breaks) const {
        const std::vector<Amount>& free = cluster_.gpus.free(server);
        if (asked_.count == 0) {
            return growth_to(server, free);
        }
        if (asked_.milli < whole_gpu && !breaks) {
            return growth_with(server, used_device(server));
        }
        std::vector<Amount> after = free;
        std::int64_t left = asked_.count;
        for (Amount& device : after) {
            if (left > 0 && device == whole_gpu) {
                device -= asked_.milli;
                --left;
            }
        }
        return growth_to(server, after);
    }
    [[nodiscard]] std::int64_t growth_with(std::uint32_t server, std::size_t device) const {
        std::vector<Amount> after = cluster_.gpus.free(server);
        after[device] -= asked_.milli;
        return growth_to(server, after);
    }
    [[nodiscard]] std::int64_t growth_to(std::uint32_t server,
                                         const std::vector<Amount>& after) const {
        const std::vector<PlainTypicalPod>& typical = cluster_.sharing->typical;
        const std::string model = model_of(tree_.machine_type(core::ServerId{server}));
        const Amount cpu = cluster_.free_of(server, 0);
        return std::llround(fragment(typical, after, cpu - job_.demand[0], model) -
                            fragment(typical, cluster_.gpus.free(server), cpu, model));
    }

    const PlainCluster& cluster_;
    const core::Topology& tree_;
    const sim::Job& job_;
    core::GpuRequest asked_;
};

}  // namespace

std::optional<std::uint32_t> best_by_domains(const PlainCluster& cluster, const sim::Job& job) {
    const Domains domains(cluster, job);
    std::optional<std::pair<Cost, std::uint32_t>> best;
    for (std::uint32_t server = 0; server < cluster.free.size(); ++server) {
        for (const bool breaks : {false, true}) {
            const auto cost =
                cluster.has_room(job, server) ? domains.cost(server, breaks) : std::nullopt;
            if (cost) {
                const std::pair here(*cost, server);
                best = std::min(best.value_or(here), here);
            }
        }
    }
    return best ? std::optional(best->second) : std::nullopt;
}

std::size_t device_by_domains(const PlainCluster& cluster,
                              const sim::Job& job,
                              std::uint32_t server) {
    const Domains domains(cluster, job);
    const auto used = domains.cost(server, false);
    const auto broken = domains.cost(server, true);
    return used && (!broken || *used < *broken)
               ? domains.used_device(server)
               : whole_by_islands(cluster, server, 1).front().device;
}

/// Takes free devices of the island that has enough and the fewest of them; if none has enough, of
/// the island with the most; the rest comes from devices on no island.
PlainGrant whole_by_islands(const PlainCluster& cluster, std::uint32_t server, std::int64_t count) {
    std::vector<Amount> free = cluster.gpus.free(server);
    std::vector<std::vector<std::size_t>> islands =
        islands_of(cluster.tree->machine_type(core::ServerId{server}));
    PlainGrant grant;
    while (std::ssize(grant) < count) {
        const std::int64_t left = count - std::ssize(grant);
        std::vector<std::size_t> best;
        for (const std::vector<std::size_t>& island : islands) {
            std::vector<std::size_t> here;
            std::ranges::copy_if(island, std::back_inserter(here), [&](std::size_t device) {
                return free[device] == whole_gpu;
            });
            const bool enough = std::ssize(here) >= left;
            const bool best_enough = std::ssize(best) >= left;
            if (enough && best_enough ? here.size() < best.size() : here.size() > best.size()) {
                best = here;
            }
        }
        for (std::size_t i = 0; i < free.size() && best.empty(); ++i) {
            best = free[i] == whole_gpu ? std::vector{i} : best;
        }
        std::ranges::sort(best);
        for (const std::size_t device : best) {
            if (std::ssize(grant) < count) {
                grant.push_back({device, whole_gpu});
                free[device] = 0;
            }
        }
    }
    return grant;
}

}  // namespace berth::tests
