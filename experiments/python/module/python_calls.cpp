#include "experiments/python/module/python_calls.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

namespace py = pybind11;

namespace {

/// An exception of Python in a line: `ZeroDivisionError: division by zero (mine.py, line 12)`.
std::string line_of(const py::error_already_set& error) {
    const auto name = py::str(error.type().attr("__name__"));
    std::string text = py::str(error.value());
    text = text.substr(0, text.find('\n'));
    std::string out = std::string(name) + (text.empty() ? "" : ": " + text);
    py::object trace = error.trace();
    while (trace && !trace.is_none() && !trace.attr("tb_next").is_none()) {
        trace = trace.attr("tb_next");
    }
    if (trace && !trace.is_none()) {
        const std::filesystem::path file =
            py::str(trace.attr("tb_frame").attr("f_code").attr("co_filename")).cast<std::string>();
        out += fmt::format(
            " ({}, line {})", file.filename().string(), trace.attr("tb_lineno").cast<int>());
    }
    return out;
}

}  // namespace

PythonCalls::Call::Call(PythonCalls& calls)
    : began_(calls.began_[PyThread_get_thread_ident()]), before_(began_) {
    if (!before_) {
        began_ = Clock::now();
    }
}

PythonCalls::Call::~Call() {
    began_ = before_;
}

bool PythonCalls::interrupt_older_than(Clock::time_point then, PyObject* exception) {
    bool found = false;
    for (const auto& [thread, since] : began_) {
        if (since && *since < then) {
            PyThreadState_SetAsyncExc(thread, exception);
            found = true;
        }
    }
    return found;
}

void PythonCalls::keep(const py::error_already_set& error) {
    if (error_.is_none()) {
        error_ = error.value();
        if (error.trace()) {
            error_.attr("__traceback__") = error.trace();
        }
    }
}

py::object PythonCalls::first_error() const {
    return error_;
}

void PythonCalls::fail(const py::error_already_set& error,
                       const py::object& scheduler,
                       const char* method,
                       sim::SimTime now) {
    keep(error);
    const py::module_ errors = py::module_::import("berth._errors");
    if (error.matches(errors.attr("SchedulerError"))) {
        throw sim::SchedulerError(py::str(error.value()));
    }
    const bool late = error.matches(errors.attr("Timeout"));
    throw sim::SchedulerError(
        fmt::format("at {} s: {}() of {} {} {}",
                    sim::format_seconds(now),
                    method,
                    std::string(py::str(py::type::of(scheduler).attr("__name__"))),
                    late ? "did not answer in time:" : "raised",
                    line_of(error)));
}

}  // namespace berth::python
