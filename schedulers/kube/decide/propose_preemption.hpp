#pragma once

#include <cstddef>
#include <optional>

#include "schedulers/kube/decide/change.hpp"
#include "schedulers/kube/decide/cycle.hpp"

namespace berth::core::kube {

/// What helps a pod by preempting others: `preemptionPolicy` if it is Never, and else a higher
/// priority, the least that helps. Users may give priorities up to 10^9.
/// `failed` is the pod's cycle, and `tried` counts the attempts.
/// Cost: one search for victims, or one for each halving of the number of priorities of pods.
[[nodiscard]] std::optional<Candidate> propose_preemption(const Pod& pod,
                                                          Cluster& cluster,
                                                          const Feasible& failed,
                                                          std::size_t& tried);

}  // namespace berth::core::kube
