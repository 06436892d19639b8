#pragma once

#include "schedulers/kai/decide/session.hpp"

namespace berth::core::kai {

/// Moves pods to make room for jobs that would fit otherwise; none may be lost.
void consolidate(Session& session);
/// Takes from queues that have more than their due.
void reclaim(Session& session);
/// Takes from jobs of the same queue with lower priorities.
void preempt(Session& session);

}  // namespace berth::core::kai
