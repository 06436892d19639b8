#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// The failures of a run in which something may fail, and their cost; otherwise null: {"sizeOf",
/// "sizes", "strip", "gpuTime"}. The strip is about replication 0, and null if its servers or its
/// end are not known. It has at most `hits_max` interruptions. Everything else is about all
/// replications.
[[nodiscard]] nlohmann::ordered_json failures_data(const RunDirectory& run, std::size_t hits_max);

}  // namespace berth::report
