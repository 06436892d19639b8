#pragma once

#include <cstdint>

#include "schedulers/kai/decide/session.hpp"

namespace berth::core::kai {

enum class Action : std::uint8_t {
    allocate,
    consolidation,
    reclaim,
    preempt,
    stalegangeviction,
};

/// Does what one action of a cycle does, and adds it to the session's events.
///
/// Order:  by name wherever KAI's order is random.
/// Limits: searches have no time limit, and queues no limit of jobs per action.
/// Source: KAI v0.17.0.
void run_action(Session& session, Action action);

}  // namespace berth::core::kai
