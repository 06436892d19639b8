#pragma once

#include "tests/model/plain_case.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

/// Gives a case's servers GPUs that its pods share, and amounts like those of servers with GPUs.
void share_gpus(Dice& dice, PlainCase& of);

/// What other kinds of devices need as well: memory as the second resource, and quotas that limit
/// GPUs as the third.
void add_memory(Dice& dice, PlainCase& of);
void limit_gpus(Dice& dice, PlainCase& of);
/// The same of another resource: a min of at most so many units, or of a parent three times that.
void limit(
    Dice& dice, PlainCase& of, const std::string& resource, std::int64_t most, core::Quantity unit);
/// Where servers and pods have `factor` times as much, quotas have it too.
void scale_quotas(PlainCase& of, const std::string& resource, core::Amount factor);

}  // namespace berth::tests
