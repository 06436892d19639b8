#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/allocation_candidates/candidate_search.hpp"
#include "core/index/scorer.hpp"

namespace berth::core {

/// A candidate as the service writes it: what is taken of each provider, and which provider serves
/// which group. It is flat, so that one object is filled again and again without new memory.
struct AllocationCandidate {
    struct Taken {
        ProviderIndex provider = 0;
        ClassIndex resource_class = 0;
        Amount amount = 0;
    };
    struct Mapped {
        std::size_t group = 0;  ///< An index into the query's groups.
        ProviderIndex provider = 0;
    };
    std::vector<Taken> taken;    ///< Sorted by uuid, then by resource class; each pair once.
    std::vector<Mapped> mapped;  ///< Sorted by suffix, then by uuid; each pair once.
};

/// Writes candidates of one query.
class CandidateWriter {
public:
    /// All arguments outlive the writer; `parts` are those of a search for the query.
    CandidateWriter(const ProviderForest& forest,
                    const CandidateQuery& query,
                    const std::vector<CandidatePart>& parts);
    /// Adds up what the parts of a candidate take. The result is valid until the next call.
    [[nodiscard]] const AllocationCandidate& write(std::span<const ProviderIndex> providers);
    /// Appends bytes that compare in the same way as the candidate's JSON, written as one line with
    /// sorted keys.
    void append_key(std::span<const ProviderIndex> providers, std::string& key);

private:
    const ProviderForest& forest_;
    const std::vector<CandidatePart>& parts_;
    /// For each group, its place among the sorted suffixes.
    std::vector<std::uint32_t> by_suffix_;
    AllocationCandidate candidate_;
};

/// The numbers of the candidates in berth's order, which is the order of their JSON as one line
/// with sorted keys. The service's own order is that of a hash table.
/// Cost: O(n log n).
[[nodiscard]] std::vector<std::uint32_t> candidates_in_order(CandidateWriter& writer,
                                                             const CandidateList& candidates);

/// The mean of a scorer over the providers that a candidate takes from, where each is scored by the
/// classes that are taken of it. The service has no such score: it is berth's own.
///
/// Units: 1/1024 of the scorer's unit.
[[nodiscard]] std::int64_t candidate_score(const ProviderForest& forest,
                                           const AllocationCandidate& candidate,
                                           const Scorer& scorer);

/// The numbers of the candidates by descending score; equal ones in the order of
/// candidates_in_order().
/// Cost: O(n log n).
[[nodiscard]] std::vector<std::uint32_t> candidates_by_score(const ProviderForest& forest,
                                                             CandidateWriter& writer,
                                                             const CandidateList& candidates,
                                                             const Scorer& scorer);

}  // namespace berth::core
