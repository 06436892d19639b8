#include "experiments/python/module/interruptible.hpp"

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <future>
#include <optional>

namespace berth::python {

namespace py = pybind11;

void run_interruptibly(sim::RunControl& control, const std::function<void()>& work) {
    constexpr std::chrono::milliseconds between_looks(50);
    std::optional<py::error_already_set> told_to_stop;
    std::exception_ptr failed;
    {
        const py::gil_scoped_release others_run;
        std::future<void> done = std::async(std::launch::async, work);
        while (done.wait_for(between_looks) != std::future_status::ready) {
            const py::gil_scoped_acquire python;
            if (!told_to_stop && PyErr_CheckSignals() != 0) {
                told_to_stop.emplace();
                control.stop = true;
            }
        }
        try {
            done.get();
        } catch (...) {
            failed = std::current_exception();
        }
    }
    if (told_to_stop) {
        throw py::error_already_set(*told_to_stop);
    }
    if (failed) {
        std::rethrow_exception(failed);
    }
}

}  // namespace berth::python
