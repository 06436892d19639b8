#include "schedulers/kube/decide/trial.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::core::kube {

Trial::Trial(const Pod& pod, Cluster& cluster)
    : pod_(pod), cluster_(cluster), prefilter_(prefilter(pod, cluster)) {}

Verdict Trial::at(std::size_t node) const {
    const NodeState& state = cluster_.nodes()[node];
    if (!prefilter_.verdict.is_success()) {
        return prefilter_.verdict;
    }
    if (prefilter_.nodes && !prefilter_.nodes->contains(state.node().name)) {
        return {Code::unresolvable, {}, "NodeAffinity"};
    }
    return filter_with_nominated(pod_, state, prefilter_.state, cluster_);
}

std::vector<std::size_t> Trial::passing(std::span<const std::size_t> nodes) const {
    std::vector<std::size_t> passing;
    std::ranges::copy_if(nodes, std::back_inserter(passing), [&](std::size_t node) {
        return at(node).is_success();
    });
    return passing;
}

std::optional<std::size_t> Trial::first_passing(std::span<const std::size_t> nodes,
                                                std::vector<Rejection>* rejections) const {
    for (const std::size_t node : nodes) {
        Verdict verdict = at(node);
        if (verdict.is_success()) {
            return node;
        }
        if (rejections != nullptr) {
            rejections->push_back({node, std::move(verdict)});
        }
    }
    return std::nullopt;
}

void Trial::set_max_skew(std::size_t hard_constraint, std::int64_t max_skew) {
    if (prefilter_.state.spread) {
        prefilter_.state.spread->set_max_skew(hard_constraint, max_skew);
    }
}

}  // namespace berth::core::kube
