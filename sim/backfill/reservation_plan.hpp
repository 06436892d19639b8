#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/index/first_best.hpp"
#include "core/ledger/change_log.hpp"
#include "core/ledger/ledger.hpp"
#include "core/tree/ids.hpp"
#include "sim/backfill/imagined_cluster.hpp"
#include "sim/backfill/timetable.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/job/job.hpp"
#include "sim/profile/placer.hpp"
#include "sim/profile/profile.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// Knows, for pods of one demand that run for some time or longer, from when on each server may
/// have room for one, beside all running members and all promises. Promises and starts only make
/// that later, so that a search looks again only at servers that may have room before the first
/// time found.
///
/// Cost: made in O(servers); a search looks at the steps of each server that may have room no later
///       than its answer, and at those of servers on which something was given back since the last
///       search.
class FirstTimes {
public:
    /// Made for pods that run for at least `shortest`. `table` outlives it.
    FirstTimes(Timetable& table, Demand demand, SimTime shortest);

    struct Found {
        SimTime at = never;                     ///< `never`: no server has room.
        std::vector<core::ServerId> servers{};  ///< All servers that have room from then on, by
                                                ///< number.
    };
    /// The first time from `from` on at which a server has room for all of `duration`. `from` is
    /// not in the past.
    [[nodiscard]] Found find(SimTime duration, SimTime from);

private:
    void forget_freed();

    Timetable& table_;
    core::ChangeReader freed_;
    Demand demand_;
    SimTime shortest_;
    core::FirstBest<SimTime, std::greater<>> since_;  ///< Earliest time with room, by server.
};

/// Rounds a duration down to one of four times in each power of two, so that pods that run for
/// about as long share one FirstTimes.
[[nodiscard]] SimTime shortest_alike(SimTime duration);

/// When there is room for jobs of one kind, while nothing is promised and no drain is to come: what
/// is free on a server then only grows, as running members leave it. It stays at the last answer,
/// because the next one is seldom far from it.
///
/// Cost: made in O(servers); afterwards a look at each server that changed since the last question,
///       and at each server that members leave between the last answer and the new one.
/// Limits: it counts by amounts, and ignores what is inside servers.
class GrowingRoom {
public:
    /// Made for jobs that ask for as much as this one, with `members` members. `table` outlives it.
    GrowingRoom(Timetable& table, const Job& job, core::Members members);

    /// Goes to the first time, from now on, at which as many members fit as have to start. Returns
    /// whether there is one.
    [[nodiscard]] bool go_to_first();
    /// Goes on to the next time at which members leave. Returns whether there is one.
    [[nodiscard]] bool advance();
    /// The time to which it went.
    [[nodiscard]] SimTime at() const { return at_; }
    /// For a single pod, at the first time: the servers with room, by number.
    [[nodiscard]] std::vector<core::ServerId> first_servers() const;

private:
    void follow();
    [[nodiscard]] bool go_back();
    void look(core::ServerId server, SimTime time);

    Timetable& table_;
    core::ChangeReader changes_;
    Demand demand_;
    core::Members members_;
    core::Members needed_;
    SimTime at_{};
    core::Members all_ = 0;            ///< The sum of fits_.
    std::vector<core::Members> fits_;  ///< Members that fit at at_, by server: at most members_.
};

/// What will be free on each server, and when places are taken: by a running job until it is
/// expected to leave, by a waiting job from its promised start for as long as it says it runs. A
/// promise is kept until it is taken back.
///
/// Cost:   earliest() looks at all servers as they are at the first time at which the job may
///         start, then at each change of what is free until the job can start, and while it would
///         run. It seeks a place once there is room for all members; where something is inside
///         servers, it does so at each later change until there is one. While nothing is promised,
///         it follows what has changed since it was last asked about a job of the kind
///         (GrowingRoom). A promise costs O(promises on its servers).
/// Limits: the greedy solver may miss a place that exists for a group; the group's promise is then
///         too late.
class ReservationPlan {
public:
    /// `profile` and `cluster` outlive the plan.
    ReservationPlan(const Profile& profile, const Cluster& cluster);

    /// Where and when a job could start.
    struct Start {
        SimTime at{};
        Attempt attempt;
    };

    /// Which jobs run, and until when.
    [[nodiscard]] Timetable& table() { return table_; }
    [[nodiscard]] const Timetable& table() const { return table_; }
    /// Whether from now on amounts alone decide: nothing is inside servers, and no drain is to
    /// come.
    [[nodiscard]] bool is_by_amounts() const {
        return table_.places_inside() == 0 && table_.calendar().empty();
    }

    /// The first time, from `not_before` on, at which as many of `members` members as are needed
    /// can start beside all promises and stay for `duration`; nothing: never.
    [[nodiscard]] std::optional<Start> earliest(const Job& job,
                                                core::Members members,
                                                SimTime duration,
                                                SimTime not_before);
    /// Compares the plan with the running members (`stays`), and its parts with each other:
    /// promises, due times, and what follows from what its imagined clusters show.
    [[nodiscard]] std::optional<core::Violation> find_violation(std::vector<Timetable::Stay> stays);
    /// Where `members` members can start now and stay for `duration`, or nothing.
    [[nodiscard]] std::optional<Attempt> start_now(const Job& job,
                                                   core::Members members,
                                                   SimTime duration);

    /// Promises a place to a job that has none.
    void promise(JobId id, const Job& job, Start start, SimTime duration);
    void take_back(JobId id);
    /// When the job that has a promise may start.
    [[nodiscard]] SimTime promised_start(JobId id) const { return promises_.at(id).at; }
    [[nodiscard]] bool has_promise(JobId id) const { return promises_.contains(id); }
    /// The promises whose time has come.
    [[nodiscard]] std::vector<JobId> due() const;
    /// When the next promise falls due. A promise that may fall due at any moment, because a job
    /// stays longer than expected, does not count.
    [[nodiscard]] std::optional<SimTime> next_due() const;
    /// The jobs that have a promise.
    [[nodiscard]] std::vector<JobId> promised() const;
    [[nodiscard]] std::size_t promise_count() const { return promises_.size(); }
    /// The place promised to a job, to be taken by it, if the place is free now and for at most
    /// `admitted` members; the promise is then taken back.
    [[nodiscard]] std::optional<Attempt> redeem(JobId id, const Job& job, core::Members admitted);

private:
    [[nodiscard]] SimTime first_time(const Job& job, SimTime duration, SimTime from);
    /// The room for jobs of one kind.
    struct Room {
        GrowingRoom room;
        std::uint64_t last_used = 0;
    };
    using RoomKey = std::tuple<Demand, core::Members, core::Members>;
    [[nodiscard]] GrowingRoom& room(const Job& job, core::Members members);
    [[nodiscard]] FirstTimes& first_times(const Job& job, SimTime duration);
    /// Whether amounts alone decide about a job, and it is a pod that asks for some.
    [[nodiscard]] bool is_by_amounts(const Job& job) const;
    [[nodiscard]] Attempt choose(const Job& job,
                                 std::span<const core::ServerId> servers,
                                 SimTime at,
                                 SimTime duration);
    [[nodiscard]] std::optional<Start> earliest_of_growing(const Job& job,
                                                           core::Members members,
                                                           SimTime duration);
    [[nodiscard]] std::optional<Start> earliest_of_pod(const Job& job,
                                                       SimTime duration,
                                                       SimTime from);
    void erase(JobId id);
    void show_then(SimTime at);
    void show_now(std::uint32_t place);
    void follow_now();
    void hide_drained(SimTime duration);
    void show_during(std::uint32_t place, SimTime from, SimTime to);

    const Profile& profile_;
    const Cluster& cluster_;
    const core::Ledger& ledger_;
    core::ChangeReader changes_;  ///< The changes of the ledger that now_free_ does not show yet.
    Timetable table_;
    std::map<JobId, Start> promises_;
    std::set<std::pair<SimTime, JobId>> dues_;
    ImaginedCluster then_;             ///< The cluster while a job would run, from a later time on.
    std::optional<SimTime> then_at_;   ///< The time that then_ shows, if it shows the cluster at
                                       ///< one time.
    core::ChangeReader then_changes_;  ///< The changes of the table that then_ does not show.
    std::map<RoomKey, Room> rooms_;
    std::uint64_t rooms_used_ = 0;
    /// Keyed by demand, and by the shortest duration for which they hold.
    std::map<std::pair<Demand, SimTime>, FirstTimes> first_times_;
    ImaginedCluster now_free_;               ///< The cluster while a job would run, from now on.
    std::vector<std::uint32_t> shown_less_;  ///< Places for which now_free_ shows less than there
                                             ///< is.
    std::vector<core::ServerId> hidden_;     ///< Servers that now_free_ hides, by number.
};

}  // namespace berth::sim
