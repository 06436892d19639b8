#pragma once

#include <variant>
#include <vector>

#include "core/device_allocator/device_view.hpp"

namespace berth::core {

enum class DeviceSolver : std::uint8_t {
    greedy,  ///< Decides as the published program does: the primary first, without ever going back.
    exact    ///< Finds an allocation whenever there is one, and the one with the best locality.
};

/// Messages in the order of the types, and whether it may help that other pods leave the machine.
struct DeviceFailures {
    std::vector<std::string_view> messages;
    bool resolvable = true;
};

/// One pass over all requested types: joint allocation first, then each type by itself.
/// `primary_only`: the secondaries of the joint allocation are left out.
[[nodiscard]] std::variant<DeviceAllocation, DeviceFailures> decide(const DeviceQuestion& question,
                                                                    DeviceSolver solver,
                                                                    bool primary_only);

}  // namespace berth::core
