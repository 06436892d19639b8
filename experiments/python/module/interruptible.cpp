#include "experiments/python/module/interruptible.hpp"

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <future>
#include <optional>

#include "experiments/python/module/others_run.hpp"

namespace berth::python {

namespace py = pybind11;

void run_interruptibly(sim::RunControl& control,
                       PythonCalls* calls,
                       const std::function<void()>& work,
                       const std::function<void()>& tell) {
    constexpr std::chrono::milliseconds between_looks(50);
    constexpr unsigned looks_between_tellings = 4;
    unsigned looks = 0;
    std::optional<py::error_already_set> told_to_stop;
    std::exception_ptr failed;
    UnderWay::check();
    {
        const OthersRun others_run;
        // If Python knows a thread from its beginning, the thread need not be registered at each
        // call.
        std::future<void> done = std::async(std::launch::async, [&work] {
            const py::gil_scoped_acquire known;
            const py::gil_scoped_release others_run_meanwhile;
            work();
        });
        while (done.wait_for(between_looks) != std::future_status::ready) {
            const py::gil_scoped_acquire python;
            try {
                if (!told_to_stop) {
                    UnderWay::check();
                    if (PyErr_CheckSignals() != 0) {
                        throw py::error_already_set();
                    }
                    if (tell && ++looks % looks_between_tellings == 0) {
                        tell();
                    }
                }
            } catch (py::error_already_set& stopped) {
                told_to_stop = stopped;
                control.stop = true;
            }
            if (told_to_stop && calls != nullptr) {
                calls->interrupt_older_than(PythonCalls::Clock::now(), PyExc_KeyboardInterrupt);
            }
            if (calls != nullptr) {
                calls->interrupt_late_ones();
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
    if (tell) {
        tell();
    }
}

}  // namespace berth::python
