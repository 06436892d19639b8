#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "experiments/program/forecast/past.hpp"
#include "experiments/program/forecast/run_time_curve.hpp"
#include "sim/clock/time.hpp"

namespace berth::experiments {

/// From whom run times are learned.
enum class LearnFrom : std::uint8_t {
    alike,  ///< The same user's newest jobs of the same limit and size count most.
    all,    ///< All jobs count alike.
};

/// What can be known at one instant of how long jobs run: of those that have ended, how long they
/// ran; of those that run, that they run longer.
///
/// A job's curve gives weight to four groups of jobs, each within the one before: all jobs, by how
/// near their limits are; those of its user; of these, those with nearly its limit; and of these,
/// those of its size. Within a user's, weights halve every ten jobs.
///
/// Cost: O(n log n) to make from n jobs, then O(n) for each user and shape.
class LearnedRunTimes {
public:
    LearnedRunTimes(const Past& past, sim::SimTime now, LearnFrom from);

    /// The curve of a job that has come by now.
    [[nodiscard]] const RunTimeCurve& curve(const PastJob& job);
    /// How many jobs have ended by now: in all, and of a user.
    [[nodiscard]] std::size_t ended() const { return ended_; }
    [[nodiscard]] std::size_t ended_of(std::uint32_t user) const;

private:
    struct Seen {
        double ratio = 0;
        bool ended = false;
        const PastJob* job = nullptr;
        sim::SimTime start{};
    };
    [[nodiscard]] RunTimeCurve make(const PastJob& job) const;
    void add_newest(const PastJob& job, std::vector<SeenRatio>& seen) const;

    LearnFrom from_;
    std::vector<Seen> seen_;  ///< In ascending order of ratios; of equal ones, ended ones first.
    /// For each user, indexes into `seen_`: who runs, then who ended, from the newest on.
    std::map<std::uint32_t, std::vector<std::size_t>> newest_;
    std::map<std::uint32_t, std::size_t> ended_of_;
    std::size_t ended_ = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, RunTimeCurve> curves_;
};

}  // namespace berth::experiments
