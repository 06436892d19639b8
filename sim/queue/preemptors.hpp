#pragma once

#include <cstdint>

namespace berth::sim {

/// Which waiting jobs may take the places of others.
enum class Preemptors : std::uint8_t { none, single_pods, all };

}  // namespace berth::sim
