#include "sim/job/members.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <map>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {

using core::Members;

namespace {

/// The members of some stints by server, in the order of the topology tree.
template <class Counts>
std::vector<core::PlacedNode> members_by_server(const JobRecord& record,
                                                const core::Topology& tree,
                                                Counts counts) {
    std::map<core::NodeId, Members> by_server;
    for (const Stint& stint : record.stints) {
        if (counts(stint)) {
            by_server[tree.node_of(stint.server)] += stint.members;
        }
    }
    std::vector<core::PlacedNode> servers;
    for (const auto& [node, count] : by_server) {
        servers.push_back({node, count});
    }
    return servers;
}

/// Extends the record's pasts to all members with numbers.
void fill_pasts(JobRecord& record) {
    MemberPast nothing_yet;
    nothing_yet.submit = record.job.submit;
    BERTH_ASSERT(std::cmp_less_equal(record.pasts.size(), record.numbered),
                 "only members with numbers have a past");
    record.pasts.resize(static_cast<std::size_t>(record.numbered), nothing_yet);
}

/// The work that each member of a stint did; the stint is over.
SimTime work_of(const Stint& stint) {
    return stint.work ? *stint.work
                      : work_done_in(*stint.finish - stint.start, stint.run_time_factor);
}

/// The stints, sorted by the number of their first member. Most jobs have one, for which nothing is
/// allocated.
boost::container::small_vector<const Stint*, 4> by_number(const JobRecord& record) {
    boost::container::small_vector<const Stint*, 4> stints;
    for (const Stint& stint : record.stints) {
        stints.push_back(&stint);
    }
    std::ranges::sort(stints, {}, &Stint::first);
    BERTH_ASSERT(std::ranges::adjacent_find(stints,
                                            [](const Stint* one, const Stint* next) {
                                                return one->first + one->members > next->first;
                                            }) == stints.end(),
                 "every member has one stint at most");
    return stints;
}

}  // namespace

SimTime Member::run_time(const JobRecord& record) const {
    BERTH_ASSERT(finished(), "a member that finished has a run time");
    const bool did_all = stint->start == record.start && stint->finish == record.finish &&
                         past.ran == record.ran_before;
    if (did_all && record.job.duration) {
        return *record.job.duration;
    }
    return past.kept + work_of(*stint);
}

void for_each_member(const JobRecord& record, const std::function<void(const Member&)>& visit) {
    const auto stints = by_number(record);
    Members with_stint = 0;
    for (const Stint* stint : stints) {
        with_stint += stint->members;
    }
    // Members that left in a resize are no longer part of the job's size.
    const Members left = with_stint - (record.start ? record.placed : 0);
    BERTH_ASSERT(left >= 0, "every member that was placed has a stint");
    const Members count = std::max(record.numbered, left + record.job.size);
    auto next = stints.begin();
    Members without = 0;
    for (Members number = 0; number < count; ++number) {
        Member member;
        member.number = number;
        const auto at = static_cast<std::size_t>(number);
        member.past.submit = record.job.submit;
        if (at < record.pasts.size()) {
            member.past = record.pasts[at];
        }
        while (next != stints.end() && (*next)->first + (*next)->members <= number) {
            ++next;
        }
        if (next != stints.end() && (*next)->first <= number) {
            member.stint = *next;
            member.outcome = member.stint->finish ? Outcome::finished : Outcome::running;
        } else {
            // A group that has started goes on without the other members, and a group that was made
            // smaller while it waited wants only as many as its size.
            const bool wanted = !record.start && without++ < record.job.size;
            member.outcome = wanted ? record.outcome : Outcome::dropped;
        }
        visit(member);
    }
}

void note_left(JobRecord& record, const Stint& stint) {
    BERTH_ASSERT(stint.finish, "who left a server has finished there");
    fill_pasts(record);
    const SimTime ran = *stint.finish - stint.start;
    const SimTime kept = work_of(stint) - stint.lost;
    BERTH_ASSERT(kept >= SimTime(0), "no more work is lost than was done");
    BERTH_ASSERT(stint.first >= 0 && stint.first + stint.members <= record.numbered,
                 "members that ran have their numbers");
    for (Members number = stint.first; number < stint.first + stint.members; ++number) {
        MemberPast& past = record.pasts[static_cast<std::size_t>(number)];
        past.ran += ran;
        past.kept += kept;
        past.lost += stint.lost;
    }
}

void note_evicted(JobRecord& record, const Stint& stint, EvictionCause cause) {
    note_left(record, stint);
    for (Members number = stint.first; number < stint.first + stint.members; ++number) {
        ++record.pasts[static_cast<std::size_t>(number)].evictions[static_cast<std::size_t>(cause)];
    }
}

void note_joined(JobRecord& record, Members first, SimTime now) {
    MemberPast nothing_yet;
    nothing_yet.submit = record.job.submit;
    record.pasts.resize(std::max(record.pasts.size(), static_cast<std::size_t>(first)),
                        nothing_yet);
    nothing_yet.submit = now;
    record.pasts.resize(std::max(record.pasts.size(), static_cast<std::size_t>(record.numbered)),
                        nothing_yet);
}

Members count_of(std::span<const core::PlacedNode> servers) {
    Members count = 0;
    for (const core::PlacedNode& server : servers) {
        BERTH_ASSERT(server.count > 0, "a server that is listed has members");
        count += server.count;
    }
    return count;
}

std::vector<core::PlacedNode> running_members(const JobRecord& record, const core::Topology& tree) {
    return members_by_server(record, tree, [](const Stint& stint) { return !stint.finish; });
}

void take_in_those_that_joined_at_the_start(JobRecord& record, const core::Topology& tree) {
    const std::vector<core::PlacedNode> servers = members_by_server(
        record, tree, [&](const Stint& stint) { return stint.start == *record.start; });
    if (record.placement.placed() < count_of(servers)) {
        record.placement = core::logical_tree(servers, tree);
    }
}

std::vector<Grant> end_members(JobRecord& record,
                               core::ServerId server,
                               Members gone,
                               SimTime now) {
    std::vector<Grant> grants;
    for (std::size_t i = record.stints.size(); i-- > 0 && gone > 0;) {
        Stint& stint = record.stints[i];
        if (stint.server != server || stint.finish) {
            continue;
        }
        const Members leaving = std::min(gone, stint.members);
        gone -= leaving;
        const auto kept =
            stint.grants.end() - std::min<std::ptrdiff_t>(leaving, std::ssize(stint.grants));
        grants.insert(grants.end(), kept, stint.grants.end());
        if (leaving == stint.members) {
            stint.finish = now;
            continue;
        }
        stint.members -= leaving;
        Stint ended = stint;
        ended.grants.assign(kept, stint.grants.end());
        stint.grants.erase(kept, stint.grants.end());
        ended.members = leaving;
        ended.first = stint.first + stint.members;
        ended.finish = now;
        record.stints.insert(record.stints.begin() + static_cast<std::ptrdiff_t>(i) + 1, ended);
    }
    BERTH_ASSERT(gone == 0, "members that leave a server were there");
    return grants;
}

FreeNumbers::FreeNumbers(const Stints& left) {
    for (const Stint& stint : left) {
        taken_.push_back({stint.first, stint.members});
    }
    std::ranges::sort(taken_, {}, &Range::first);
}

FreeNumbers::Range FreeNumbers::take(Members most) {
    for (; at_ < taken_.size() && taken_[at_].first == next_; ++at_) {
        next_ += taken_[at_].count;
    }
    const Members gap = at_ < taken_.size() ? taken_[at_].first - next_ : most;
    BERTH_ASSERT(most > 0 && gap > 0, "there is a number for every member");
    const Range range{next_, std::min(most, gap)};
    next_ += range.count;
    return range;
}

}  // namespace berth::sim
