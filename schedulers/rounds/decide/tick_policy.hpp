#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "schedulers/rounds/decide/server_places.hpp"
#include "schedulers/rounds/decide/tick_jobs.hpp"

namespace berth::core::rounds {

/// A job in the order of a tick.
struct Ranked {
    __extension__ using Key = unsigned __int128;

    Key key = 0;  ///< Those with a lower key come first. Equal ones keep their order.
    TickSlot job = 0;
    std::uint32_t was = 0;  ///< Where it stood before the order was made.
    std::int32_t gpus = 0;
    bool fitted = false;  ///< Whether there was room for it when its turn came.
    bool placed = false;  ///< Whether it has got places.
};

/// What the turn of a job found that got no places.
struct MissedTurn {
    std::int64_t free = 0;    ///< The GPUs that were left.
    bool lost_place = false;  ///< It fitted in order, but not when jobs were placed anew.
};

/// Where jobs run from a tick on.
struct TickPlaces {
    std::vector<std::size_t> jobs;  ///< Positions in the order.
    std::vector<std::size_t> end;   ///< Where the places of each of them end in `places`.
    std::vector<Place> places;

    void clear() {
        jobs.clear();
        end.clear();
        places.clear();
    }
};

/// Decides at ticks, each time from the empty cluster. It keeps all jobs in a list, whose order
/// lasts where nothing else decides.
class TickPolicy {
public:
    virtual ~TickPolicy() = default;

    /// Whether a tick decides even if no job has come or ended.
    [[nodiscard]] virtual bool wants_to_decide(std::chrono::nanoseconds /*now*/,
                                               const TickJobs& /*jobs*/) const {
        return false;
    }
    /// Drops the jobs that have ended, and frees their slots, takes those that `came` into the
    /// list, and finds the places of all from the empty cluster. What `jobs` say of the work that
    /// is left, and of launches, is true at `now`.
    void decide(std::chrono::nanoseconds now,
                TickJobs& jobs,
                const std::vector<TickSlot>& came,
                ServerPlaces& cluster,
                TickPlaces& out);

    /// The jobs in the order of the last decision.
    [[nodiscard]] const std::vector<Ranked>& order() const { return order_; }
    /// What the last decision found for each position in the order; meaningless for jobs that got
    /// places. `gpus`: how many there are.
    ///
    /// Cost: O(jobs + n log n) for n jobs that fitted.
    [[nodiscard]] std::vector<MissedTurn> missed_turns(std::int64_t gpus) const;
    /// Whether the job at this position would have got places in the last decision if it asked for
    /// so many GPUs there. `cluster` is used to find out.
    ///
    /// Cost: O(jobs), and that of placing all jobs.
    [[nodiscard]] bool would_place(std::size_t position, std::int32_t gpus, ServerPlaces& cluster);

protected:
    /// Brings the list into the order of the policy; `first_new`: where those begin that came.
    virtual void sort(std::chrono::nanoseconds now,
                      const TickJobs& jobs,
                      std::size_t first_new) = 0;
    /// Places the jobs of the list, one after the other.
    virtual void place(ServerPlaces& cluster, TickPlaces& out);

    /// Sorts positions of jobs: those with most GPUs come first.
    [[nodiscard]] std::vector<std::size_t> largest_first(std::vector<std::size_t> positions) const;
    /// Places the job at this position, if it fits.
    void place_one(std::size_t position, ServerPlaces& cluster, TickPlaces& out);

    std::vector<Ranked> order_;
};

/// The least remaining time at the believed speed first; `times_gpus`: multiplied by the number of
/// GPUs.
///
/// Cost:   O(jobs + n log n) for n jobs that ran or came.
/// Source: SRTF and SRSF, as the Muri artifact has them (SIGCOMM 2022).
[[nodiscard]] std::unique_ptr<TickPolicy> make_shortest_first(bool times_gpus);

/// The GPU time at which jobs leave the first queue and the second one, ascending.
using QueueLimits = std::array<std::chrono::nanoseconds, 2>;

/// Three queues by the GPU time that jobs have had, launches included: those with least come
/// first. In a queue, jobs that were placed last time come first, and those that come from another
/// queue last.
///
/// Cost:   O(jobs).
/// Source: Tiresias (NSDI 2019), two-dimensional attained service, as the Muri artifact has it.
[[nodiscard]] std::unique_ptr<TickPolicy> make_least_attained(const QueueLimits& limits);

/// Finish-time fairness (see FinishTimeFairness); jobs with the largest share for each of their
/// launches come first, then those that lack most of what their shares gave them. `tick`: what a
/// decision gives to all.
///
/// Limits: the part of the cluster that a job would have alone counts as its speed there, as in the
///         artifact, whose results cannot be explained otherwise.
/// Cost:   O(jobs) for each of some 20 ratios, and that of sort_by_urgency().
/// Source: Themis (NSDI 2020), as the Muri artifact has it.
[[nodiscard]] std::unique_ptr<TickPolicy> make_tick_fairness(std::int64_t gpus,
                                                             std::chrono::nanoseconds tick);

}  // namespace berth::core::rounds
