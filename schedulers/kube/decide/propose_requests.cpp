#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tree/resources.hpp"
#include "schedulers/kube/decide/proposals.hpp"
#include "schedulers/kube/decide/requests.hpp"
#include "schedulers/kube/decide/trial.hpp"

// Proposals for nodes that have too little of what the pod asks for.

namespace berth::core::kube {
namespace {

/// The resources that a node has too little of for the pod. The list is empty if the node has too
/// many pods.
std::vector<std::string> lacking(const std::vector<std::string>& reasons) {
    constexpr std::string_view prefix = "Insufficient ";
    std::vector<std::string> resources;
    for (const std::string& reason : reasons) {
        if (!reason.starts_with(prefix)) {
            return {};
        }
        resources.push_back(reason.substr(prefix.size()));
    }
    return resources;
}

/// What a node has left for a pod, beside pods that wait for the node and count for it.
Quantity left(const std::string& resource,
              const NodeState& node,
              const Pod& pod,
              const Cluster& cluster) {
    Quantity left = node.allocatable().of(resource) - node.requested().of(resource);
    for (const CountedPod* other : cluster.nominated_to(node.node().name)) {
        if (other->pod.priority >= pod.priority && other->pod.uid != pod.uid) {
            left -= other->requests.of(resource);
        }
    }
    return left;
}

/// An amount of bytes in whole mebibytes, and others as they are.
Quantity rounded_down(const std::string& resource, Quantity units) {
    constexpr Quantity mebibyte = 1024 * 1024;
    const bool is_bytes = resource == "memory" || resource == "ephemeral-storage";
    return is_bytes ? units / mebibyte * mebibyte : units;
}

/// Units of kube-scheduler in billionths.
Quantity exact(const std::string& resource, Quantity units) {
    return units * (resource == "cpu" ? 1'000'000 : 1'000'000'000);
}

/// Lowers what a pod asks for, one container after the other.
class Reduction {
public:
    Reduction(Candidate& candidate, const std::string& resource, Quantity most)
        : pod_(candidate.pod), candidate_(candidate), resource_(resource), most_(most) {}

    /// Whether the pod then asks for no more than the amount. Its overhead stays.
    bool run() {
        if (auto& requests = pod_.pod_level_requests) {
            reduce(*requests, "/spec/resources", excess(true));
        }
        // Each container by itself first, since those that run one after the other share.
        for (const bool is_by_itself : {true, false}) {
            reduce_all(pod_.containers, "/spec/containers", is_by_itself);
            reduce_all(pod_.init_containers, "/spec/initContainers", is_by_itself);
        }
        for (const auto& [path, amount] : amounts_) {
            candidate_.pod_steps.push_back(
                {"replace", path, format_quantity(resource_, amount), {}});
        }
        return excess(true) <= 0;
    }

private:
    /// By how much the pod asks for too much, in billionths. Requests of the pod as a whole are at
    /// least those of its containers, which must not ask for more either.
    [[nodiscard]] Quantity excess(bool pod_level = false) const {
        const Quantities total = requests_of(pod_, {.otherwise = {}, .pod_level = pod_level});
        const auto found = total.find(resource_);
        return found == total.end() ? 0 : found->second - most_;
    }

    void reduce(Quantities& requests, const std::string& path, Quantity by) {
        const auto found = requests.find(resource_);
        if (found == requests.end() || by <= 0 || found->second <= 0) {
            return;
        }
        const Quantity before = found->second;
        found->second = std::max<Quantity>(0, before - by);
        amounts_[fmt::format("{}/requests/{}", path, in_path(resource_))] = found->second;
    }

    void reduce_all(std::vector<Container>& containers, const char* path, bool is_by_itself) {
        for (std::size_t i = 0; i < containers.size() && excess() > 0; ++i) {
            Quantities& requests = containers[i].requests;
            const auto own = requests.find(resource_);
            if (own != requests.end()) {
                reduce(requests,
                       fmt::format("{}/{}/resources", path, i),
                       is_by_itself ? own->second - most_ : excess());
            }
        }
    }

    Pod& pod_;
    Candidate& candidate_;
    const std::string& resource_;
    Quantity most_;
    std::map<std::string, Quantity> amounts_;  ///< By the paths at which they stand.
};

/// The pod that asks for less of some resources; nothing if its containers cannot.
std::optional<Candidate> ask_for(const std::vector<std::pair<std::string, Quantity>>& amounts,
                                 const Pod& pod) {
    Candidate candidate{.field = ChangedField::requests, .parts = amounts.size(), .pod = pod};
    std::vector<std::string> texts;
    for (const auto& [resource, units] : amounts) {
        const Quantity most = exact(resource, units);
        if (!Reduction(candidate, resource, most).run()) {
            return std::nullopt;
        }
        texts.push_back(fmt::format("{} {}", format_quantity(resource, most), resource));
    }
    candidate.text = "ask for at most " + enumerate(texts);
    return candidate;
}

/// The amounts that the pod can have at the node which has the greatest share of what it asks for.
std::optional<Candidate> ask_for_what_is_left(const std::vector<std::string>& resources,
                                              const std::vector<std::size_t>& among,
                                              const Rejected& rejected) {
    std::vector<std::pair<std::string, Quantity>> amounts;
    for (const std::string& resource : resources) {
        amounts.emplace_back(resource, 0);
    }
    const std::optional<Candidate> nothing = ask_for(amounts, rejected.pod);
    if (!nothing) {
        return std::nullopt;
    }
    const Amounts wanted = amounts_of(requests_of(rejected.pod, {}));
    Quantity best = 0;
    for (const std::size_t position : Trial(nothing->pod, rejected.cluster).passing(among)) {
        constexpr Quantity whole = 1'000'000;
        Quantity share = whole;
        auto at_node = amounts;
        for (auto& [resource, units] : at_node) {
            units = rounded_down(
                resource,
                left(resource, rejected.cluster.nodes()[position], rejected.pod, rejected.cluster));
            share = std::min(share, units * whole / wanted.of(resource));
        }
        if (share > best) {
            best = share;
            amounts = std::move(at_node);
        }
    }
    return best > 0 ? ask_for(amounts, rejected.pod) : std::nullopt;
}

}  // namespace

void propose_requests(const Rejected& rejected, std::vector<Candidate>& proposals) {
    NodesByObstacles<std::vector<std::string>> nodes;
    for (const Rejection& rejection : rejected.rejections) {
        if (rejection.verdict.plugin == "NodeResourcesFit") {
            nodes[rejection.verdict.reasons].push_back(rejection.node);
        }
    }
    for (auto& [reasons, positions] : by_size(nodes)) {
        const std::vector<std::string> resources = lacking(reasons);
        if (resources.empty()) {
            continue;
        }
        if (auto candidate = ask_for_what_is_left(resources, positions, rejected)) {
            candidate->among = std::move(positions);
            proposals.push_back(std::move(*candidate));
        }
    }
}

}  // namespace berth::core::kube
