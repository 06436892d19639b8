#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/ledger.hpp"
#include "sim/placer.hpp"
#include "sim/profile.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// What will be free of each server, and until when places are promised: of jobs that run until
/// they are expected to leave, of jobs that wait from the start that they were promised, for as
/// long as they say they take. A promise is kept until it is taken back.
///
/// Cost:   earliest() looks at each change of what is free between the first time at which the job
///         may start and the one at which it can, and for a group of several members then at all
///         changes while it would run; it seeks a place once there is room for all members. A
///         promise costs O(promises on its servers).
/// Limits: servers have amounts alone. The greedy solver may miss a place for a group that there
///         is, and then its promise comes too late.
class ReservationPlan {
public:
    /// Both outlive the plan.
    ReservationPlan(const Profile& profile, const core::Ledger& ledger);

    /// Where and when a job could start.
    struct Start {
        SimTime at{};
        Attempt attempt;
    };

    /// Members of a job run, and are expected to leave at `end`; who stays longer may leave at any
    /// moment after that.
    void runs(JobId id, const Job& job, core::ServerId server, core::Members members, SimTime end);
    /// Members of a job have left a server. Returns whether that was before they were expected to.
    bool stops(JobId id, core::ServerId server);
    /// Servers have changed besides what runs() and stops() said.
    void servers_changed();

    /// The first time, from `not_before` on, at which as many of `members` as have to can start
    /// beside all that is promised, and stay for `duration`; nothing: never.
    [[nodiscard]] std::optional<Start> earliest(const Job& job,
                                                core::Members members,
                                                SimTime duration,
                                                SimTime not_before);
    /// Where they can start now and stay for `duration`, or nothing.
    [[nodiscard]] std::optional<Attempt> start_now(const Job& job,
                                                   core::Members members,
                                                   SimTime duration);
    /// The time is `now`, never before what it was.
    void set_now(SimTime now);

    /// Promises a place to a job that has none.
    void promise(JobId id, const Job& job, Start start, SimTime duration);
    void take_back(JobId id);
    /// When the job that has a promise may start.
    [[nodiscard]] SimTime promised_start(JobId id) const { return promises_.at(id).start.at; }
    [[nodiscard]] bool has_promise(JobId id) const { return promises_.contains(id); }
    /// The promises whose time has come.
    [[nodiscard]] std::vector<JobId> due() const;
    /// When the next one's does.
    [[nodiscard]] std::optional<SimTime> next_due() const;
    /// What was promised, if it is free now, for the job to take; the promise is taken back then.
    [[nodiscard]] std::optional<Attempt> redeem(JobId id);

private:
    /// Members that have a place from one time to another.
    struct Piece {
        JobId job;
        bool runs = false;  ///< Then `from` is past.
        SimTime from{};
        SimTime to{};
        core::Members members = 0;
        std::vector<core::Amount> amounts;  ///< Of all of them.
    };
    /// A server's pieces, and what is free of it from each of `times` on; the first is past.
    struct Server {
        std::vector<Piece> pieces;
        bool stale = true;
        std::vector<SimTime> times;
        std::vector<core::Amount> free;  ///< By time and resource.
    };
    struct Promise {
        Start start;
        SimTime until{};
    };
    class Search;

    void add(core::ServerId server, Piece piece);
    void remove(core::ServerId server, JobId id);
    Server& timeline(std::uint32_t server);
    void rebuild(std::uint32_t server);
    [[nodiscard]] SimTime end_of(const Piece& piece) const;
    [[nodiscard]] SimTime first_time_on(
        std::uint32_t server, const Job& job, SimTime duration, SimTime from, SimTime before);
    [[nodiscard]] SimTime first_time(const Job& job, SimTime duration, SimTime from);
    /// A cluster in which as much is free as is wanted, with the profile's placer.
    struct Scratch {
        Scratch(const Profile& profile, const core::Ledger& ledger);
        void show(const core::Ledger& ledger,
                  std::uint32_t server,
                  std::span<const core::Amount> available);
        [[nodiscard]] std::optional<Attempt> find(const Job& job, core::Members members);

        core::Ledger ledger;
        Cluster cluster;
        Placer placer;
    };
    void show_now(std::uint32_t server);
    [[nodiscard]] std::vector<core::Amount> free_during(std::uint32_t server,
                                                        SimTime from,
                                                        SimTime to);

    const core::Ledger& ledger_;
    core::ChangeReader changes_;  ///< For now_free_.
    std::size_t resources_;
    SimTime now_{};
    std::vector<Server> servers_;
    std::map<JobId, Promise> promises_;
    std::set<std::pair<SimTime, JobId>> dues_;
    /// When who runs is expected to leave a server.
    std::set<std::tuple<SimTime, std::uint32_t, JobId>> ends_;
    std::map<std::uint32_t, std::size_t> promised_on_;  ///< By server: how many promises.
    Scratch then_;                                      ///< While a job would run later.
    Scratch now_free_;                                  ///< While one would run from now on.
    std::vector<std::uint32_t> shown_less_;  ///< Servers of which now_free_ has less than is free.
};

}  // namespace berth::sim
