#pragma once

#include <functional>

#include "sim/run/run_control.hpp"

namespace berth::python {

/// Does the work in another thread while others may run Python, and ends it soon when Python was
/// told to stop (Ctrl-C).
/// Errors: what the work throws; what Python's signal handlers throw, such as KeyboardInterrupt.
void run_interruptibly(sim::RunControl& control, const std::function<void()>& work);

}  // namespace berth::python
