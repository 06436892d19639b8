#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// Who allocates the devices, from experiment.yaml as a run writes it.
struct DeviceSetup {
    std::string allocator;  ///< As `group-allocator, exact`; empty when nobody does.
    bool exact = false;
    std::string otherwise;  ///< The text without the experiment's name and the solver.
};
[[nodiscard]] DeviceSetup device_setup(std::string_view configuration);

/// For each run the first one that uses the exact solver and is the same otherwise; none for exact
/// runs themselves.
[[nodiscard]] std::vector<std::optional<std::size_t>> exact_partners(
    const std::vector<DeviceSetup>& setups);

/// What of a run's devices goes into the page. `pods_max` bounds the pods of the servers' pictures:
/// whole servers are left out, those with the fewest pods split over NUMA nodes; one stays, and has
/// its first pods.
[[nodiscard]] nlohmann::ordered_json devices_data(const RunDirectory& run, std::size_t pods_max);

}  // namespace berth::report
