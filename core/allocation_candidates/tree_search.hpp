#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/allocation_candidates/candidate_plan.hpp"

namespace berth::core {

inline constexpr ProviderIndex no_provider = ~ProviderIndex{0};

/// A provider that may serve a part.
struct CandidateOption {
    ProviderIndex provider = 0;
    std::uint32_t rank = 0;
};

/// A candidate in which some parts have their provider.
struct PartialCandidate {
    std::span<const ProviderIndex> chosen;  ///< One for each part; no_provider where it is open.
    std::span<const std::vector<CandidateOption>> options;  ///< One for each part.
};

/// Receives the candidates that the search of a tree finds.
class CandidateSink {
public:
    virtual ~CandidateSink() = default;
    /// Adds a candidate. Returns whether the search is to go on.
    virtual bool add(std::span<const ProviderIndex> providers) = 0;
    /// Whether nothing is wanted that the open parts may get.
    [[nodiscard]] virtual bool is_beyond(const PartialCandidate& /*candidate*/) { return false; }
};

/// Counts what it receives, until it has looked at a given number of providers of parts in all.
class CountingSink : public CandidateSink {
public:
    explicit CountingSink(std::uint64_t steps_max) : steps_left_(steps_max) {}
    bool add(std::span<const ProviderIndex> /*providers*/) override {
        ++count;
        return !gave_up();
    }
    [[nodiscard]] bool is_beyond(const PartialCandidate& /*candidate*/) override {
        steps_left_ -= steps_left_ > 0 ? 1 : 0;
        return gave_up();
    }
    /// Whether counting ended before everything was counted.
    [[nodiscard]] bool gave_up() const { return steps_left_ == 0; }

    std::uint64_t count = 0;

protected:
    void give_up() { steps_left_ = 0; }

private:
    std::uint64_t steps_left_;
};

/// Enumerates the candidates that are anchored at a tree, for one tree after another.
///
/// Order: a part with fewer providers is decided before one with more. The providers of a part are
///        tried by uuid.
class TreeSearch {
public:
    explicit TreeSearch(CandidatePlan& plan);
    /// Hands over every candidate that is anchored at the tree. Returns whether the search went on
    /// to the end.
    bool search(TreeIndex tree, CandidateSink& sink);
    /// How many candidates are anchored at the tree. Parts that do not affect each other are
    /// counted separately, and the counts are multiplied. For the others, if that takes less, it
    /// looks at the sets of parts that each provider can take instead of the candidates
    /// (count_by_provider.hpp). Nothing if some of the candidates may be anchored at other trees
    /// too. `sink` looks at the candidates that have to be enumerated, and may end that.
    /// Returns: at most 2^64 - 1.
    [[nodiscard]] std::optional<std::uint64_t> count(TreeIndex tree, CountingSink& sink);
    [[nodiscard]] std::uint64_t trees_searched() const { return trees_searched_; }
    [[nodiscard]] std::uint64_t providers_tried() const { return providers_tried_; }

private:
    bool prepare(TreeIndex tree);
    bool collect_options(TreeIndex tree);
    void sort_options();
    [[nodiscard]] bool suffices_in_sum();
    bool descend(std::size_t depth, CandidateSink& sink);
    [[nodiscard]] bool has_room(ProviderIndex provider, std::size_t part) const;
    [[nodiscard]] bool is_isolated(ProviderIndex provider, std::size_t part) const;
    [[nodiscard]] bool subtrees_can_hold(std::size_t part) const;
    [[nodiscard]] bool subtree_can_hold(const std::vector<std::size_t>& list) const;
    [[nodiscard]] bool has_traits() const;
    [[nodiscard]] std::uint64_t count_together(const std::vector<std::size_t>& parts,
                                               CountingSink& sink);
    [[nodiscard]] std::optional<std::uint64_t> count_by_provider(
        const std::vector<std::size_t>& parts);
    [[nodiscard]] bool can_take(ProviderIndex provider, const std::vector<std::size_t>& parts);

    CandidatePlan& plan_;
    const ProviderForest& forest_;
    std::vector<std::vector<CandidateOption>> options_;  ///< The options of each part.
    std::vector<std::size_t> order_;     ///< The parts in the order in which they are decided.
    std::vector<ProviderIndex> chosen_;  ///< The provider of each part.
    std::uint64_t trees_searched_ = 0;
    std::uint64_t providers_tried_ = 0;
};

}  // namespace berth::core
