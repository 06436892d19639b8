#pragma once

#include "schedulers/kube/decide/smallest_change.hpp"
#include "sim/profile/admission.hpp"

namespace berth::sim {

/// What would let a pod be placed for which no node is feasible.
struct KubeInquiry final : Inquiry {
    /// Asks for the pod, and leaves the cluster as it is. Cost: that of find_smallest_change().
    KubeInquiry(const core::kube::Pod& pod, core::kube::Cluster& cluster);

    core::kube::ChangeSearch search;
};

}  // namespace berth::sim
