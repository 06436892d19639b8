#include "experiments/python/module/others_run.hpp"

#include <chrono>
#include <thread>

namespace berth::python {

namespace py = pybind11;

namespace {

// Only threads that hold the GIL use these two.
int under_way = 0;
bool python_ends = false;

/// Waits until all work has ended. The work sees that Python is exiting.
void end_all() {
    constexpr std::chrono::milliseconds between_looks(5);
    python_ends = true;
    while (under_way > 0) {
        {
            const py::gil_scoped_release others_run;
            std::this_thread::sleep_for(between_looks);
        }
        if (PyErr_CheckSignals() != 0) {
            throw py::error_already_set();
        }
    }
}

}  // namespace

UnderWay::UnderWay() {
    ++under_way;
}

UnderWay::~UnderWay() {
    under_way -= process_.is_here() ? 1 : 0;  // a forked copy counts from 0 again
}

bool UnderWay::is_too_late() {
    if (!python_ends) {
        return false;
    }
    const auto main = py::module_::import("threading").attr("main_thread")().attr("ident");
    return main.is_none() || main.cast<unsigned long>() != PyThread_get_thread_ident();
}

void UnderWay::check() {
    if (is_too_late()) {
        PyErr_SetString(PyExc_SystemExit, "Python ends");
        throw py::error_already_set();
    }
}

OthersRun::OthersRun() : state_(UnderWay::is_too_late() ? nullptr : PyEval_SaveThread()) {}

OthersRun::~OthersRun() {
    if (state_ != nullptr) {
        PyEval_RestoreThread(state_);
    }
}

void wait_at_the_end(py::module_& /*module*/) {
    py::module_::import("atexit").attr("register")(py::cpp_function(&end_all));
    // A forked copy of the process has none of its other threads.
    py::module_::import("os").attr("register_at_fork")(py::arg("after_in_child") =
                                                           py::cpp_function([] { under_way = 0; }));
}

}  // namespace berth::python
