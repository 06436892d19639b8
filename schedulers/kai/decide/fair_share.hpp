#pragma once

#include "schedulers/kai/decide/queues.hpp"

namespace berth::core::kai {

/// Gives each queue its fair share of each resource: the top queues share `total`, and the children
/// of a queue share what it got. First all get their quota as far as they ask for it, even if
/// together it is more than there is. Then, from the highest priority down, whole units of the rest
/// by weight, and at last one unit each by what was rounded off.
///
/// Shape:  queues state quota, limit, weight, priority, creation, request and usage.
/// `k`:    how much usage in the past counts against a queue; at least 0.
/// Order:  sums go by name. In KAI they go in random order, which may change the last bits.
/// Limits: a share may exceed the request or the limit by less than one unit, as in KAI.
/// Source: KAI v0.17.0, resource division.
void set_fair_shares(Queues& queues, const Amounts& total, double k);

}  // namespace berth::core::kai
