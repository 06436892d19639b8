#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/allocation_candidates/candidate_search.hpp"
#include "core/index/scorer.hpp"

namespace berth::core {

/// A candidate as the service writes it: what is taken of each provider, and who serves which
/// group. Flat, so that one is filled again and again without new memory.
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
    std::vector<Taken> taken;    ///< By uuid, then by resource class; each pair once.
    std::vector<Mapped> mapped;  ///< By suffix, then by uuid; each pair once.
};

/// Writes candidates of one query.
class CandidateWriter {
public:
    /// All outlive the writer; `parts` are those of a search for the query.
    CandidateWriter(const ProviderForest& forest,
                    const CandidateQuery& query,
                    const std::vector<CandidatePart>& parts);
    /// Adds up what the parts of a candidate take. The result stays until the next call.
    [[nodiscard]] const AllocationCandidate& write(std::span<const ProviderIndex> providers);
    /// Appends bytes that compare as the candidate's JSON does, written as one line with sorted
    /// keys.
    void append_key(std::span<const ProviderIndex> providers, std::string& key);

private:
    const ProviderForest& forest_;
    const std::vector<CandidatePart>& parts_;
    std::vector<std::uint32_t> by_suffix_;  ///< By group: its place among the sorted suffixes.
    AllocationCandidate candidate_;
};

/// The candidates' numbers in berth's order: that of their JSON as one line with sorted keys. The
/// service's own order is that of a hash table.
/// Cost: O(n log n).
[[nodiscard]] std::vector<std::uint32_t> candidates_in_order(CandidateWriter& writer,
                                                             const CandidateList& candidates);

/// A scorer's mean over the providers that a candidate takes from, each by the classes that are
/// taken of it. The service has no such score: it is berth's own.
///
/// Units: 1/1024 of the scorer's.
[[nodiscard]] std::int64_t candidate_score(const ProviderForest& forest,
                                           const AllocationCandidate& candidate,
                                           const Scorer& scorer);

/// The candidates' numbers by descending score; equal ones as candidates_in_order() has them.
/// Cost: O(n log n).
[[nodiscard]] std::vector<std::uint32_t> candidates_by_score(const ProviderForest& forest,
                                                             CandidateWriter& writer,
                                                             const CandidateList& candidates,
                                                             const Scorer& scorer);

}  // namespace berth::core
