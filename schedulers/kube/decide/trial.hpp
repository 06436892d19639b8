#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedulers/kube/decide/change.hpp"
#include "schedulers/kube/decide/cluster.hpp"
#include "schedulers/kube/decide/filters.hpp"

namespace berth::core::kube {

/// A pod that is tried at some nodes. It is for the many changes of which most do not help: it
/// stops at the first node that helps, and keeps verdicts by position.
class Trial {
public:
    /// The pod and the cluster must outlive the trial.
    /// Cost: PreFilter, which looks at each node for each constraint and each term of the pod.
    Trial(const Pod& pod, Cluster& cluster);

    [[nodiscard]] Verdict at(std::size_t node) const;
    /// The nodes at which no filter rejects the pod.
    [[nodiscard]] std::vector<std::size_t> passing(std::span<const std::size_t> nodes) const;
    /// The first such node. The nodes before it are added to the rejections, if they are given.
    [[nodiscard]] std::optional<std::size_t> first_passing(
        std::span<const std::size_t> nodes, std::vector<Rejection>* rejections = nullptr) const;

    /// Replaces the maxSkew of one of the pod's hard constraints, counted from 0.
    void set_max_skew(std::size_t hard_constraint, std::int64_t max_skew);

private:
    const Pod& pod_;
    const Cluster& cluster_;
    PreFilter prefilter_;
};

}  // namespace berth::core::kube
