#include "experiments/python/module/python_calls.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace berth::python {

namespace py = pybind11;

PythonCalls::Call::Call(PythonCalls& calls) : calls_(calls), thread_(PyThread_get_thread_ident()) {
    calls_.began_[thread_] = Clock::now();
}

PythonCalls::Call::~Call() {
    calls_.began_.erase(thread_);
}

bool PythonCalls::interrupt_older_than(Clock::time_point then, PyObject* exception) {
    bool found = false;
    for (const auto& [thread, since] : began_) {
        if (since < then) {
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

}  // namespace berth::python
