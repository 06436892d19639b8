#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// What failed and what that cost, of a run in which something may fail; otherwise null:
/// {"sizeOf", "sizes", "strip", "gpuTime"}. The strip is of replication 0, and null where its
/// servers or its end are not known; it has so many interruptions at most. All else is of all
/// replications.
[[nodiscard]] nlohmann::ordered_json failures_data(const RunDirectory& run, std::size_t hits_max);

}  // namespace berth::report
