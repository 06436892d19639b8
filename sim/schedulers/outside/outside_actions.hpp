#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/job/job_state.hpp"
#include "sim/scheduler/scheduler.hpp"
#include "sim/schedulers/outside/free_amounts.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::sim {

/// When a scheduler from outside has its next turns: it rings only one timer at a time, the third,
/// so that a run in which nothing else is to come can end (Timer).
class Turns {
public:
    explicit Turns(Actions& actions) : actions_(actions) {}

    /// Something happens now about which the scheduler has not decided yet.
    void after_this_instant() { request(actions_.now(), false); }
    /// The scheduler asks for a turn now or later.
    /// Errors: SchedulerError if it has asked for another turn ten thousand times while no time has
    ///         passed.
    void ask(SimTime at);
    /// No job is left to decide about: turns to come would only make the run longer.
    void all_have_ended();
    /// The timer rings. Returns whether the scheduler had asked for this turn.
    [[nodiscard]] bool begin();

private:
    void request(SimTime at, bool asked);
    void arm();

    Actions& actions_;
    std::map<SimTime, bool> times_;  ///< Turns to come, and whether the scheduler asked for each.
    std::optional<SimTime> rings_at_;
    SimTime last_{-1};                 ///< The time of the last turn.
    std::uint32_t asked_at_once_ = 0;  ///< How many turns were asked for at that instant for the
                                       ///< same instant.
};

/// Jobs in the order of their keys. During an iteration, any of them may be taken out, and jobs
/// that are added after the last one are still found.
///
/// Cost: O(log jobs) to take a job out, O(1) amortised to add one after all others, O(jobs) to add
///       one between them; an iteration skips at most as many gaps as there are jobs.
class JobOrder {
public:
    /// `key` is a key that no other job in here has.
    void add(JobId id, std::uint64_t key);
    void remove(JobId id);
    [[nodiscard]] bool contains(JobId id) const {
        return id.index < keys_.size() && keys_[id.index].has_value();
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    /// Closes gaps once there are more gaps than jobs; not to be called during an iteration.
    void close_gaps();

    class Iterator {
    public:
        using value_type = JobId;
        using difference_type = std::ptrdiff_t;

        Iterator() = default;
        Iterator(const JobOrder& order, std::size_t at) : order_(&order), at_(at) { skip_gaps(); }
        JobId operator*() const { return order_->entries_[at_].id; }
        Iterator& operator++() {
            ++at_;
            skip_gaps();
            return *this;
        }
        Iterator operator++(int) {
            const Iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
        friend bool operator==(const Iterator& a, std::default_sentinel_t /*end*/) {
            return a.is_at_end();
        }

    private:
        [[nodiscard]] bool is_at_end() const { return at_ >= order_->entries_.size(); }
        void skip_gaps() {
            while (!is_at_end() && !order_->entries_[at_].there) {
                ++at_;
            }
        }

        const JobOrder* order_ = nullptr;
        std::size_t at_ = 0;
    };
    [[nodiscard]] Iterator begin() const { return {*this, first_}; }
    [[nodiscard]] static std::default_sentinel_t end() { return {}; }

private:
    struct Entry {
        std::uint64_t key = 0;
        JobId id;
        bool there = true;  ///< Otherwise it is a gap.
    };
    [[nodiscard]] std::vector<Entry>::iterator find(std::uint64_t key);

    std::vector<Entry> entries_;                      ///< Entries in the order of their keys.
    std::vector<std::optional<std::uint64_t>> keys_;  ///< The key of each job, by JobId.
    std::size_t first_ = 0;                           ///< Before this entry, there are only gaps.
    std::size_t size_ = 0;
};

/// What a scheduler from outside sees, and its verbs. Each verb is checked first, and one that
/// cannot be carried out is a SchedulerError that changes nothing.
class OutsideActions {
public:
    /// All arguments outlive it; its owner keeps the lists up to date.
    OutsideActions(Actions& actions,
                   const JobOrder& waiting,
                   const JobOrder& running,
                   FreeAmounts& free,
                   Turns& turns)
        : actions_(actions), waiting_(waiting), running_(running), free_(free), turns_(turns) {}

    [[nodiscard]] SimTime now() const { return actions_.now(); }
    [[nodiscard]] const Cluster& cluster() const { return actions_.cluster(); }
    /// Jobs in the order in which they began to wait. A job that lost its places comes after all
    /// others, unless the experiment lets it keep its place.
    [[nodiscard]] const JobOrder& waiting() const { return waiting_; }
    /// Jobs in the order of their starts.
    [[nodiscard]] const JobOrder& running() const { return running_; }
    /// Whether a number names a job that waits or runs.
    [[nodiscard]] bool knows(JobId id) const {
        return waiting_.contains(id) || running_.contains(id);
    }
    /// The state of a job that it knows, or is being told about.
    [[nodiscard]] const JobState& job(JobId id) const { return actions_.job(id); }
    /// What pods may take on each server now: a row for each server, a column for each resource;
    /// zeros for a server that takes no pods. The array's address is stable, and the array is up to
    /// date when this function is called.
    [[nodiscard]] std::span<const core::Amount> free() const { return free_.rows(); }
    /// That array, for readers that keep it beyond the run.
    [[nodiscard]] std::shared_ptr<std::vector<core::Amount>> shared_free() const {
        return free_.shared_rows();
    }

    /// A waiting job starts with members on these servers, given in any order.
    /// Errors: SchedulerError for a job that does not wait; a server that does not exist, is listed
    ///         twice, takes no pods or has no room; fewer members than min_available, or more than
    ///         size.
    void start(JobId id, std::vector<core::PlacedNode> servers);
    /// A running job loses its places and waits again.
    void evict(JobId id);
    /// A waiting group asks for another size from now on (`after` is empty), or a running group has
    /// its members on the servers `after`. No member that stays moves.
    /// Returns: false, and nothing happens, if the job hangs on a server that has failed unnoticed,
    ///          which the scheduler cannot know.
    bool resize(JobId id, core::Members size, std::vector<core::PlacedNode> after);
    /// A waiting job is refused for good. A long reason is cut off (bounded_reason.hpp).
    void reject(JobId id, std::string reason);
    /// The scheduler has another turn at that time; at this instant if that is now.
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
