#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "sim/backfill/first_times.hpp"
#include "sim/backfill/growing_room.hpp"
#include "sim/backfill/imagined_cluster.hpp"
#include "sim/backfill/timetable.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/profile/placer.hpp"
#include "sim/profile/profile.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// What will be free on each server, and when places are taken: by a running job until it is
/// expected to leave, by a waiting job from its promised start, for as long as it says it runs. A
/// promise is kept until it is taken back.
///
/// Cost:   earliest() looks at all servers as they are at the first time at which the job may
///         start, then at each change of what is free until it can, and while it would run. It
///         seeks a place once there is room for all members; where something is inside servers, at
///         each change after that until there is one. While nothing is promised it follows what
///         has changed since a job of the kind was asked about last (GrowingRoom). A promise costs
///         O(promises on its servers).
/// Limits: the greedy solver may miss a place that exists for a group; its promise is then too
///         late.
class ReservationPlan {
public:
    /// Both outlive the plan.
    ReservationPlan(const Profile& profile, const Cluster& cluster);

    /// Where and when a job could start.
    struct Start {
        SimTime at{};
        Attempt attempt;
    };

    /// Which jobs run, and until when.
    [[nodiscard]] Timetable& table() { return table_; }
    [[nodiscard]] const Timetable& table() const { return table_; }
    /// Whether amounts decide alone, from now on: nothing is inside servers, and no drain is to
    /// come.
    [[nodiscard]] bool is_by_amounts() const {
        return table_.places_inside() == 0 && table_.calendar().empty();
    }

    /// The first time, from `not_before` on, at which as many of `members` as are needed can start
    /// beside all promises and stay for `duration`; nothing: never.
    [[nodiscard]] std::optional<Start> earliest(const Job& job,
                                                core::Members members,
                                                SimTime duration,
                                                SimTime not_before);
    /// Compares the plan with who runs (`stays`), and itself: promises, dues, and what follows from
    /// what its imagined clusters show.
    [[nodiscard]] std::optional<core::Violation> find_violation(std::vector<Timetable::Stay> stays);
    /// Where they can start now and stay for `duration`, or nothing.
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
    /// When the next promise falls due. One that may fall due at any moment, since a job stays
    /// longer than expected, does not count.
    [[nodiscard]] std::optional<SimTime> next_due() const;
    /// The jobs that have a promise.
    [[nodiscard]] std::vector<JobId> promised() const;
    [[nodiscard]] std::size_t promise_count() const { return promises_.size(); }
    /// The place promised to a job, if it is free now and for at most `admitted` members, for the
    /// job to take; the promise is then taken back.
    [[nodiscard]] std::optional<Attempt> redeem(JobId id, const Job& job, core::Members admitted);

private:
    [[nodiscard]] SimTime first_time(const Job& job, SimTime duration, SimTime from);
    /// What room there is for jobs of one kind.
    struct Room {
        GrowingRoom room;
        std::uint64_t last_used = 0;
    };
    using RoomKey = std::tuple<Demand, core::Members, core::Members>;
    [[nodiscard]] GrowingRoom& room(const Job& job, core::Members members);
    [[nodiscard]] FirstTimes& first_times(const Job& job, SimTime duration);
    /// Whether amounts decide alone about a job, and it is a pod that asks for some.
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
    core::ChangeReader changes_;  ///< For now_free_.
    Timetable table_;
    std::map<JobId, Start> promises_;
    std::set<std::pair<SimTime, JobId>> dues_;
    ImaginedCluster then_;             ///< While a job would run, later.
    std::optional<SimTime> then_at_;   ///< When then_ is, if it is as at one time.
    core::ChangeReader then_changes_;  ///< Those of the table that then_ does not show.
    std::map<RoomKey, Room> rooms_;
    std::uint64_t rooms_used_ = 0;
    /// By demand, and by the shortest duration for which they are.
    std::map<std::pair<Demand, SimTime>, FirstTimes> first_times_;
    ImaginedCluster now_free_;               ///< While a job would run, from now on.
    std::vector<std::uint32_t> shown_less_;  ///< Places of which now_free_ shows less.
    std::vector<core::ServerId> hidden_;     ///< Those that now_free_ hides, by number.
};

}  // namespace berth::sim
