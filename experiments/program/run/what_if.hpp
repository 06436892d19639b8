#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// How much min a quota must have so that its jobs wait at most so long.
struct MinQuestion {
    std::string quota;
    sim::SimTime wait{};
    double quantile = 1;  ///< Of its jobs that may not wait longer: 1 is all of them.
};

/// One min that was tried, and how long the quota's jobs waited with it.
struct MinTrial {
    int share = 0;  ///< Of max, in 64ths; -1: as the experiment has it.
    core::Quantities min;
    core::Quantities max;
    /// At the quantile, over all replications; a job that still waits at the end counts with what
    /// it has waited. Nothing if the quota has no jobs.
    std::optional<sim::SimTime> wait;
    std::vector<std::string> raised;  ///< Quotas above it whose min had to grow as well.
};

struct MinAnswer {
    std::vector<MinTrial> trials;   ///< In the order tried.
    std::optional<MinTrial> least;  ///< The least that is enough; nothing if none is.
    /// Of the least: mins that the cluster cannot keep all at once.
    std::vector<std::string> too_much;
    std::string most_allowed;  ///< Why min could not be tried up to max; empty if it could.
    bool interrupted = false;
};

/// Bisects over min as a part of max, in 64ths, the same part of every resource: 8 runs of all
/// replications at most. Quotas above get at least the sum of their children's min.
///
/// Errors: core::InputError for a quota that the experiment does not have, or has as a parent.
/// Limits: waits need not fall as min grows (another order of starts can be unlucky), so the answer
///         is a min that is enough beside one, 1/64 of max less, that is not.
[[nodiscard]] MinAnswer find_least_min(const ExperimentSpec& spec,
                                       const MinQuestion& question,
                                       unsigned threads,
                                       sim::RunControl& control);

}  // namespace berth::experiments
