#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/ledger/change_log.hpp"
#include "core/ledger/ledger.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// Which members have what of each server, and of what servers share, and until when: running
/// members until they are expected to leave, and members with a promised place. From this follows
/// what is free at what time.
///
/// Cost: a change goes into the steps of its server, O(steps). Where something is inside, it makes
///       the steps stale, as do members that stay for longer than expected when time goes on, and
///       other changes of servers; stale steps are rebuilt when they are asked for, in O(pieces log
///       pieces), and in O(steps x pieces) where something is inside.
class Timetable {
public:
    /// Members on one server from one time to another, and what they have of the server.
    struct Piece {
        JobId job;
        core::ServerId server;
        std::optional<SimTime> from;  ///< Nothing: the members run.
        SimTime to{};
        Demand amounts;             ///< The amounts of all these members.
        core::Members limited = 0;  ///< How many members there are, if the job's application has a
                                    ///< limit.
        Label application{};        ///< The application; all its pods count for the limit.
        std::vector<Grant> grants{};
    };
    /// A server or, after the servers, something that they share (Inside::places()): its pieces,
    /// and what is free and what is taken inside from each of `times` on; the first time is in the
    /// past.
    struct Place {
        std::vector<Piece> pieces;
        bool stale = true;     ///< Whether the steps have to be rebuilt.
        bool shifted = false;  ///< All steps may be off by the same amounts.
        std::vector<SimTime> times;
        std::vector<std::uint32_t> turns;   ///< How many pieces begin or end at each time.
        std::vector<core::Amount> free;     ///< What is free, by time and resource; not used for
                                            ///< what is shared.
        std::vector<Inside::Taken> inside;  ///< What is taken inside from each time on.

        /// The step that holds at a time.
        [[nodiscard]] std::size_t step_at(SimTime time) const;
        /// The end of the steps that begin before `time`, after `begin`. Cost: O(steps between).
        [[nodiscard]] std::size_t steps_until(SimTime time, std::size_t begin) const {
            std::size_t end = begin + 1;
            while (end < times.size() && times[end] < time) {
                ++end;
            }
            return end;
        }
    };

    /// The cluster outlives it.
    explicit Timetable(const Cluster& cluster);

    /// Sets the current time, which never goes back.
    void set_now(SimTime now);
    [[nodiscard]] SimTime now() const { return now_; }
    /// Members of a job run, and are expected to leave at `end`; members that stay longer may leave
    /// at any moment after that.
    void runs(JobId id, const Job& job, const Stint& stint, SimTime end);
    /// Members of a job leave a server now. set_now() is called after it, so that members that
    /// leave at their expected end are not taken for ones that stay longer. Returns whether this is
    /// before that end.
    bool stops(JobId id, core::ServerId server, SimTime now);
    /// Servers have changed in other ways than runs() and stops() said.
    void servers_changed();
    /// Members have a place on a server from one time to another; `grants` as in Attempt.
    void promise(JobId id,
                 const Job& job,
                 core::ServerId server,
                 core::Members members,
                 std::span<const Grant> grants,
                 SimTime from,
                 SimTime to);
    /// What a job has on a server, or is promised there, is free again.
    void take_back(JobId id, core::ServerId server);

    [[nodiscard]] std::uint32_t servers() const { return server_count_; }
    /// The servers whose steps may have changed, in order.
    [[nodiscard]] const core::ChangeLog& changes() const { return changes_; }
    /// The servers on which something may have been given back that was counted as taken for
    /// longer.
    [[nodiscard]] const core::ChangeLog& freed() const { return freed_; }
    void note_freed(core::ServerId server) { freed_.add(server); }
    /// The first time from `from` on at which a server has room for a pod for all of `duration`;
    /// `before` if there is none before that.
    [[nodiscard]] SimTime first_room(std::uint32_t server,
                                     std::span<const core::Amount> demand,
                                     SimTime duration,
                                     SimTime from,
                                     SimTime before);
    /// The next time after `time` at which running members are expected to leave, or the last one
    /// up to it. Only future times count: members that stay for longer than expected may leave a
    /// moment from now.
    [[nodiscard]] std::optional<SimTime> next_end(SimTime time) const;
    [[nodiscard]] std::optional<SimTime> last_end(SimTime time) const;
    /// Calls `visit` with each server that members leave at `end`, which is one of these times.
    template <class Visit>
    void each_left_at(SimTime end, Visit visit) const {
        const bool any_moment = end == now_ + SimTime(1);
        auto leaving = any_moment ? ends_.begin() : ends_.lower_bound({end, 0, JobId{0}});
        for (; leaving != ends_.end() && std::get<SimTime>(*leaving) <= end; ++leaving) {
            visit(core::ServerId{std::get<std::uint32_t>(*leaving)});
        }
    }
    /// When servers are drained; their steps do not say it.
    [[nodiscard]] const DrainCalendar& calendar() const { return cluster_.calendar(); }
    [[nodiscard]] std::uint32_t places() const {
        return static_cast<std::uint32_t>(places_.size());
    }
    /// How many places have something inside; these are the first ones.
    [[nodiscard]] std::uint32_t places_inside() const { return inside_count_; }
    /// A place, with its steps up to date.
    [[nodiscard]] const Place& at(std::uint32_t place) {
        Place& here = places_[place];
        if (here.stale) {
            rebuild(place);
        } else if (here.shifted) {
            shift(place);
        }
        return here;
    }
    /// What is free on a server in one step.
    [[nodiscard]] std::span<const core::Amount> free(const Place& server, std::size_t step) const {
        return std::span(server.free).subspan(step * resources_, resources_);
    }
    /// Writes the least that is free on a server in any of these steps to `least`.
    void least_free(const Place& server,
                    std::size_t begin,
                    std::size_t end,
                    std::span<core::Amount> least) const {
        const core::Amount* free = server.free.data() + begin * resources_;
        std::copy_n(free, resources_, least.data());
        for (std::size_t step = begin + 1; step < end; ++step) {
            free += resources_;
            for (std::size_t r = 0; r < resources_; ++r) {
                least[r] = std::min(least[r], free[r]);
            }
        }
    }
    /// All that is taken inside a place in any of these steps.
    [[nodiscard]] Inside::Taken taken(std::uint32_t place, std::size_t begin, std::size_t end);
    /// The most pods of a job's application that are on a server in any of these steps. The
    /// application has a limit.
    [[nodiscard]] core::Members pods(const Job& job,
                                     std::uint32_t server,
                                     std::size_t begin,
                                     std::size_t end);
    /// Places at which something is promised.
    [[nodiscard]] const std::map<std::uint32_t, std::size_t>& promised() const {
        return promised_at_;
    }
    /// Members that run on a server, as given to runs(); or, with `from` and without job and `to`,
    /// members with a promise there.
    struct Stay {
        JobId id;
        const Job* job = nullptr;
        core::ServerId server;
        core::Members members = 0;
        std::span<const Grant> grants{};
        std::optional<SimTime> from{};
        SimTime to{};
    };
    /// Compares it with all members that have something of a server, given in any order, and the
    /// steps of each place with those that follow from its pieces and from what is free now.
    [[nodiscard]] std::optional<core::Violation> find_violation(std::span<const Stay> all) const;
    /// Whether everything that is promised to a job's members on these servers is free now,
    /// together.
    [[nodiscard]] bool is_free_now(JobId id,
                                   const Job& job,
                                   std::span<const core::PlacedNode> servers) const;

private:
    [[nodiscard]] Piece piece(JobId id,
                              const Job& job,
                              core::ServerId server,
                              core::Members members,
                              std::span<const Grant> grants) const;
    [[nodiscard]] std::vector<std::uint32_t> places_of(const Piece& piece) const;
    void add(const Piece& piece);
    void make_stale(std::uint32_t place);
    void note_change(std::uint32_t place);
    /// begin_turn or end_turn.
    using Turn = void (Timetable::*)(Place&, SimTime, std::span<const core::Amount>, int);
    /// Applies begin_turn or end_turn to the steps of a place, for a piece that comes or goes.
    void change_steps(std::uint32_t place, const Piece& piece, Turn turn);
    void begin_turn(Place& here, SimTime at, std::span<const core::Amount> amounts, int sign);
    void end_turn(Place& here, SimTime at, std::span<const core::Amount> amounts, int sign);
    void shift(std::uint32_t place);
    void rebuild(std::uint32_t place);
    void rebuild_inside(std::uint32_t place);
    [[nodiscard]] SimTime end_of(const Piece& piece) const;
    [[nodiscard]] bool has_room_now(core::ServerId server,
                                    const Piece& piece,
                                    const Job& job) const;

    const Cluster& cluster_;
    const core::Ledger& ledger_;
    std::size_t resources_;
    std::uint32_t server_count_;
    std::uint32_t inside_count_;
    SimTime now_{};
    std::vector<Place> places_;
    /// When running jobs are expected to leave a server.
    std::set<std::tuple<SimTime, std::uint32_t, JobId>> ends_;
    std::map<std::uint32_t, std::size_t> promised_at_;  ///< Number of promised pieces, by place.
    core::ChangeLog changes_;
    core::ChangeLog freed_;
    std::vector<core::Amount> shift_;  ///< Used only by shift().
};

}  // namespace berth::sim
