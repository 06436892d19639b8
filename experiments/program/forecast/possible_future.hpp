#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "experiments/program/forecast/forecast.hpp"
#include "experiments/program/forecast/learned_run_times.hpp"
#include "sim/job/job.hpp"

namespace berth::experiments {

/// What is known at one instant, and what may come of it.
class PossibleFutures {
public:
    /// All arguments outlive it.
    PossibleFutures(const Past& past,
                    const PastScores& scores,
                    sim::SimTime now,
                    const ForecastMethod& method,
                    const ChangedJob* changed = nullptr);

    /// Indexes of the jobs that run, and of those that wait, in the order of submission.
    [[nodiscard]] const std::vector<std::size_t>& running() const { return running_; }
    [[nodiscard]] const std::vector<std::size_t>& waiting() const { return waiting_; }
    [[nodiscard]] ForecastBasis basis() const;

    /// The jobs that run and wait, then those that come, with times from now and with run times
    /// that depend on the seed alone.
    [[nodiscard]] std::unique_ptr<sim::PodSource> draw(std::uint64_t seed) const;

private:
    class Source;
    struct Known {
        std::size_t index = 0;         ///< Its number in the past, by which it is drawn.
        const PastJob* job = nullptr;  ///< What it is now, which may be a changed form.
        double ran = 0;                ///< The multiple of its limit that it has run.
        const RunTimeCurve* curve = nullptr;
    };
    [[nodiscard]] sim::Job job_of(const Known& known, double u) const;
    [[nodiscard]] sim::SimTime run_time(const Known& known, double u) const;
    [[nodiscard]] std::vector<double> draw_probabilities(std::uint64_t seed) const;

    const Past& past_;
    sim::SimTime now_;
    ForecastMethod method_;
    LearnedRunTimes learned_;
    std::optional<PastJob> changed_;  ///< A waiting job in another form.
    std::optional<Dependence> dependence_;
    std::vector<std::size_t> running_;
    std::vector<std::size_t> waiting_;
    std::vector<Known> known_;
    std::vector<double> ended_ratios_;
    std::size_t days_ = 0;
};

}  // namespace berth::experiments
