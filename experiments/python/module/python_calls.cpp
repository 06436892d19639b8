#include "experiments/python/module/python_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "experiments/python/module/arguments.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

namespace py = pybind11;

namespace {

std::string about_text(PythonCalls::About about) {
    return about.kind == nullptr ? "" : fmt::format("{} '{}': ", about.kind, *about.name);
}

/// Where an exception was raised: ` (mine.py, line 12)`; empty where it was not raised in Python.
std::string place_of(const py::error_already_set& error) {
    py::object trace = error.trace();
    while (trace && !trace.is_none() && !trace.attr("tb_next").is_none()) {
        trace = trace.attr("tb_next");
    }
    if (!trace || trace.is_none()) {
        return "";
    }
    const std::filesystem::path file =
        py::str(trace.attr("tb_frame").attr("f_code").attr("co_filename")).cast<std::string>();
    return fmt::format(
        " ({}, line {})", file.filename().string(), trace.attr("tb_lineno").cast<int>());
}

/// The text of an exception, as one line. For a call with wrong arguments, pybind11 states the
/// expected ones on a line of their own, such as `(self: berth._berth.Act, at: object) -> None`.
std::string first_line(const std::string& said) {
    const std::size_t end = std::min(said.find_first_of({"\n\0", 2}), said.size());
    const std::string first = said.substr(0, end);
    const std::size_t about = first.find(": incompatible function arguments.");
    const std::size_t begin = said.find('(', end);
    const std::size_t close = said.find(") ->", end);
    if (about == std::string::npos || begin == std::string::npos || close == std::string::npos) {
        return first;
    }
    std::string takes = said.substr(begin, close + 1 - begin);
    if (const std::size_t comma = takes.find(", "); takes.starts_with("(self: ")) {
        takes = "(" + (comma == std::string::npos ? ")" : takes.substr(comma + 2));
    }
    return first.substr(0, about) + ": other arguments: expected " + takes;
}

/// An exception of Python as one line: `ZeroDivisionError: division by zero (mine.py, line 12)`.
std::string line_of(const py::error_already_set& error) {
    const auto name = py::str(error.type().attr("__name__"));
    const auto value = py::reinterpret_steal<py::object>(PyObject_Str(error.value().ptr()));
    const auto said = value ? text_of(value) : std::nullopt;
    PyErr_Clear();  // an exception without a readable text is only named
    const std::string text = said ? first_line(*said) : "";
    return std::string(name) + (text.empty() ? "" : ": " + text) + place_of(error);
}

std::string name_of(const py::object& scheduler) {
    return py::str(py::type::of(scheduler).attr("__name__"));
}

}  // namespace

PythonCalls::Call::Call(PythonCalls& calls)
    : calls_(calls), began_(calls.began_[PyThread_get_thread_ident()]), before_(began_) {
    if (!before_) {
        began_ = Clock::now();
    }
}

std::optional<double> PythonCalls::Call::end() {
    if (std::exchange(ended_, true)) {
        return std::nullopt;
    }
    const double lasted_s = std::chrono::duration<double>(Clock::now() - *began_).count();
    began_ = before_;
    if (!before_ && calls_.interrupted_) {
        // An interrupt that arrived after the call had left Python must not hit the next call.
        PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), nullptr);
    }
    const bool too_long = calls_.timeout_s_ && lasted_s > *calls_.timeout_s_;
    return too_long ? std::optional(lasted_s) : std::nullopt;
}

void PythonCalls::interrupt_older_than(Clock::time_point then, PyObject* exception) {
    for (const auto& [thread, since] : began_) {
        if (since && *since < then) {
            PyThreadState_SetAsyncExc(thread, exception);
            interrupted_ = true;
        }
    }
}

void PythonCalls::interrupt_late_ones() {
    if (timeout_s_) {
        const std::chrono::duration<double> timeout(*timeout_s_);
        interrupt_older_than(Clock::now() - std::chrono::duration_cast<Clock::duration>(timeout),
                             py::module_::import("berth._errors").attr("Timeout").ptr());
    }
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

void PythonCalls::fail_late(double lasted_s, const Called& called, const std::string& place) const {
    throw sim::SchedulerError(
        fmt::format("at {} s: {}{}() of {} did not answer in time: it took {:.3g} s{}: expected "
                    "at most {:g} s",
                    sim::format_seconds(called.now),
                    about_text(called.about),
                    called.method,
                    name_of(*called.scheduler),
                    lasted_s,
                    place,
                    *timeout_s_));
}

void PythonCalls::fail(const py::error_already_set& error,
                       std::optional<double> too_long_s,
                       const Called& called) {
    keep(error);
    const py::module_ errors = py::module_::import("berth._errors");
    if (too_long_s && error.matches(errors.attr("Timeout"))) {
        fail_late(*too_long_s, called, place_of(error));
    }
    if (error.matches(errors.attr("SchedulerError"))) {
        throw sim::SchedulerError(py::str(error.value()));
    }
    throw sim::SchedulerError(fmt::format("at {} s: {}{}() of {} raised {}",
                                          sim::format_seconds(called.now),
                                          about_text(called.about),
                                          called.method,
                                          name_of(*called.scheduler),
                                          line_of(error)));
}

void PythonCalls::fail_to_make(const py::error_already_set& error, std::uint32_t replication) {
    keep(error);
    throw sim::SchedulerError(fmt::format(
        "replication {}: the scheduler cannot be made: {}", replication, line_of(error)));
}

}  // namespace berth::python
