#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <map>
#include <string>

namespace berth::python {

/// What is known of the calls into Python that a run makes: since when each of them lasts, and what
/// the first one that failed raised. Whoever uses it holds the GIL.
class PythonCalls {
public:
    using Clock = std::chrono::steady_clock;

    /// A call into Python, for as long as it lives.
    class Call {
    public:
        explicit Call(PythonCalls& calls);
        ~Call();
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;

    private:
        PythonCalls& calls_;
        unsigned long thread_;
    };

    /// Has each call that began before `then` raise an exception of this type, as soon as it runs
    /// Python again: one that waits in a library ends when that returns.
    /// Returns: whether there is such a call.
    bool interrupt_older_than(Clock::time_point then, PyObject* exception);

    /// Keeps what a call raised, if it is the first.
    void keep(const pybind11::error_already_set& error);
    /// What the first call that failed raised; None: none did.
    [[nodiscard]] pybind11::object first_error() const;

private:
    std::map<unsigned long, Clock::time_point> began_;  ///< By Python's number of the thread.
    pybind11::object error_ = pybind11::none();
};

/// An exception of Python in a line: `ZeroDivisionError: division by zero (mine.py, line 12)`.
[[nodiscard]] std::string line_of(const pybind11::error_already_set& error);

}  // namespace berth::python
