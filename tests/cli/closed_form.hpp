#pragma once

#include <string>
#include <vector>

#include "folder.hpp"

namespace berth::tests {

/// The distance between the mean of independent values and the exact value, in standard errors.
[[nodiscard]] double standard_errors_off(const std::vector<double>& values, double exact);

/// Runs an experiment, and returns a metric of each replication; the run stays in `out`.
[[nodiscard]] std::vector<double> values_of(const Folder& folder,
                                            const std::string& experiment,
                                            const std::string& metric);

/// The distance between the mean of a metric over the replications and its exact value, in standard
/// errors.
[[nodiscard]] double errors_off(const Folder& folder,
                                const std::string& experiment,
                                const std::string& metric,
                                double exact);

/// Daly's complete expected time of work with checkpoints, if interruptions come at random, every
/// `between` on average. All times are in seconds.
///
/// Source: J. T. Daly, A higher order estimate of the optimum checkpoint interval for restart
///         dumps, Future Generation Computer Systems 22 (2006).
struct Checkpoints {
    double every = 0;
    double takes = 0;
    double restart = 0;
    double between = 0;
};
[[nodiscard]] double expected_time(const Checkpoints& of, double work);

/// The place of the minimum of y, given noisy values of y at places x around it: that of the
/// best-fitting cubic.
[[nodiscard]] double least_of_fit(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace berth::tests
