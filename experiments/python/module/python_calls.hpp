#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <map>
#include <optional>

#include "sim/clock/time.hpp"

namespace berth::python {

/// What is known of the calls into Python that a run makes: since when each of them lasts, and what
/// the first one that failed raised. Whoever uses it holds the GIL.
class PythonCalls {
public:
    using Clock = std::chrono::steady_clock;

    /// A call into Python, for as long as it lives. Of calls within calls, the outermost counts.
    class Call {
    public:
        explicit Call(PythonCalls& calls);
        ~Call();
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;

    private:
        std::optional<Clock::time_point>& began_;
        std::optional<Clock::time_point> before_;
    };

    /// Calls a method of a scheduler in Python, which `work` does.
    /// Errors: sim::SchedulerError that says what it raised, at which simulated time; what a verb
    ///         said goes through as it is.
    template <class Work>
    void call(const pybind11::object& scheduler,
              const char* method,
              sim::SimTime now,
              const Work& work) {
        const pybind11::gil_scoped_acquire python;
        try {
            const Call call(*this);
            work();
        } catch (pybind11::error_already_set& error) {
            fail(error, scheduler, method, now);
        }
    }

    /// Has each call that began before `then` raise an exception of this type, as soon as it runs
    /// Python again: one that waits in a library ends when that returns.
    /// Returns: whether there is such a call.
    bool interrupt_older_than(Clock::time_point then, PyObject* exception);

    /// What the first call that failed raised; None: none did.
    [[nodiscard]] pybind11::object first_error() const;

private:
    void keep(const pybind11::error_already_set& error);
    [[noreturn]] void fail(const pybind11::error_already_set& error,
                           const pybind11::object& scheduler,
                           const char* method,
                           sim::SimTime now);

    /// By Python's number of the thread: since when its call lasts, or nothing.
    std::map<unsigned long, std::optional<Clock::time_point>> began_;
    pybind11::object error_ = pybind11::none();
};

}  // namespace berth::python
