#pragma once

#include <functional>

#include "experiments/python/module/python_calls.hpp"
#include "sim/run/run_control.hpp"

namespace berth::python {

/// Does the work in another thread while others may run Python, and ends it soon when Python was
/// told to stop (Ctrl-C) or ends: the simulation at its next event, a call into Python as soon as
/// that runs Python. A call into Python that lasts too long is ended in the same way.
/// `calls`: the calls into Python that the work makes; nullptr: it makes none.
/// `tell`: called a few times a second and after the work, with the GIL held; may be empty.
/// Errors: what the work throws; what Python's signal handlers throw, such as KeyboardInterrupt,
///         and what `tell` throws, which also end the work.
void run_interruptibly(sim::RunControl& control,
                       PythonCalls* calls,
                       const std::function<void()>& work,
                       const std::function<void()>& tell = {});

}  // namespace berth::python
