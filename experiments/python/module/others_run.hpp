#pragma once

#include <pybind11/pybind11.h>

#include "experiments/program/support/own_process.hpp"

namespace berth::python {

/// Marks work that does not hold the GIL all the time, for as long as the object lives. The object
/// is made and dropped with the GIL held. Python's exit waits for such work: later, Python kills
/// any thread that asks for the GIL, and if that thread is in C++, the process dies with it.
class UnderWay {
public:
    UnderWay();
    ~UnderWay();
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

    /// Whether Python is exiting and this is not the thread that ends it. Work must then end soon,
    /// and no work that releases the GIL may begin.
    [[nodiscard]] static bool is_too_late();
    /// Errors: SystemExit, which ends a thread silently, where it is too late.
    static void check();

private:
    experiments::OwnProcess process_;
};

/// Lets other threads run Python as long as the object lives, like pybind11's gil_scoped_release.
/// It keeps the GIL where it is too late to release it.
class OthersRun {
public:
    OthersRun();
    ~OthersRun();
    OthersRun(const OthersRun&) = delete;
    OthersRun& operator=(const OthersRun&) = delete;

private:
    UnderWay under_way_;
    PyThreadState* state_;  ///< nullptr: the object has kept the GIL.
};

/// Makes Python's exit wait for the work under way.
void wait_at_the_end(pybind11::module_& module);

}  // namespace berth::python
