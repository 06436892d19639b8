#include "experiments/python/module/python_calls.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
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
        text_of(trace.attr("tb_frame").attr("f_code").attr("co_filename")).value_or("a file");
    return fmt::format(
        " ({}, line {})", file.filename().string(), trace.attr("tb_lineno").cast<int>());
}

/// The text of an exception; empty where it has none that can be read.
std::string said_by(const py::error_already_set& error) {
    const auto value = py::reinterpret_steal<py::object>(PyObject_Str(error.value().ptr()));
    PyErr_Clear();
    return value ? text_of(value).value_or("") : "";
}

/// Throws the error of a verb as it is, which says when and why.
void throw_said_by(const py::error_already_set& error) {
    const std::string said = said_by(error);
    if (!said.empty() &&
        error.matches(py::module_::import("berth._errors").attr("SchedulerError"))) {
        throw sim::SchedulerError(said);
    }
}

/// An exception of Python as one line: `ZeroDivisionError: division by zero (mine.py, line 12)`.
std::string line_of(const py::error_already_set& error) {
    const std::string said = said_by(error);
    const std::string text = said.substr(0, said.find_first_of({"\n\0", 2}));
    const auto name = py::str(error.type().attr("__name__"));
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

void PythonCalls::check_has_run(const py::object& answer, const Called& called) {
    const bool is_coroutine = PyCoro_CheckExact(answer.ptr()) != 0;
    const bool is_generator =
        PyGen_CheckExact(answer.ptr()) != 0 || PyAsyncGen_CheckExact(answer.ptr()) != 0;
    if (!is_coroutine && !is_generator) {
        return;
    }
    if (is_coroutine) {
        answer.attr("close")();  // so that Python does not warn of it
    }
    throw sim::SchedulerError(fmt::format(
        "at {} s: {}{}() of {} gave {}, of which nothing has run: expected a method without "
        "yield and async",
        sim::format_seconds(called.now),
        about_text(called.about),
        called.method,
        name_of(*called.scheduler),
        is_coroutine ? "a coroutine" : "a generator"));
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
    throw_said_by(error);
    throw sim::SchedulerError(fmt::format("at {} s: {}{}() of {} raised {}",
                                          sim::format_seconds(called.now),
                                          about_text(called.about),
                                          called.method,
                                          name_of(*called.scheduler),
                                          line_of(error)));
}

void PythonCalls::fail_to_make(const py::error_already_set& error,
                               std::optional<double> too_long_s,
                               std::uint32_t replication) {
    keep(error);
    const py::module_ errors = py::module_::import("berth._errors");
    if (too_long_s && error.matches(errors.attr("Timeout"))) {
        fail_to_make_in_time(*too_long_s, replication);
    }
    throw_said_by(error);
    throw sim::SchedulerError(fmt::format(
        "replication {}: the scheduler cannot be made: {}", replication, line_of(error)));
}

void PythonCalls::fail_to_make_in_time(double lasted_s, std::uint32_t replication) const {
    throw sim::SchedulerError(fmt::format(
        "replication {}: the scheduler was not made in time: it took {:.3g} s: expected at most "
        "{:g} s",
        replication,
        lasted_s,
        *timeout_s_));
}

void PythonCalls::leave_copy() const {
    if (!process_.is_here()) {
        constexpr std::string_view told =
            "berth: error: a scheduler returned in a forked copy of its process, which has no run: "
            "expected os._exit() in the copy\n";
        (void)!::write(STDERR_FILENO, told.data(), told.size());
        ::_exit(1);
    }
}

}  // namespace berth::python
