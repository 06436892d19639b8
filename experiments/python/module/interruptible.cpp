#include "experiments/python/module/interruptible.hpp"

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <optional>

#include "experiments/program/support/own_process.hpp"
#include "experiments/python/module/others_run.hpp"
#include "experiments/python/module/seen_jobs.hpp"

namespace berth::python {

namespace py = pybind11;

namespace {

/// Asks Python now and then whether the work is to stop, and tells it how far the work is.
class Looks {
public:
    Looks(sim::RunControl& control, PythonCalls* calls, const std::function<void()>& tell)
        : control_(control), calls_(calls), tell_(tell) {}

    void look() {
        constexpr unsigned looks_between_tellings = 4;
        const py::gil_scoped_acquire python;
        try {
            if (!told_to_stop_) {
                UnderWay::check();
                if (PyErr_CheckSignals() != 0) {
                    throw py::error_already_set();
                }
                if (tell_ && ++looks_ % looks_between_tellings == 0) {
                    tell_();
                }
            }
        } catch (py::error_already_set& stopped) {
            told_to_stop_ = stopped;
            control_.stop = true;
        }
        if (told_to_stop_ && calls_ != nullptr) {
            calls_->interrupt_older_than(PythonCalls::Clock::now(), PyExc_KeyboardInterrupt);
        }
        if (calls_ != nullptr) {
            calls_->interrupt_late_ones();
        }
    }
    /// The exception of Python that stops the work, if any.
    [[nodiscard]] const std::optional<py::error_already_set>& told_to_stop() const {
        return told_to_stop_;
    }

private:
    sim::RunControl& control_;
    PythonCalls* calls_;
    const std::function<void()>& tell_;
    unsigned looks_ = 0;
    std::optional<py::error_already_set> told_to_stop_;
};

}  // namespace

void run_interruptibly(sim::RunControl& control,
                       PythonCalls* calls,
                       const std::function<void()>& work,
                       const std::function<void()>& tell) {
    constexpr std::chrono::milliseconds between_looks(50);
    const experiments::OwnProcess process;
    Looks looks(control, calls, tell);
    std::exception_ptr failed;
    UnderWay::check();
    {
        const OthersRun others_run;
        // If Python knows a thread from its beginning, the thread need not be registered at each
        // call.
        auto done = std::make_unique<std::future<void>>(std::async(std::launch::async, [&work] {
            const py::gil_scoped_acquire known;
            const py::gil_scoped_release others_run_meanwhile;
            work();
        }));
        while (process.is_here() && done->wait_for(between_looks) != std::future_status::ready) {
            looks.look();
        }
        try {
            if (process.is_here()) {
                done->get();
            } else {
                (void)done.release();  // its destructor would wait for a thread that is not there
                throw sim::SchedulerError(of_another_process);
            }
        } catch (...) {
            failed = std::current_exception();
        }
    }
    if (looks.told_to_stop()) {
        throw py::error_already_set(*looks.told_to_stop());
    }
    if (failed) {
        std::rethrow_exception(failed);
    }
    if (tell) {
        tell();
    }
}

}  // namespace berth::python
