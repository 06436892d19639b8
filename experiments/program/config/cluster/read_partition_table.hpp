#pragma once

#include <optional>
#include <string_view>

#include "core/device_allocator/gpu_partitions.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// The partition table of a Device object's annotation, which is a text that is JSON:
/// `{"2": [{"minors": [0, 1], "allocationScore": 1}]}`.
/// Errors: recorded, each at its place; nothing is returned where numbers of GPUs cannot be told.
[[nodiscard]] std::optional<core::GpuPartitionTable> read_partition_table(
    const core::Value& annotation, core::Diagnostics& diagnostics);

/// A quantity as a Device object has it: a whole number of `unit`.
/// Errors: recorded.
[[nodiscard]] std::optional<core::Amount> read_device_quantity(const core::Value& value,
                                                               std::string_view unit,
                                                               core::Diagnostics& diagnostics);

}  // namespace berth::experiments
