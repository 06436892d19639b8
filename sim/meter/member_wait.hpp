#pragma once

#include "sim/clock/time.hpp"
#include "sim/job/members.hpp"
#include "sim/meter/censored_sample.hpp"

namespace berth::sim {

/// Adds the wait of a job's member; a member that its group started without counts as never
/// started. `now` matters for a member that waits.
void add_wait(CensoredSample& waits, const Member& member, SimTime now);

}  // namespace berth::sim
