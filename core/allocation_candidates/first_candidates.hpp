#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "core/allocation_candidates/candidate_order.hpp"
#include "core/allocation_candidates/tree_search.hpp"

namespace berth::core {

/// The first `limit` candidates in the order of candidate_order.hpp. Once it has that many, it
/// wants nothing that comes after the last of them, and says so of a candidate as soon as the
/// decided parts tell: the cost of a limit depends on what is returned.
class FirstCandidates final : public CandidateSink {
public:
    FirstCandidates(CandidatePlan& plan, std::uint64_t limit);
    bool add(std::span<const ProviderIndex> providers) override;
    [[nodiscard]] bool is_beyond(const PartialCandidate& candidate) override {
        return kept_.size() == limit_ && comes_after_last(candidate, no_rank);
    }
    /// Whether all candidates come after the last one kept that take from the providers in
    /// `options` and from others whose rank is `rank` or more.
    [[nodiscard]] bool is_beyond(const std::vector<std::vector<CandidateOption>>& options,
                                 std::uint32_t rank);
    /// The candidates in order.
    [[nodiscard]] CandidateList take() const;

private:
    static constexpr std::uint32_t no_rank = std::numeric_limits<std::uint32_t>::max();
    enum class Comparison : std::uint8_t { maybe_before, equal, after };
    /// A candidate compared with the last one kept, allocation by allocation: how early it can come
    /// at best.
    struct Walk {
        const PartialCandidate& candidate;
        std::uint32_t elsewhere;  ///< The rank from which on any provider may serve any open part.
        /// For each part: it takes something, but from no provider seen so far.
        std::vector<bool> is_open;
        std::size_t open_parts = 0;  ///< The most open parts that have yet to take something.
    };
    [[nodiscard]] bool comes_after_last(const PartialCandidate& candidate,
                                        std::uint32_t elsewhere) const;
    [[nodiscard]] Comparison compare_allocations(Walk& walk) const;
    static void take_one(Walk& walk, std::uint32_t rank);
    [[nodiscard]] Comparison compare_mappings(const Walk& walk) const;
    [[nodiscard]] Comparison compare_resources(const Walk& walk, std::size_t first) const;
    [[nodiscard]] Comparison compare_amounts(const Walk& walk,
                                             const AllocationCandidate::Taken& last,
                                             bool last_ends) const;

    CandidatePlan& plan_;
    std::uint64_t limit_;
    CandidateWriter writer_;
    std::set<std::pair<std::string, std::vector<ProviderIndex>>> kept_;
    AllocationCandidate last_;
};

}  // namespace berth::core
