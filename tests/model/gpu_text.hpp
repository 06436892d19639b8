#pragma once

#include <string>

#include "core/tree/topology.hpp"
#include "sim/cluster/inside/plugins.hpp"
#include "sim/job/job.hpp"

namespace berth::tests {

/// `, devices: {gpu: {count: 4, ...}}`, or nothing where there are none.
[[nodiscard]] std::string devices_text(const core::DeviceGroup& gpus);
/// What no experiment but a trace can say of a pod: a comment.
[[nodiscard]] std::string models_text(const sim::Job& job);
/// The lines of a profile that share GPUs, `score` among them if a policy stands there.
[[nodiscard]] std::string sharing_text(const sim::GpuPlugin& plugin);

}  // namespace berth::tests
