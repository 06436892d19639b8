#pragma once

#include "tests/model/plain_case.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

/// Gives a case's servers trees of resource providers, some of them shared, and lets its pods take
/// allocation candidates from them.
void ask_for_candidates(Dice& dice, PlainCase& of);

/// Sets what a pod with a query takes of its server's amounts, whichever candidate it gets:
/// whatever shared providers may serve, too, is left out.
void settle_demand(const PlainCase& of, sim::Job& job);

}  // namespace berth::tests
