#pragma once

#include <functional>
#include <optional>

#include "experiments/python/module/python_calls.hpp"
#include "sim/run/run_control.hpp"

namespace berth::python {

/// The calls into Python that the work makes.
struct WatchedCalls {
    PythonCalls* calls = nullptr;       ///< Or nullptr: it makes none.
    std::optional<double> timeout_s{};  ///< One that lasts longer is ended.
};

/// Does the work in another thread while others may run Python, and ends it soon when Python was
/// told to stop (Ctrl-C): the simulation at its next event, a call into Python at once.
/// Errors: what the work throws; what Python's signal handlers throw, such as KeyboardInterrupt.
void run_interruptibly(sim::RunControl& control,
                       const WatchedCalls& watched,
                       const std::function<void()>& work);

}  // namespace berth::python
