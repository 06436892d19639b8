#pragma once

#include <string>

#include "sim/cluster/inside/plugins.hpp"
#include "sim/job/job.hpp"
#include "tests/model/plain_case.hpp"

namespace berth::tests {

/// `, devices: {gpu: {count: 4, ...}}`, or empty if the type has no devices.
[[nodiscard]] std::string devices_text(const PlainTree& tree, std::size_t type);
/// A comment with what only a trace, and no experiment, can say about a pod.
[[nodiscard]] std::string models_text(const sim::Job& job);
/// The lines of a profile that shares GPUs, including `score` if it holds the policy.
[[nodiscard]] std::string sharing_text(const sim::GpuPlugin& plugin);
/// The line of a profile that names an allocator of devices.
[[nodiscard]] std::string allocator_text(const sim::DevicePlugin& plugin);

}  // namespace berth::tests
