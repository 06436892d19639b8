#pragma once

#include "sim/clock/time.hpp"
#include "sim/job/members.hpp"
#include "sim/meter/censored_sample.hpp"

namespace berth::sim {

/// Adds the wait of a job's member; one that its group started without never starts. `now` matters
/// for a member that waits.
void add_wait(CensoredSample& waits, const Member& member, SimTime now);

}  // namespace berth::sim
