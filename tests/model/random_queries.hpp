#pragma once

#include <string>

#include "core/allocation_candidates/candidate_query.hpp"
#include "tests/model/plain_case.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

/// A query of a pod, around so many CPUs and so much memory, that asks for little of what the
/// case's servers have.
[[nodiscard]] std::string random_query(Dice& dice,
                                       const PlainCase& of,
                                       core::Amount cpus,
                                       core::Amount mebibytes);

/// Whether every name of a query's that is no standard one exists in the case.
[[nodiscard]] bool knows_names(const PlainCase& of, const core::CandidateQuery& query);

}  // namespace berth::tests
