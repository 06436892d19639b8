#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/allocation_candidates/candidate_query.hpp"
#include "core/allocation_candidates/provider_forest.hpp"

namespace berth::core {

/// The part of a query that one provider serves: a whole suffixed group, or one resource class of
/// the unsuffixed group.
struct CandidatePart {
    std::size_t group = 0;                                 ///< An index into the query's groups.
    std::vector<std::pair<ClassIndex, Amount>> resources;  ///< Sorted by class.
};

/// Candidates, each of which has a provider for every part of the query.
class CandidateList {
public:
    explicit CandidateList(std::size_t part_count) : part_count_(part_count) {}
    [[nodiscard]] std::size_t size() const { return count_; }
    /// The provider of each part of a candidate.
    [[nodiscard]] std::span<const ProviderIndex> operator[](std::size_t candidate) const {
        return {providers_.data() + candidate * part_count_, part_count_};
    }
    void add(std::span<const ProviderIndex> providers) {
        providers_.insert(providers_.end(), providers.begin(), providers.end());
        ++count_;
    }

private:
    std::size_t part_count_;
    std::size_t count_ = 0;
    std::vector<ProviderIndex> providers_;
};

/// The search for the candidates of one query in a forest. It follows the forest's usages: an
/// answer holds for the moment at which it is given.
///
/// Source: OpenStack Placement 8.0.0, objects/allocation_candidate.py and research_context.py,
///         without that release's defects (docs/decisions/0024).
/// Cost:   a tree is looked at only if providers of it, or shared with it, still have what each
///         part asks for; in a tree, only what capacity allows is enumerated.
class CandidateSearch {
public:
    /// Both arguments outlive the search.
    CandidateSearch(const ProviderForest& forest, const CandidateQuery& query);
    ~CandidateSearch();
    CandidateSearch(const CandidateSearch&) = delete;
    CandidateSearch& operator=(const CandidateSearch&) = delete;

    /// The fault of a query that names a resource class or trait that does not exist, if the
    /// service notices it: it stops at the first part that nothing can serve. If there is a fault,
    /// nothing else may be asked.
    [[nodiscard]] std::optional<CandidateQueryFault> fault() const;
    [[nodiscard]] const std::vector<CandidatePart>& parts() const;

    /// All candidates in no particular order or, if the query has a `limit`, the first ones in the
    /// order of candidate_order.hpp. The cost of a limit depends on what is returned, not on what
    /// there is. Nothing if there are more than `candidates_max`.
    [[nodiscard]] std::optional<CandidateList> find(std::uint64_t candidates_max) const;
    /// How many candidates find() would give without a limit. They are not stored, and are not
    /// enumerated if parts depend on each other only by room and isolation. At most 2^64 - 1;
    /// nothing if `steps_max` providers of parts were looked at and some are left.
    [[nodiscard]] std::optional<std::uint64_t> count(
        std::uint64_t steps_max = count_steps_max) const;
    static constexpr std::uint64_t count_steps_max = 100'000'000;
    /// The trees at which a candidate is anchored, in ascending order.
    [[nodiscard]] std::vector<TreeIndex> anchors() const;
    /// The candidates anchored at one tree that are found first, at most `candidates_max`, which is
    /// at least 1.
    [[nodiscard]] CandidateList find_in(TreeIndex tree, std::uint64_t candidates_max) const;

    /// The number of trees looked at, and of providers tried for a part, so far. Tests use them to
    /// check that the work follows what is found.
    [[nodiscard]] std::uint64_t trees_searched() const;
    [[nodiscard]] std::uint64_t providers_tried() const;

private:
    [[nodiscard]] CandidateList find_first(std::uint64_t limit) const;

    class Plan;
    std::unique_ptr<Plan> plan_;
};

}  // namespace berth::core
