#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "core/device_allocator/device_decision.hpp"
#include "core/device_allocator/device_plan.hpp"
#include "core/device_allocator/device_rules.hpp"

namespace berth::core {

struct DeviceOptions {
    DeviceRules rules = documented_rules();
    DeviceSolver solver = DeviceSolver::greedy;
    std::optional<DeviceScorer> scorer;
    /// schedule: filter, score and reserve, as in a scheduling cycle. allocate: one pass.
    enum class Mode : std::uint8_t { schedule, allocate };
    Mode mode = Mode::schedule;
};

/// The devices that a pod gets, and the machine's score before it is compared with those of others
/// (only for mode schedule with a scorer).
struct GrantedDevices {
    DeviceAllocation devices;
    std::optional<Amount> score;
};

using DeviceOutcome = std::variant<GrantedDevices, DeviceRefusal>;

/// Answers one request on machines of one type.
///
/// Cost:   the request is compiled once; after that a few microseconds for each state. The answer
///         depends on the state alone, and can be memoised by it.
/// Order:  ties go to the lower minor; PCIe switches are tried by their ids as text.
/// Source: Koordinator's design "Device Allocate Hint APIs"; its program at a7a1b76b,
///         pkg/scheduler/plugins/deviceshare. DeviceRules names where the two differ.
/// Limits: no reservations, no templates of shared NPUs, no NUMA policies.
class DeviceAllocator {
public:
    /// Shape: `request` is not empty, and was translated under the same rules.
    DeviceAllocator(std::shared_ptr<const DeviceInventory> inventory,
                    const DeviceRequest& request,
                    DeviceOptions options);

    /// Errors: that a request does not fit is a value; the state is never changed.
    [[nodiscard]] DeviceOutcome allocate(const DeviceState& state) const;

    [[nodiscard]] const DeviceInventory& inventory() const { return *inventory_; }

private:
    [[nodiscard]] DeviceOutcome pass(const DeviceState& state,
                                     bool is_scored,
                                     bool primary_only,
                                     DeviceRefusal::Phase phase) const;
    [[nodiscard]] Amount score(const DeviceState& state) const;

    std::shared_ptr<const DeviceInventory> inventory_;
    DeviceOptions options_;
    DevicePlan plan_;
};

}  // namespace berth::core
