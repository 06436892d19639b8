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

/// What is done with a word that the document does not know: a type, a strategy, a policy, a scope.
enum class UnknownWords : std::uint8_t {
    refused,  ///< RequestError says where it stands and what was expected.
    ignored   ///< As the published program does.
};

/// Reads what a pod's annotations say about devices into `pod`.
///
/// Returns: the refusal that the published program gives for JSON or a selector that is none, with
///          its place; nothing when all is well.
/// Errors:  RequestError for an unknown word that is not ignored.
[[nodiscard]] std::optional<core::DeviceRefusal> read_device_annotations(
    const Annotations& annotations, UnknownWords unknown, core::DevicePod& pod);

/// Reads a Device object's partition table.
/// Errors: RequestError with the place in the text.
[[nodiscard]] core::GpuPartitionTable read_gpu_partitions(std::string_view text);

/// A Kubernetes quantity as whole units, rounded up as Kubernetes does: a text or a whole number.
/// Errors: RequestError when it is none, negative, or more than 2^63 - 1.
[[nodiscard]] core::Amount read_device_amount(const Json& value, std::string_view where);

/// Labels: an object of texts; null and absent are none.
/// Errors: RequestError.
[[nodiscard]] core::Labels read_labels(const Json& object, const char* key);

/// The text of the `device-allocated` annotation, byte for byte as the published program writes it:
/// compact JSON, types and resources by name, devices in the order in which they were picked.
/// Source: koordinator a7a1b76b, apis/extension DeviceAllocations.
[[nodiscard]] Json device_allocations(const core::DeviceInventory& inventory,
                                      const core::DeviceAllocation& allocation);
[[nodiscard]] std::string device_allocated_annotation(const core::DeviceInventory& inventory,
                                                      const core::DeviceAllocation& allocation);

}  // namespace berth::experiments
