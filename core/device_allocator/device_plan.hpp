#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device_allocator/device_inventory.hpp"
#include "core/device_allocator/device_request.hpp"
#include "core/device_allocator/device_state.hpp"
#include "core/tree/ids.hpp"

namespace berth::core {

/// How devices and machines are scored.
/// Source: Koordinator's NodeResourcesFit-like strategies.
struct DeviceScorer {
    enum class Strategy : std::uint8_t { least_allocated, most_allocated };
    Strategy strategy = Strategy::least_allocated;
    /// The weight of each resource, by name; not negative.
    std::map<std::string, Amount, std::less<>> weights;
};

/// The amounts of one resource that a scorer sees.
struct ScoredAmounts {
    Amount request = 0;
    Amount total = 0;
    Amount free = 0;
};

/// The score of one resource, from 0 to 100, as if the request had been taken.
[[nodiscard]] constexpr Amount resource_score(DeviceScorer::Strategy strategy,
                                              const ScoredAmounts& amounts) {
    __extension__ using Wide = __int128;
    Wide used = amounts.total;
    if (amounts.total >= amounts.free) {
        used = Wide{amounts.total} - amounts.free + amounts.request;
    }
    const Wide total = amounts.total;
    if (strategy == DeviceScorer::Strategy::most_allocated) {
        return static_cast<Amount>(std::min(used, total) * 100 / total);
    }
    return used > total ? 0 : static_cast<Amount>((total - used) * 100 / total);
}

/// The weighted mean over the resources whose total is not 0; 0 if there is none. `weights` is by
/// resource. `amounts(r)` are the ScoredAmounts of resource r.
template <class Amounts>
[[nodiscard]] constexpr Amount weighted_score(DeviceScorer::Strategy strategy,
                                              std::span<const Amount> weights,
                                              Amounts amounts) {
    Amount sum = 0;
    Amount weight_sum = 0;
    for (std::size_t r = 0; r < weights.size(); ++r) {
        if (weights[r] == 0) {
            continue;
        }
        const ScoredAmounts of = amounts(r);
        if (of.total != 0) {
            sum += weights[r] * resource_score(strategy, of);
            weight_sum += weights[r];
        }
    }
    return weight_sum == 0 ? 0 : sum / weight_sum;
}

/// One type of a request on one machine type, with positions in place of names.
struct TypePlan {
    enum class Missing : std::uint8_t { nothing, devices, functions };

    bool requested = false;
    /// Something missing that no state of the machine can make up for.
    Missing missing = Missing::nothing;
    std::vector<Amount> each;      ///< [r]; DeviceGrants::absent if not requested.
    std::uint64_t needs = 0;       ///< One bit for each requested resource.
    bool needs_uncounted = false;  ///< The request wants something that the machine does not count.
    Amount count = 0;              ///< The number of devices wanted.
    bool is_shared = false;
    ExclusivePolicy exclusive = ExclusivePolicy::unset;
    DeviceMask selected = 0;  ///< The listed devices that the hint's selector chooses.
    bool wants_vf = false;
    /// [d][entry]: whether the vfSelector chooses the function.
    std::vector<std::vector<bool>> eligible;
    std::vector<Amount> weights;  ///< [r], the weights of the scorer.

    [[nodiscard]] Amount request(std::size_t r) const {
        return each[r] == DeviceGrants::absent ? 0 : each[r];
    }
};

/// A request compiled for one machine type.
struct DevicePlan {
    ByDeviceType<TypePlan> types;
    std::vector<DeviceType> joint;
    bool same_pcie = false;
    TopologyScope required_scope = TopologyScope::unset;  ///< The scope required of the GPUs.
    std::optional<GpuPartitionSpec> partition_spec;
    bool honors_partitions = false;
    bool skips_secondaries = false;  ///< The filter and the score look only at the primary.
    DeviceScorer::Strategy strategy = DeviceScorer::Strategy::least_allocated;
};

[[nodiscard]] DevicePlan make_device_plan(const DeviceInventory& inventory,
                                          const DeviceRequest& request,
                                          const DeviceRules& rules,
                                          const std::optional<DeviceScorer>& scorer);

}  // namespace berth::core
