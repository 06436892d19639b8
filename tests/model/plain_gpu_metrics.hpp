#pragma once

#include <array>
#include <map>
#include <string>

#include "tests/model/plain_case.hpp"
#include "tests/model/plain_cluster.hpp"
#include "tests/model/plain_run.hpp"

namespace berth::tests {

/// What is free on the servers that are up, by the classes of fragment_classes().
[[nodiscard]] std::array<double, 7> free_gpus(const PlainCluster& cluster);

/// Metrics of shared GPUs at the end of a run, as docs/reference/metrics.md defines them.
void add_gpu_metrics(const PlainRun& run,
                     const PlainCase& of,
                     std::map<std::string, double>& metrics);

}  // namespace berth::tests
