#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/change.hpp"
#include "schedulers/kube/decide/cluster.hpp"

// Which changes may help a pod that all of some nodes reject, by the filters that reject it.

namespace berth::core::kube {

/// What proposals look at.
struct Rejected {
    const Pod& pod;
    Cluster& cluster;
    std::span<const Rejection> rejections;

    /// The nodes that a plugin rejected.
    [[nodiscard]] std::vector<std::size_t> by(std::string_view plugin) const;
};

/// Changes that may help, in the order in which they are tried: by field, then those that change
/// less, then those for more nodes. There are at most `most_of_a_field` for each field, and each
/// changes at most two things.
/// Cost: for tolerations, selectors and ports, one look at each rejected node; for amounts and
///       cordons, one filter more at each of them; for maxSkew, up to 62; for counts of devices, up
///       to 5 searches for devices.
[[nodiscard]] std::vector<Candidate> propose(const Rejected& rejected);
inline constexpr std::size_t most_of_a_field = 8;
inline constexpr std::size_t most_parts = 2;

// One function for each filter.
void propose_tolerations(const Rejected& rejected, std::vector<Candidate>& proposals);
void propose_node_rules(const Rejected& rejected, std::vector<Candidate>& proposals);
void propose_uncordoning(const Rejected& rejected, std::vector<Candidate>& proposals);
void propose_ports(const Rejected& rejected, std::vector<Candidate>& proposals);
void propose_requests(const Rejected& rejected, std::vector<Candidate>& proposals);
void propose_spread(const Rejected& rejected, std::vector<Candidate>& proposals);
void propose_pod_affinity(const Rejected& rejected, std::vector<Candidate>& proposals);
void propose_devices(const Rejected& rejected, std::vector<Candidate>& proposals);

/// Nodes by what keeps the pod away from them, such as a set of taints.
template <typename Obstacles>
using NodesByObstacles = std::map<Obstacles, std::vector<std::size_t>>;

/// Those with the fewest obstacles, then with the most nodes.
template <typename Obstacles>
[[nodiscard]] std::vector<std::pair<Obstacles, std::vector<std::size_t>>> by_size(
    const NodesByObstacles<Obstacles>& nodes) {
    std::vector<std::pair<Obstacles, std::vector<std::size_t>>> sorted;
    std::ranges::copy_if(nodes, std::back_inserter(sorted), [](const auto& group) {
        return !group.first.empty() && group.first.size() <= most_parts;
    });
    std::ranges::stable_sort(sorted, {}, [](const auto& group) {
        return std::pair(group.first.size(), -static_cast<std::ptrdiff_t>(group.second.size()));
    });
    sorted.resize(std::min(sorted.size(), most_of_a_field));
    return sorted;
}

}  // namespace berth::core::kube
