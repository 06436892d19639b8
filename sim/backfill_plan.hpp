#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "core/ledger.hpp"
#include "sim/placer.hpp"
#include "sim/profile.hpp"

namespace berth::sim {

/// What a cluster will look like if everybody leaves when expected: where and when jobs that wait
/// could start, and which place is kept for whom until then. A place is sought by the profile's own
/// scorers and solver, on a copy of the ledger in which each server has what is free there during
/// all of the time that the job needs it.
///
/// Cost:   the copy follows the ledger, O(servers changed); begin() is O(reserved); earliest()
///         seeks a place at each expected end until there is one, and before each O(servers in use
///         by what ends then + reserved servers x what is reserved there).
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

    /// Members of a job have started, and are expected to leave at `end`, or if that is past at any
    /// moment. The job stays where it is until forget().
    void expect(std::uint32_t index,
                const Job& job,
                core::ServerId server,
                core::Members members,
                SimTime end);
    /// All members of a job on a server have left, or are to be expected anew.
    void forget(std::uint32_t index, core::ServerId server);

    /// Plans anew, from the ledger as it is: nothing is reserved.
    void begin(SimTime now);
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
        std::uint32_t job = 0;  ///< Of what runs.
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
    [[nodiscard]] SimTime end_of(const Piece& running) const;

    const core::Ledger& ledger_;
    core::ChangeReader changes_;
    core::Ledger scratch_;  ///< As the ledger, but on servers that are reserved.
    Cluster cluster_;       ///< Of the scratch.
    Placer placer_;
    SimTime now_{};
    Pieces running_;   ///< Without what runs for ever.
    Pieces reserved_;  ///< Since begin().
    /// When and where something is given back. What runs has its job beside it.
    std::set<std::tuple<SimTime, core::ServerId, std::uint32_t>> running_ends_;
    std::map<SimTime, std::vector<core::ServerId>> reserved_ends_;
};

}  // namespace berth::sim
