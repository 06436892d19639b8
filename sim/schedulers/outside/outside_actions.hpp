#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scheduler/scheduler.hpp"
#include "sim/schedulers/outside/free_amounts.hpp"
#include "sim/schedulers/outside/job_order.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"
#include "sim/schedulers/outside/turns.hpp"

namespace berth::sim {

/// What a scheduler sees that somebody else wrote, and its verbs. Each verb is checked first, and
/// one that cannot be carried out is a SchedulerError that changes nothing.
class OutsideActions {
public:
    /// All outlive it; whoever makes it keeps the lists up to date.
    OutsideActions(Actions& actions,
                   const JobOrder& waiting,
                   const JobOrder& running,
                   FreeAmounts& free,
                   Turns& turns)
        : actions_(actions), waiting_(waiting), running_(running), free_(free), turns_(turns) {}

    [[nodiscard]] SimTime now() const { return actions_.now(); }
    [[nodiscard]] const Cluster& cluster() const { return actions_.cluster(); }
    /// Jobs in the order in which they came to wait. One that lost its places comes behind all
    /// others, unless the experiment has it keep its place.
    [[nodiscard]] const JobOrder& waiting() const { return waiting_; }
    /// Jobs in the order of their starts.
    [[nodiscard]] const JobOrder& running() const { return running_; }
    /// Whether a number names a job that waits or runs.
    [[nodiscard]] bool knows(JobId id) const {
        return waiting_.contains(id) || running_.contains(id);
    }
    /// Of a job that it knows, or is being told about.
    [[nodiscard]] const JobState& job(JobId id) const { return actions_.job(id); }
    /// What pods may take of each server now: a row for each server, a column for each resource;
    /// zeros for a server that takes none. The array stays where it is, and is up to date when this
    /// is called.
    [[nodiscard]] std::span<const core::Amount> free() const { return free_.rows(); }
    /// That array, to be read by those who keep it beyond the run.
    [[nodiscard]] std::shared_ptr<std::vector<core::Amount>> shared_free() const {
        return free_.shared_rows();
    }

    /// A waiting job starts with so many members on each of these servers, in any order.
    /// Errors: SchedulerError for a job that does not wait; a server that is none, is listed twice,
    ///         takes no pods or has no room; fewer members than min_available, or more than size.
    void start(JobId id, std::vector<core::PlacedNode> servers);
    /// A running job loses its places and waits again.
    void evict(JobId id);
    /// A waiting group asks for another size from now on (`after` is empty), or a running group has
    /// its members on these servers. No member that stays moves.
    /// Returns: false, and nothing happens, where the job hangs on a server that has failed, which
    ///          nobody can know.
    bool resize(JobId id, core::Members size, std::vector<core::PlacedNode> after);
    /// A waiting job is refused for good.
    void reject(JobId id, std::string reason);
    /// It has another turn at that time; at this instant, if that is now.
    void wake(SimTime at);

    /// How many jobs it has started.
    [[nodiscard]] std::uint64_t starts() const { return starts_; }

private:
    [[noreturn]] void refuse(JobId id, std::string_view verb, const std::string& rule) const;
    void check_known(JobId id, std::string_view verb) const;
    void check_servers(JobId id,
                       std::string_view verb,
                       std::span<const core::PlacedNode> servers) const;
    void check_room(JobId id, std::string_view verb, const core::PlacedNode& more) const;
    void check_rooms(JobId id, std::string_view verb, std::span<const core::PlacedNode> more) const;

    Actions& actions_;
    const JobOrder& waiting_;
    const JobOrder& running_;
    FreeAmounts& free_;
    Turns& turns_;
    std::uint64_t starts_ = 0;
};

}  // namespace berth::sim
