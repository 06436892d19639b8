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
    return sum * 1024 / providers;
}

std::vector<std::uint32_t> candidates_by_score(const ProviderForest& forest,
                                               CandidateWriter& writer,
                                               const CandidateList& candidates,
                                               const Scorer& scorer) {
    struct Scored {
        std::int64_t score = 0;
        std::uint32_t place = 0;  ///< In berth's order.
    };
    const std::vector<std::uint32_t> order = candidates_in_order(writer, candidates);
    std::vector<Scored> scored;
    scored.reserve(order.size());
    for (const std::uint32_t candidate : order) {
        scored.push_back({candidate_score(forest, writer.write(candidates[candidate]), scorer),
                          static_cast<std::uint32_t>(scored.size())});
    }
    std::ranges::sort(scored, [](const Scored& a, const Scored& b) {
        return a.score != b.score ? a.score > b.score : a.place < b.place;
    });
    std::vector<std::uint32_t> by_score;
    by_score.reserve(order.size());
    for (const Scored& entry : scored) {
        by_score.push_back(order[entry.place]);
    }
    return by_score;
}

}  // namespace berth::core
