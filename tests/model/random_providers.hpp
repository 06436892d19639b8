#pragma once

#include "tests/model/plain_case.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

/// Gives a case's servers trees of resource providers, some of them shared, of which its pods take
/// allocation candidates.
void ask_for_candidates(Dice& dice, PlainCase& of);

/// What a pod with a query takes of its server's amounts, whichever candidate it gets: what shared
/// providers may serve as well is left out.
void settle_demand(const PlainCase& of, sim::Job& job);

}  // namespace berth::tests
