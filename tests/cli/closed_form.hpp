#pragma once

#include <string>
#include <vector>

#include "folder.hpp"

namespace berth::tests {

/// How many standard errors the mean of independent values is away from what is exact.
[[nodiscard]] double standard_errors_off(const std::vector<double>& values, double exact);

/// A metric of each replication of an experiment, which is run; the run stays in `out`.
[[nodiscard]] std::vector<double> values_of(const Folder& folder,
                                            const std::string& experiment,
                                            const std::string& metric);

/// How many standard errors the mean of a metric over the replications is away from what is exact.
[[nodiscard]] double errors_off(const Folder& folder,
                                const std::string& experiment,
                                const std::string& metric,
                                double exact);

/// Daly's complete expected time of work with checkpoints, where interruptions come at random,
/// every `between` in the mean. All in seconds.
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

/// Where y is least, from x that lie around it and y with errors: of the cubic that fits them best.
[[nodiscard]] double least_of_fit(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace berth::tests
