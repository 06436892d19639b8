#include "experiments/python/module/interruptible.hpp"

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <future>
#include <optional>

namespace berth::python {

namespace py = pybind11;

namespace {

/// Ends calls into Python that last too long.
void end_long_calls(const WatchedCalls& watched) {
    if (watched.calls != nullptr && watched.timeout_s) {
        const std::chrono::duration<double> timeout(*watched.timeout_s);
        const auto latest = PythonCalls::Clock::now() -
                            std::chrono::duration_cast<PythonCalls::Clock::duration>(timeout);
        watched.calls->interrupt_older_than(
            latest, py::module_::import("berth._errors").attr("Timeout").ptr());
    }
}

}  // namespace

void run_interruptibly(sim::RunControl& control,
                       const WatchedCalls& watched,
                       const std::function<void()>& work,
                       const std::function<void()>& tell) {
    constexpr std::chrono::milliseconds between_looks(50);
    constexpr unsigned looks_between_tellings = 4;
    unsigned looks = 0;
    std::optional<py::error_already_set> told_to_stop;
    std::exception_ptr failed;
    {
        const py::gil_scoped_release others_run;
        // A thread that Python knows from its beginning on need not be made known at each call.
        std::future<void> done = std::async(std::launch::async, [&work] {
            const py::gil_scoped_acquire known;
            const py::gil_scoped_release others_run_meanwhile;
            work();
        });
        while (done.wait_for(between_looks) != std::future_status::ready) {
            const py::gil_scoped_acquire python;
            try {
                if (!told_to_stop) {
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
            if (told_to_stop && watched.calls != nullptr) {
                watched.calls->interrupt_older_than(PythonCalls::Clock::now(),
                                                    PyExc_KeyboardInterrupt);
            }
            end_long_calls(watched);
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
