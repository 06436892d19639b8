#pragma once

#include <cstdint>

#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::workloads {

/// The readers of pods, one bit each: `running` reads the pods of a running cluster, `kubernetes`
/// traces of pods, and `admitted` traces of what a scheduler with objects of its own admits.
enum class PodReader : std::uint8_t { running = 1, kubernetes = 2, admitted = 4 };

/// Fields of pods that these readers do not model.
[[nodiscard]] const FieldTable& pod_fields(PodReader reader);

}  // namespace berth::workloads
