#pragma once

#include <cstdint>

#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::workloads {

/// Who reads pods, each a bit: the pods of a cluster as it is, and traces by their format.
enum class PodReader : std::uint8_t { running = 1, kubernetes = 2, kueue = 4 };

/// What pods say by which these readers do not go.
[[nodiscard]] const FieldTable& pod_fields(PodReader reader);

}  // namespace berth::workloads
