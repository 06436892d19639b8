#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace berth::report
