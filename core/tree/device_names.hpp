#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/tree/ids.hpp"

namespace berth::core {

/// Kinds of devices, in the order in which the `device-allocated` annotation lists them.
enum class DeviceType : std::uint8_t { fpga, gpu, rdma };
inline constexpr std::size_t device_type_count = 3;
/// The order in which a pod's requests are looked at and in which messages appear.
inline constexpr std::array device_request_order{
    DeviceType::gpu, DeviceType::rdma, DeviceType::fpga};

[[nodiscard]] constexpr std::string_view to_string(DeviceType type) {
    constexpr std::array<std::string_view, device_type_count> names{"fpga", "gpu", "rdma"};
    return names[static_cast<std::size_t>(type)];
}
[[nodiscard]] constexpr std::optional<DeviceType> device_type_named(std::string_view name) {
    for (const DeviceType type : device_request_order) {
        if (to_string(type) == name) {
            return type;
        }
    }
    return std::nullopt;
}

/// One value for each device type.
template <class T>
struct ByDeviceType {
    std::array<T, device_type_count> values{};
    T& operator[](DeviceType type) { return values[static_cast<std::size_t>(type)]; }
    const T& operator[](DeviceType type) const { return values[static_cast<std::size_t>(type)]; }
    friend bool operator==(const ByDeviceType&, const ByDeviceType&) = default;
};

/// A set of devices of one type, or of switches: bit i stands for number i.
using DeviceMask = std::uint64_t;
inline constexpr std::size_t devices_of_type_max = 64;
[[nodiscard]] constexpr DeviceMask bit(std::size_t index) {
    return DeviceMask{1} << index;
}

/// Calls `visit(index)` for each member, in ascending order.
template <class Visit>
constexpr void for_each_bit(DeviceMask mask, Visit visit) {
    for (; mask != 0; mask &= mask - 1) {
        visit(static_cast<std::size_t>(std::countr_zero(mask)));
    }
}

using Labels = std::map<std::string, std::string, std::less<>>;

/// The names of resources as pods and Device objects write them.
namespace device_resource {
inline constexpr std::string_view nvidia_gpu = "nvidia.com/gpu";
inline constexpr std::string_view amd_gpu = "amd.com/gpu";
inline constexpr std::string_view dcu_gpu = "dcu.com/gpu";
inline constexpr std::string_view gpu = "koordinator.sh/gpu";
inline constexpr std::string_view gpu_shared = "koordinator.sh/gpu.shared";
inline constexpr std::string_view gpu_core = "koordinator.sh/gpu-core";
inline constexpr std::string_view gpu_memory = "koordinator.sh/gpu-memory";
inline constexpr std::string_view gpu_memory_ratio = "koordinator.sh/gpu-memory-ratio";
inline constexpr std::string_view npu_core = "huawei.com/npu-core";
inline constexpr std::string_view npu_cpu = "huawei.com/npu-cpu";
inline constexpr std::string_view npu_dvpp = "huawei.com/npu-dvpp";
inline constexpr std::string_view rdma = "koordinator.sh/rdma";
inline constexpr std::string_view fpga = "koordinator.sh/fpga";
}  // namespace device_resource

/// The resources that every inventory counts for a device type, at these positions; other resources
/// follow.
namespace gpu_position {
inline constexpr std::size_t core = 0;
inline constexpr std::size_t memory = 1;
inline constexpr std::size_t memory_ratio = 2;
}  // namespace gpu_position

}  // namespace berth::core
