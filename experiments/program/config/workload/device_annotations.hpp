#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/device_allocator/device_inventory.hpp"
#include "core/device_allocator/device_request.hpp"
#include "core/device_allocator/device_state.hpp"
#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {

/// Names of the annotations about devices.
namespace device_annotation {
inline constexpr std::string_view joint = "scheduling.koordinator.sh/device-joint-allocate";
inline constexpr std::string_view hint = "scheduling.koordinator.sh/device-allocate-hint";
inline constexpr std::string_view partition_spec = "scheduling.koordinator.sh/gpu-partition-spec";
inline constexpr std::string_view partitions = "scheduling.koordinator.sh/gpu-partitions";
inline constexpr std::string_view allocated = "scheduling.koordinator.sh/device-allocated";
}  // namespace device_annotation

using Annotations = std::map<std::string, std::string, std::less<>>;

/// What to do with an unknown word for a type, a strategy, a policy or a scope.
enum class UnknownWords : std::uint8_t {
    refused,  ///< A RequestError tells the place and what was expected.
    ignored   ///< The word is skipped, as in the published program.
};

/// Reads what a pod's annotations say about devices into `pod`.
///
/// Returns: the refusal that the published program gives for invalid JSON or an invalid selector,
///          with its place; nothing if all is well.
/// Errors:  RequestError for an unknown word that is not ignored.
[[nodiscard]] std::optional<core::DeviceRefusal> read_device_annotations(
    const Annotations& annotations, UnknownWords unknown, core::DevicePod& pod);

/// Reads a Device object's partition table.
/// Errors: RequestError with the place in the text.
[[nodiscard]] core::GpuPartitionTable read_gpu_partitions(std::string_view text);

/// A Kubernetes quantity as whole units, rounded up as Kubernetes does: a text or a whole number.
/// Returns: nothing if it is no quantity, is negative, or exceeds 2^63 - 1.
[[nodiscard]] std::optional<core::Amount> device_amount(const RequestValue& value);
[[noreturn]] void refuse_device_amount(const RequestValue& value, std::string_view where);
/// The same. Errors: RequestError in place of nothing.
[[nodiscard]] core::Amount read_device_amount(const RequestValue& value,
                                              const NamesPlace auto& where) {
    const std::optional<core::Amount> amount = device_amount(value);
    if (!amount) {
        refuse_device_amount(value, place_text(where));
    }
    return *amount;
}

/// Reads labels: an object of texts; null and an absent key mean no labels.
/// Errors: RequestError.
[[nodiscard]] core::Labels read_labels(const RequestValue& object, const char* key);

/// The text of the `device-allocated` annotation, byte for byte as the published program writes it:
/// compact JSON, types and resources by name, devices in the order in which they were picked.
/// Source: koordinator a7a1b76b, apis/extension DeviceAllocations.
[[nodiscard]] Json device_allocations(const core::DeviceInventory& inventory,
                                      const core::DeviceAllocation& allocation);
[[nodiscard]] std::string device_allocated_annotation(const core::DeviceInventory& inventory,
                                                      const core::DeviceAllocation& allocation);

}  // namespace berth::experiments
