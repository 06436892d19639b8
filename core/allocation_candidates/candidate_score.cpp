#include "core/allocation_candidates/candidate_score.hpp"

#include <algorithm>

namespace berth::core {

std::int64_t candidate_score(const ProviderForest& forest,
                             const AllocationCandidate& candidate,
                             const Scorer& scorer) {
    std::vector<Amount> capacity;
    std::vector<Amount> available;
    std::vector<Amount> demand;
    std::int64_t sum = 0;
    std::int64_t providers = 0;
    for (auto taken = candidate.taken.begin(); taken != candidate.taken.end();) {
        const ProviderIndex provider = taken->provider;
        capacity.clear();
        available.clear();
        demand.clear();
        for (; taken != candidate.taken.end() && taken->provider == provider; ++taken) {
            const InventoryRow& row = *forest.inventory(provider, taken->resource_class);
            capacity.push_back(row.capacity);
            available.push_back(row.capacity - row.used);
            demand.push_back(taken->amount);
        }
        sum += scorer.score(capacity, available, demand);
        ++providers;
    }
    return sum / providers;
}

std::vector<std::uint32_t> candidates_by_score(const ProviderForest& forest,
                                               CandidateWriter& writer,
                                               const CandidateList& candidates,
                                               const Scorer& scorer) {
    std::vector<std::int64_t> scores;
    scores.reserve(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        scores.push_back(candidate_score(forest, writer.write(candidates[i]), scorer));
    }
    std::vector<std::uint32_t> order = candidates_in_order(writer, candidates);
    std::ranges::stable_sort(
        order, std::ranges::greater(), [&](std::uint32_t i) { return scores[i]; });
    return order;
}

}  // namespace berth::core
