#pragma once

#include <string>

#include "sim/cluster/inside/plugins.hpp"
#include "sim/job/job.hpp"
#include "tests/model/plain_case.hpp"

namespace berth::tests {

/// `, devices: {gpu: {count: 4, ...}}`, or nothing where there are none.
[[nodiscard]] std::string devices_text(const PlainTree& tree, std::size_t type);
/// What no experiment but a trace can say of a pod: a comment.
[[nodiscard]] std::string models_text(const sim::Job& job);
/// The lines of a profile that share GPUs, `score` among them if a policy stands there.
[[nodiscard]] std::string sharing_text(const sim::GpuPlugin& plugin);
/// The line of a profile that names an allocator of devices.
[[nodiscard]] std::string allocator_text(const sim::DevicePlugin& plugin);

}  // namespace berth::tests
