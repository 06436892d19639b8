#pragma once

#include <string>

#include "core/support/value.hpp"
#include "sim/queue/queue_policy.hpp"

namespace berth::experiments {

/// Reads a queue policy with its options. `key`: the key before it.
/// Errors: recorded at their places for an unknown policy or option.
[[nodiscard]] sim::QueuePolicy read_queue_policy(const core::Value& value,
                                                 const std::string& key,
                                                 core::Diagnostics& diagnostics);

}  // namespace berth::experiments
