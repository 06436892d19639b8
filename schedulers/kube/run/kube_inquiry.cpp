#include "schedulers/kube/run/kube_inquiry.hpp"

#include <cstddef>

#include "schedulers/kube/decide/preemption.hpp"

namespace berth::sim {

namespace kube = core::kube;

KubeInquiry::KubeInquiry(const kube::Pod& pod, kube::Cluster& cluster) {
    if (cluster.nodes().empty()) {
        return;
    }
    const std::size_t begin = cluster.next_start;
    try {
        const kube::Feasible failed = kube::find_feasible(pod, cluster);
        if (failed.nodes.empty()) {
            const bool preempts = !kube::preempt(pod, cluster, failed).best.empty();
            cluster.next_start = begin;
            search = kube::find_smallest_change(pod, cluster, failed, preempts);
        }
    } catch (const kube::CycleError&) {
        // The cycle failed, which its message tells.
    }
    cluster.next_start = begin;
}

}  // namespace berth::sim
