#include "schedulers/kube/decide/gang_domains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "schedulers/kube/decide/node_scores.hpp"

namespace berth::core::kube {
namespace {

/// The value of the gang's label on a node; nullptr if the node lacks it.
const std::string* value_on(const Gang& gang, const NodeState& node) {
    const auto label = node.node().labels.find(gang.topology_key);
    return label == node.node().labels.end() ? nullptr : &label->second;
}

/// The one domain of the pods that have nodes already; nothing if none has.
std::optional<std::string> domain_of_placed(const Gang& gang, const Cluster& cluster) {
    constexpr std::string_view unknown = "cannot determine domain for already scheduled pods";
    std::optional<std::string> domain;
    for (const std::size_t position : gang.nodes_of_placed) {
        const NodeState& node = cluster.nodes()[position];
        const std::string* const value = value_on(gang, node);
        if (value == nullptr) {
            throw CycleError(fmt::format(
                "{}: node {} has no label {}", unknown, node.node().name, gang.topology_key));
        }
        if (domain && *domain != *value) {
            throw CycleError(fmt::format("{}: they are in {} and {}", unknown, *domain, *value));
        }
        domain = *value;
    }
    return domain;
}

/// How much of the resources of a domain is in use if the gang starts there.
std::int64_t points_for_use(const Gang& gang,
                            const Cluster& cluster,
                            const GangDomain& domain,
                            const GangCycle& cycle) {
    const Configuration& configuration = cluster.configuration();
    std::vector<std::string> names;
    for (const WeightedResource& resource : configuration.fit_resources) {
        names.push_back(resource.name);
    }
    const auto shares_of = [&](const GangPod& one) {
        return ResourceShares(one.pod, names, false, configuration.version);
    };
    const ResourceShares shares = shares_of(gang.pods.front());
    std::vector<ResourceShares::Resource> proposed = shares.resources();
    std::ranges::for_each(proposed, [](ResourceShares::Resource& one) { one.wanted = 0; });
    for (std::size_t i = 0; i < gang.pods.size(); ++i) {
        if (!cycle.members[i].node) {
            continue;
        }
        const ResourceShares of_pod = shares_of(gang.pods[i]);
        for (std::size_t resource = 0; resource < proposed.size(); ++resource) {
            proposed[resource].wanted += of_pod.resources()[resource].wanted;
        }
    }
    std::int64_t sum = 0;
    std::int64_t weights = 0;
    for (std::size_t i = 0; i < proposed.size(); ++i) {
        Quantity used = proposed[i].wanted;
        Quantity capacity = 0;
        for (const std::size_t position : domain) {
            const ResourceShares::Share share =
                shares.share(cluster.nodes()[position], proposed[i]);
            used += share.before;
            capacity += share.capacity;
        }
        if (capacity > 0) {
            const std::int64_t weight = configuration.fit_resources[i].weight;
            sum += weight * static_cast<std::int64_t>(std::min(used, capacity) * 100 / capacity);
            weights += weight;
        }
    }
    return weights == 0 ? 0 : sum / weights;
}

std::int64_t pods_of(const Gang& gang, const GangCycle& cycle) {
    return static_cast<std::int64_t>(gang.placed) +
           std::ranges::count_if(cycle.members,
                                 [](const GangMember& member) { return member.node.has_value(); });
}

}  // namespace

std::vector<GangDomain> domains_of(const Gang& gang, const Cluster& cluster) {
    const std::optional<std::string> only = domain_of_placed(gang, cluster);
    std::map<std::string_view, std::size_t> index_of;
    std::vector<GangDomain> domains;
    for (const NodeState& node : cluster.nodes()) {
        const std::string* const value = value_on(gang, node);
        if (value == nullptr || (only && *only != *value)) {
            continue;
        }
        const auto [index, is_new] = index_of.emplace(*value, domains.size());
        if (is_new) {
            domains.emplace_back();
        }
        domains[index->second].push_back(node.position());
    }
    return domains;
}

std::vector<std::int64_t> scores_of_domains(const Gang& gang,
                                            const Cluster& cluster,
                                            const std::vector<GangDomain>& domains,
                                            const std::vector<GangCycle>& cycles) {
    const std::int64_t weight =
        cluster.configuration().weights[static_cast<std::size_t>(ScorePlugin::resources_fit)];
    std::int64_t most = 1;
    for (const GangCycle& cycle : cycles) {
        most = std::max(most, pods_of(gang, cycle));
    }
    std::vector<std::int64_t> scores;
    for (std::size_t i = 0; i < cycles.size(); ++i) {
        scores.push_back(weight * points_for_use(gang, cluster, domains[i], cycles[i]) +
                         pods_of(gang, cycles[i]) * 100 / most);
    }
    return scores;
}

}  // namespace berth::core::kube
