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
/// `tell`: called a few times a second and after the work, with the GIL held; may be empty.
/// Errors: what the work throws; what Python's signal handlers throw, such as KeyboardInterrupt,
///         and what `tell` throws, which also end the work.
void run_interruptibly(sim::RunControl& control,
                       const WatchedCalls& watched,
                       const std::function<void()>& work,
                       const std::function<void()>& tell = {});

}  // namespace berth::python
