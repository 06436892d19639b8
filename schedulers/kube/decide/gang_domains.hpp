#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schedulers/kube/decide/gang_cycle.hpp"

// The nodes among which a gang whose pods are to be in one domain is tried.
// Source: Kubernetes 1.36, pkg/scheduler/framework/plugins/topologyaware, podgrouppodscount, and
//         noderesources, as far as it scores placements.

namespace berth::core::kube {

/// The nodes with one value of the gang's label: positions in ascending order.
using GangDomain = std::vector<std::size_t>;

/// The domains in which the gang may be: all, or that of its pods that have nodes already.
///
/// Order:  by the first node of each, where Kubernetes takes any order.
/// Errors: CycleError if pods of the group are in several domains already, or in none.
/// Cost:   a look at the labels of each node.
[[nodiscard]] std::vector<GangDomain> domains_of(const Gang& gang, const Cluster& cluster);

/// How good a domain is for a gang that starts there, for each domain: how much of its resources
/// is in use then, from 0 to 100 with the weight of NodeResourcesFit, and how many pods of the
/// group have nodes, 100 for the most.
///
/// `cycles`: what try_gang() found in each domain; each placed a pod, or one is there already.
[[nodiscard]] std::vector<std::int64_t> scores_of_domains(const Gang& gang,
                                                          const Cluster& cluster,
                                                          const std::vector<GangDomain>& domains,
                                                          const std::vector<GangCycle>& cycles);

}  // namespace berth::core::kube
