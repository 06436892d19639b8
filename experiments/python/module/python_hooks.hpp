#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>

#include "experiments/python/module/python_calls.hpp"
#include "sim/profile/profile_hooks.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::python {

/// The decisions that a Python object makes for a profile: those of order(queue, view), select(pod,
/// candidates, view) and score(pod, view) that it has, and at most one of the last two. The caller
/// holds the GIL. `shared_gpus`: the ledger counts GPUs one by one.
[[nodiscard]] sim::ProfileHooks python_hooks(pybind11::object object,
                                             const sim::Actions& see,
                                             bool shared_gpus,
                                             std::uint32_t replication,
                                             std::uint64_t seed,
                                             PythonCalls& calls);

}  // namespace berth::python
