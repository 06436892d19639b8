#include "schedulers/kube/decide/running_terms.hpp"

namespace berth::core::kube {

void RunningTerms::add(const PodTerm& term, std::size_t node, std::int64_t weight) {
    const auto [known, is_new] = index_.try_emplace(term, entries_.size());
    if (is_new) {
        entries_.push_back({&known->first, {}});
    }
    auto& weights = entries_[known->second].weights;
    const auto sum = weights.try_emplace(node, 0).first;
    sum->second += weight;
    if (sum->second == 0) {
        weights.erase(sum);
    }
}

}  // namespace berth::core::kube
