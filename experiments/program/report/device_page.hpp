#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// What of a run's devices goes into the page. `pods_max` bounds the pods of the servers' pictures:
/// whole servers are left out, those with the fewest pods split over NUMA nodes; one stays, and has
/// its first pods.
[[nodiscard]] nlohmann::ordered_json devices_data(const RunDirectory& run, std::size_t pods_max);

}  // namespace berth::report
