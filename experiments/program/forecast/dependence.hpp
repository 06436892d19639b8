#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "experiments/program/forecast/learned_run_times.hpp"
#include "experiments/program/forecast/past.hpp"
#include "sim/clock/time.hpp"

namespace berth::experiments {

/// How much jobs of one moment resemble each other in how their run times compare with what was
/// expected: correlations of their normal scores.
struct Dependence {
    double user = 0;   ///< The correlation of two jobs of one user with different shapes.
    double shape = 0;  ///< What is added if the shapes are the same, as a part of the rest.
    /// In place of `user`, for jobs of a user of whom none had ended: what is expected of them is
    /// what others did, so that they have more in common beyond it.
    double new_user = 0;
    std::size_t moments = 0;  ///< How many past moments this was measured at.
};

/// Forecasts of run times at past moments, twice a day, beside what came of them.
///
/// Cost: that of LearnedRunTimes for each moment.
class PastScores {
public:
    /// No forecasts.
    PastScores() = default;
    PastScores(const Past& past, sim::SimTime until, unsigned threads);

    /// What was known at `now`: moments of which nearly all jobs had ended, and the jobs that had.
    [[nodiscard]] Dependence measured(sim::SimTime now) const;

private:
    struct Score {
        double score = 0;
        std::uint32_t user = 0;
        std::uint32_t shape = 0;
        sim::SimTime end{};
        bool is_new = false;  ///< No job of the user had ended.
    };
    struct Moment {
        sim::SimTime at{};
        std::vector<Score> scores;  ///< The scores, sorted by user and then by shape.
    };
    [[nodiscard]] static Moment look(const Past& past, sim::SimTime at);

    std::vector<Moment> moments_;
};

}  // namespace berth::experiments
