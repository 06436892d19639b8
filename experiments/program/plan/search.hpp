#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/plan/choices.hpp"
#include "experiments/program/plan/sequential_test.hpp"
#include "experiments/program/results/sweep_target.hpp"

namespace berth::experiments {

/// The values of one requirement's metric in some replications of one choice.
struct MetricValues {
    /// For a requirement of "at most", a lower bound stands for a value that was not reached, and
    /// for one that does not include what still waits.
    std::vector<double> values;
    /// Whether no replication has a lower bound alone. Replications without either are left out.
    bool reached = true;
};

/// What is known of one choice.
struct TriedChoice {
    Standing standing = Standing::untried;
    std::size_t looks = 0;  ///< How many looks it has had.
    std::size_t replications = 0;
    std::vector<MetricValues> metrics;  ///< One for each requirement.
    std::vector<Estimate> estimates;    ///< One for each requirement, at the last look.
    std::vector<Standing> standings;    ///< One for each requirement.
    /// Whether it stays in doubt: it had all looks, or more of them would probably not decide it.
    bool given_up = false;
};

struct PlanOutcome {
    std::vector<TriedChoice> choices;   ///< The choices, in the order of cost.
    std::optional<std::size_t> answer;  ///< The least costly choice that meets all requirements.
    /// If more was taken to help and does not: a choice that meets the requirements, and one with
    /// more that misses them.
    struct Contradiction {
        std::size_t meets = 0;
        std::size_t misses = 0;
    };
    std::optional<Contradiction> contradiction;
    bool interrupted = false;
};

/// Finds the least costly choice that meets all bounds, with as few replications as it can.
///
/// A choice is tried with the replications of the first look; more of them are added only where the
/// choice is in doubt and no less costly one is known to meet the bounds. Where more is taken to
/// help, the search bisects: what has less than a choice that misses a bound is left out. Otherwise
/// choices are tried by ascending cost. At the end, the neighbours of the answer are tried too or,
/// without an answer, the least costly choice. If two choices contradict that more helps, nothing
/// is left out any more.
///
/// Returns: an answer that meets all bounds with the probability of the test's confidence. With the
///          same probability no less costly choice that was tried meets them, except for those that
///          stay in doubt, which count as missing them.
/// Order:   the search depends on nothing but the values, so that it takes the same way again.
/// Cost:    O(choices^2) for each look, beside the replications.
class PlanSearch {
public:
    /// Returns the values of the replications that a look adds; nothing if it was interrupted.
    using Measure = std::function<std::optional<std::vector<MetricValues>>(std::size_t choice,
                                                                           std::size_t look)>;

    PlanSearch(const PlanChoices& choices,
               std::vector<report::SweepTarget> bounds,
               std::vector<std::int64_t> looks,
               std::optional<double> confidence,
               Measure measure);

    [[nodiscard]] PlanOutcome run();

private:
    [[nodiscard]] bool look_at(std::size_t choice);
    void judge(TriedChoice& tried) const;
    [[nodiscard]] std::optional<std::size_t> least_that_meets() const;
    [[nodiscard]] bool is_left_out(std::size_t choice, bool doubts_count) const;
    [[nodiscard]] std::optional<std::size_t> next() const;
    [[nodiscard]] std::optional<std::size_t> untried_neighbour() const;
    [[nodiscard]] std::optional<std::size_t> other_end() const;
    [[nodiscard]] std::optional<PlanOutcome::Contradiction> contradiction() const;

    const PlanChoices& choices_;
    std::vector<report::SweepTarget> bounds_;
    std::vector<std::int64_t> looks_;
    SequentialTest test_;
    Measure measure_;
    bool more_helps_;
    PlanOutcome out_;
};

}  // namespace berth::experiments
