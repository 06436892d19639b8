#pragma once

#include <map>
#include <string>

#include "tests/model/plain_case.hpp"
#include "tests/model/plain_run.hpp"

namespace berth::tests {

/// Metrics of shared GPUs at the end of a run, as docs/reference/metrics.md tells them.
void add_gpu_metrics(const PlainRun& run,
                     const PlainCase& of,
                     std::map<std::string, double>& metrics);

}  // namespace berth::tests
