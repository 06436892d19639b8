#pragma once

#include <optional>
#include <string>

#include "core/support/value.hpp"
#include "sim/queue/queue_policy.hpp"

namespace berth::experiments {

/// The name of a plug-in, which stands alone or is that of a map with its options.
/// Errors: recorded at its place; nothing.
[[nodiscard]] std::optional<std::string> plugin_name(const core::Value& value,
                                                     core::Diagnostics& diagnostics);

/// Reads a queue policy with its own options. `key`: what stands before it.
/// Errors: recorded at their places: an unknown policy or option.
[[nodiscard]] sim::QueuePolicy read_queue_policy(const core::Value& value,
                                                 const std::string& key,
                                                 core::Diagnostics& diagnostics);

}  // namespace berth::experiments
