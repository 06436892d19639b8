#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/calibrate/paired_jobs.hpp"
#include "experiments/program/results/day_bootstrap.hpp"

namespace berth::experiments {

/// The quantiles of waits that are told, in hundredths.
inline constexpr std::array<int, 3> told_quantiles{50, 90, 95};
/// How near a start must be to the recorded one, in seconds.
inline constexpr std::array<int, 3> told_nearness_s{60, 600, 3600};

/// How the waits of some jobs in the run agree with the recorded ones. Waits are in seconds.
struct Agreement {
    std::string label;
    std::size_t jobs = 0;       ///< Jobs that also start in the run. All values but `within` are
                                ///< about them.
    std::size_t unstarted = 0;  ///< Jobs that have not started when the run ends.
    double recorded_mean = 0;
    double simulated_mean = 0;
    /// The simulated mean divided by the recorded one, minus 1; nothing if none waited.
    std::optional<double> bias;
    std::optional<DayInterval> bias_interval;
    std::array<double, told_quantiles.size()> recorded_quantiles{};
    std::array<double, told_quantiles.size()> simulated_quantiles{};
    /// Spearman's rank correlation of the waits; nothing if all waits of one side are equal.
    std::optional<double> rank_correlation;
    /// The share of all jobs that start so near to the recorded start; those that do not start
    /// count as far away.
    std::array<double, told_nearness_s.size()> within{};
    /// The interval of the share within ten minutes.
    std::optional<DayInterval> within_interval;
};

/// Intervals need at least this many days on which jobs arrive.
inline constexpr std::size_t days_min = 10;

/// Compares the waits of these jobs, which must not be empty.
///
/// Intervals come from bootstrap_days().
/// Cost: O(jobs log jobs + 2 000 days).
[[nodiscard]] Agreement compare_waits(const std::string& label,
                                      const std::vector<const PairedJob*>& jobs,
                                      std::uint64_t seed);

/// The same for the jobs of each label of a trait: days in order of time, other labels with the
/// most jobs first. Jobs without a label are left out; empty if there is no label, or only one that
/// all jobs have.
[[nodiscard]] std::vector<Agreement> compare_by(CalibrationTrait trait,
                                                const std::vector<PairedJob>& jobs,
                                                std::uint64_t seed);

/// A share in whole hundredths: `53 %`.
[[nodiscard]] std::string whole_percent(double share);

}  // namespace berth::experiments
