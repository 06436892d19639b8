#include "schedulers/kube/decide/running_terms.hpp"

namespace berth::core::kube {

void RunningTerms::add(const PodTerm& term, std::size_t node, std::int64_t weight) {
    const auto [known, is_new] = index_.try_emplace(term, entries_.size());
    if (is_new) {
        entries_.push_back({&known->first, {}});
    }
    entries_[known->second].weights[node] += weight;
}

}  // namespace berth::core::kube
