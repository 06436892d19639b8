#include "sim/meter/member_wait.hpp"

namespace berth::sim {

void add_wait(CensoredSample& waits, const Member& member, SimTime now) {
    if (member.stint != nullptr) {
        waits.ended(seconds(member.waited()));
    } else if (member.outcome == Outcome::waiting) {
        waits.going_on(seconds(member.waited_by(now)));
    } else {
        waits.never();
    }
    waits.never_started(member.ever_started() ? 0 : 1);
}

}  // namespace berth::sim
