#pragma once

#include <string>
#include <vector>

#include "folder.hpp"

namespace berth::tests {

/// How many standard errors the mean of independent values is away from what is exact.
[[nodiscard]] double standard_errors_off(const std::vector<double>& values, double exact);

/// The same of a metric of an experiment, over its replications; the run stays in `out`.
[[nodiscard]] double errors_off(const Folder& folder,
                                const std::string& experiment,
                                const std::string& metric,
                                double exact);

}  // namespace berth::tests
