#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/ledger.hpp"
#include "sim/profile.hpp"
#include "sim/scheduler.hpp"

namespace berth::sim {

/// What a cluster will look like if everybody leaves when expected: where and when jobs that wait
/// could start, and which place is kept for whom until then. A place is sought by the profile's own
/// scorers and solver, on a copy of the ledger in which each server has what is free there during
/// all of the time that the job needs it.
///
/// Cost:   the copy follows the ledger, O(servers changed); begin() is O(running pods + reserved);
///         earliest() seeks a place at each expected end until there is one, and before each
///         O(servers in use by what ends then + reserved servers x what is reserved there).
/// Limits: servers have amounts alone (serves()). The greedy solver may miss a place for a group
///         that there is, and then its reservation comes too early or too late.
class BackfillPlan {
public:
    /// Whether a profile's decisions can be tried out on amounts alone.
    [[nodiscard]] static bool serves(const Profile& profile) {
        return !profile.devices && !profile.candidates && !profile.gpus;
    }
    /// Both outlive the plan.
    BackfillPlan(const Profile& profile, const core::Ledger& ledger);

    /// Where and when a job could start.
    struct Start {
        SimTime at{};
        Attempt attempt;
    };

    /// Plans anew, from the ledger as it is: nothing is reserved, nobody is expected to leave.
    void begin(SimTime now);
    /// Members of a job that run, and leave at `end`. Call follow() when they have just started.
    void expect(const Job& job, core::ServerId server, core::Members members, SimTime end);
    /// The ledger is another, with no release since begin().
    void follow();

    /// The first time from `not_before` on at which so many of its members can start and stay for
    /// `duration` beside all reservations, or nothing.
    [[nodiscard]] std::optional<Start> earliest(const Job& job,
                                                core::Members members,
                                                SimTime duration,
                                                SimTime not_before);
    /// Where they can start now, or nothing.
    [[nodiscard]] std::optional<Attempt> start_now(const Job& job,
                                                   core::Members members,
                                                   SimTime duration);
    /// Keeps the place. The job outlives the plan until the next begin().
    void reserve(const Job& job, const Start& start, SimTime duration);

private:
    struct Piece {
        SimTime from{};
        SimTime to{};
        const std::vector<core::Amount>* demand = nullptr;
        core::Members members = 0;
    };
    using Pieces = std::map<core::ServerId, std::vector<Piece>>;

    [[nodiscard]] std::vector<core::Amount> free_at(core::ServerId server, SimTime at) const;
    [[nodiscard]] std::vector<core::Amount> free_during(core::ServerId server,
                                                        SimTime from,
                                                        SimTime to) const;
    void show(core::ServerId server, std::span<const core::Amount> available);
    void show_as_it_is(core::ServerId server);
    void show_reserved(SimTime from, SimTime to);
    [[nodiscard]] std::optional<Attempt> find(const Job& job, core::Members members);

    const core::Ledger& ledger_;
    core::ChangeReader changes_;
    core::Ledger scratch_;  ///< As the ledger, but on servers that are reserved.
    Scheduler scheduler_;   ///< Of the scratch.
    SimTime now_{};
    Pieces running_;
    Pieces reserved_;
    std::map<SimTime, std::vector<core::ServerId>> ends_;  ///< Where something is given back.
};

}  // namespace berth::sim
