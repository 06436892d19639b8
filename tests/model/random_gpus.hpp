#pragma once

#include "tests/model/plain_case.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

/// Gives a case's servers GPUs that its pods share, and amounts as servers with GPUs have them.
void share_gpus(Dice& dice, PlainCase& of);

/// What other kinds of devices need, too: memory as the second resource, and quotas that limit GPUs
/// as the third.
void add_memory(Dice& dice, PlainCase& of);
void limit_gpus(Dice& dice, PlainCase& of);
/// Limits another resource in the same way: a min of at most `most` units, or three times that for
/// a parent.
void limit(
    Dice& dice, PlainCase& of, const std::string& resource, std::int64_t most, core::Quantity unit);
/// Gives quotas `factor` times as much of a resource, as servers and pods got.
void scale_quotas(PlainCase& of, const std::string& resource, core::Amount factor);

}  // namespace berth::tests
