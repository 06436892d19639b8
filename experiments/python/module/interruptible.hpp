#pragma once

#include <functional>

#include "experiments/python/module/python_calls.hpp"
#include "sim/run/run_control.hpp"

namespace berth::python {

/// Does the work in another thread while other threads may run Python. The work ends early when
/// Python is told to stop (Ctrl-C) or exits: the simulation at its next event, a call into Python
/// as soon as it runs Python code. A call into Python that lasts too long is ended in the same way.
/// `calls`: the calls into Python that the work makes; nullptr: it makes none.
/// `tell`: called a few times a second and after the work, with the GIL held; may be empty.
/// Errors: exceptions of the work. Exceptions of Python's signal handlers, such as
///         KeyboardInterrupt, and of `tell` end the work and are thrown, too.
void run_interruptibly(sim::RunControl& control,
                       PythonCalls* calls,
                       const std::function<void()>& work,
                       const std::function<void()>& tell = {});

}  // namespace berth::python
