#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"
#include "sim/job/records.hpp"

namespace berth::sim {

/// One member of a job at the end of the run: a row of pods.csv, and one pod in every metric that
/// counts pods.
struct Member {
    core::Members number = 0;
    const Stint* stint = nullptr;  ///< Its last stint; nullptr if it never had a place, or lost it.
    MemberPast past{};
    Outcome outcome = Outcome::waiting;

    /// All its time in the queue. The member has a stint.
    [[nodiscard]] SimTime waited() const {
        BERTH_ASSERT(stint != nullptr, "a member that had a place waited until then");
        return waited_by(stint->start);
    }
    /// The same for a member that waits now.
    [[nodiscard]] SimTime waited_by(SimTime now) const { return now - past.submit - past.ran; }
    [[nodiscard]] bool finished() const { return stint != nullptr && stint->finish; }
    /// Whether it had a place at any time, also if it was evicted since.
    [[nodiscard]] bool ever_started() const { return stint != nullptr || any(past.evictions); }
    /// The time from its submission until it finished. The member has finished.
    [[nodiscard]] SimTime completion() const { return *stint->finish - past.submit; }
    /// The time of the work that it did and did not lose. The member has finished.
    [[nodiscard]] SimTime run_time(const JobRecord& record) const;
};

/// Calls `visit` for each member of a job whose run is over, by number: for those that ran at any
/// time, and for those that the job still wanted.
void for_each_member(const JobRecord& record, const std::function<void(const Member&)>& visit);

/// Adds the evictions and the lost work of a stint that an eviction ended to its members' pasts.
void note_evicted(JobRecord& record, const Stint& stint, EvictionCause cause);
/// The same for a stint whose members left to go elsewhere, or to go on later.
void note_left(JobRecord& record, const Stint& stint);
/// Notes that members with numbers from `first` on came to be now, when they joined the group.
void note_joined(JobRecord& record, core::Members first, SimTime now);

/// How many members are on these servers. Each of them has some.
[[nodiscard]] core::Members count_of(std::span<const core::PlacedNode> servers);

/// The members of a running job by server, in the order of the topology tree.
[[nodiscard]] std::vector<core::PlacedNode> running_members(const JobRecord& record,
                                                            const core::Topology& tree);

/// A scheduler may start the members of a group one by one. Adds those that started with the first
/// of them, at the last start of the group, to its placement. Cost: O(stints).
void take_in_those_that_joined_at_the_start(JobRecord& record, const core::Topology& tree);

/// Ends `gone` members on a server, beginning with those that started last. Returns their grants.
[[nodiscard]] std::vector<Grant> end_members(JobRecord& record,
                                             core::ServerId server,
                                             core::Members gone,
                                             SimTime now);

/// Gives numbers to members that start with their job: the lowest numbers except those of members
/// that left in a resize, so that evicted members get their numbers back.
class FreeNumbers {
public:
    explicit FreeNumbers(const Stints& left);
    /// All numbers from `first` on.
    explicit FreeNumbers(core::Members first) : next_(first) {}

    struct Range {
        core::Members first = 0;
        core::Members count = 0;
    };
    /// The next range of consecutive numbers, at most `most`.
    [[nodiscard]] Range take(core::Members most);

private:
    std::vector<Range> taken_;  ///< Numbers in use, ascending.
    std::size_t at_ = 0;
    core::Members next_ = 0;
};

}  // namespace berth::sim
