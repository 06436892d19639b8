#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/results/run_directory.hpp"
#include "experiments/program/support/typed_json.hpp"

namespace berth::report {

/// The allocator of devices, from an experiment.yaml as a run writes it.
struct DeviceSetup {
    /// Such as `group-allocator, exact`; empty if no allocator is configured.
    std::string allocator;
    bool exact = false;
    std::string otherwise;  ///< The text without the experiment's name and the solver.
};
[[nodiscard]] DeviceSetup device_setup(std::string_view configuration);

/// For each run, the first run that uses the exact solver and is otherwise the same; nothing for
/// exact runs themselves.
[[nodiscard]] std::vector<std::optional<std::size_t>> exact_partners(
    const std::vector<DeviceSetup>& setups);

/// The data about a run's devices for the page. `pods_max` limits the pods in the pictures of
/// servers: whole servers are left out, first those with the fewest pods that are split over NUMA
/// nodes. One server stays in any case, with its first pods.
[[nodiscard]] Is<"Devices"> devices_data(const RunDirectory& run, std::size_t pods_max);

}  // namespace berth::report
