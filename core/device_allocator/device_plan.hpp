#pragma once

#include <optional>
#include <vector>

#include "core/device_allocator/device_inventory.hpp"
#include "core/device_allocator/device_request.hpp"
#include "core/device_allocator/device_score.hpp"
#include "core/device_allocator/device_state.hpp"

namespace berth::core {

/// One type of a request on one machine type: names have become positions.
struct TypePlan {
    enum class Missing : std::uint8_t { nothing, devices, functions };

    bool requested = false;
    Missing missing = Missing::nothing;  ///< What no state of the machine can make up for.
    std::vector<Amount> each;            ///< [r]; DeviceGrants::absent when not requested.
    std::uint64_t needs = 0;             ///< A bit for each resource requested.
    bool needs_uncounted = false;        ///< Something that the machine does not count is wanted.
    Amount count = 0;                    ///< Devices wanted.
    bool is_shared = false;
    ExclusivePolicy exclusive = ExclusivePolicy::unset;
    DeviceMask selected = 0;  ///< Listed, and chosen by the hint's selector.
    bool wants_vf = false;
    std::vector<std::vector<bool>> eligible;  ///< [d][entry]: functions chosen by the vfSelector.
    std::vector<Amount> weights;              ///< [r], of the scorer.

    [[nodiscard]] Amount request(std::size_t r) const {
        return each[r] == DeviceGrants::absent ? 0 : each[r];
    }
};

/// A request compiled for one machine type.
struct DevicePlan {
    ByDeviceType<TypePlan> types;
    std::vector<DeviceType> joint;
    bool same_pcie = false;
    TopologyScope required_scope = TopologyScope::unset;  ///< Of the GPUs.
    std::optional<GpuPartitionSpec> partition_spec;
    bool honors_partitions = false;
    bool skips_secondaries = false;  ///< The filter and the score look at the primary alone.
    DeviceScorer::Strategy strategy = DeviceScorer::Strategy::least_allocated;
};

[[nodiscard]] DevicePlan make_device_plan(const DeviceInventory& inventory,
                                          const DeviceRequest& request,
                                          const DeviceRules& rules,
                                          const std::optional<DeviceScorer>& scorer);

}  // namespace berth::core
