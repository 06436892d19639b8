#pragma once

#include <array>
#include <map>
#include <string>

#include "tests/model/plain_case.hpp"
#include "tests/model/plain_cluster.hpp"
#include "tests/model/plain_run.hpp"

namespace berth::tests {

/// What is free of the servers that are up, by class as fragment_classes() has them.
[[nodiscard]] std::array<double, 7> free_gpus(const PlainCluster& cluster);

/// Metrics of shared GPUs at the end of a run, as docs/reference/metrics.md tells them.
void add_gpu_metrics(const PlainRun& run,
                     const PlainCase& of,
                     std::map<std::string, double>& metrics);

}  // namespace berth::tests
