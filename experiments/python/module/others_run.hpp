#pragma once

#include <pybind11/pybind11.h>

namespace berth::python {

/// Work that does not hold the GIL all the time, for as long as it lives; made and dropped with the
/// GIL. Python's end waits for it: Python kills a thread that asks for the GIL later, which takes
/// the process along where that thread is in C++.
class UnderWay {
public:
    UnderWay();
    ~UnderWay();
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

    /// Whether Python ends, and this thread is another than the one that ends it. Then work is to
    /// end soon, and none is to begin that lets the GIL go.
    [[nodiscard]] static bool is_too_late();
    /// Errors: SystemExit, which ends a thread without a word, where it is too late.
    static void check();
};

/// Others run Python as long as it lives, as with pybind11's gil_scoped_release, but not where it
/// is too late for that.
class OthersRun {
public:
    OthersRun();
    ~OthersRun();
    OthersRun(const OthersRun&) = delete;
    OthersRun& operator=(const OthersRun&) = delete;

private:
    UnderWay under_way_;
    PyThreadState* state_;  ///< nullptr: it holds the GIL.
};

/// Has Python's end wait for what is under way.
void wait_at_the_end(pybind11::module_& module);

}  // namespace berth::python
