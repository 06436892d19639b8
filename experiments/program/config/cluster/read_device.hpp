#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device_allocator/device_inventory.hpp"
#include "core/device_allocator/gpu_partitions.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// The partition table of a Device object's annotation, which is a JSON text: `{"2": [{"minors":
/// [0, 1], "allocationScore": 1}]}`.
/// Errors: recorded, each at its place; nothing is returned if the numbers of GPUs cannot be read.
[[nodiscard]] std::optional<core::GpuPartitionTable> read_partition_table(
    const core::Value& annotation, core::Diagnostics& diagnostics);

/// A quantity as Device objects write it: a whole number of `unit`.
/// Errors: recorded.
[[nodiscard]] std::optional<core::Amount> read_device_quantity(const core::Value& value,
                                                               std::string_view unit,
                                                               core::Diagnostics& diagnostics);

/// A Device object as a cluster has it.
struct ReadDevice {
    std::string name;  ///< Name of the node.
    core::MachineDevices machine;
    core::SourceSpan span;  ///< Place of the name.
};

/// Whether a document is a Device object, or a list that may contain some.
[[nodiscard]] bool holds_devices(const core::Value& document);

/// Every Device object of the documents, whether by itself or in a List or DeviceList.
///
/// Returns: objects that core::DeviceInventory can count. An object with errors is left out or
///          incomplete.
/// Errors:  recorded, each at its place, for an unknown type of device, a minor or a name that
///          occurs twice, a partition with GPUs that do not exist, and so on.
/// Source:  scheduling.koordinator.sh/v1alpha1 of Koordinator.
/// Limits:  `status` and `conditions` are ignored: `health` alone tells whether a device is
///          healthy.
[[nodiscard]] std::vector<ReadDevice> read_devices(std::span<const core::Value> documents,
                                                   core::Diagnostics& diagnostics);

}  // namespace berth::experiments
