#pragma once

#include <string>

#include "core/allocation_candidates/candidate_query.hpp"
#include "tests/model/plain_case.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

/// The query of a pod, for about this many CPUs and this much memory, that asks for small amounts
/// of what the case's servers have.
[[nodiscard]] std::string random_query(Dice& dice,
                                       const PlainCase& of,
                                       core::Amount cpus,
                                       core::Amount mebibytes);

/// Whether every name in the query that is not a standard one exists in the case.
[[nodiscard]] bool knows_names(const PlainCase& of, const core::CandidateQuery& query);

}  // namespace berth::tests
