#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>

#include "experiments/python/module/python_calls.hpp"
#include "sim/profile/profile_hooks.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::python {

/// What an object of Python decides for a profile: each of order(queue, view), select(pod,
/// candidates, view) and score(pod, view) that it has, of the last two at most one. The caller
/// holds the GIL. `shared_gpus`: the ledger counts GPUs one by one.
[[nodiscard]] sim::ProfileHooks python_hooks(pybind11::object object,
                                             const sim::Actions& see,
                                             bool shared_gpus,
                                             std::uint32_t replication,
                                             std::uint64_t seed,
                                             PythonCalls& calls);

}  // namespace berth::python
