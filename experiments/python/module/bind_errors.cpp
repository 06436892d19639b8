#include <exception>
#include <string_view>
#include <system_error>

#include "core/support/source.hpp"
#include "experiments/python/module/bind.hpp"
#include "sim/run/invariants.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

namespace py = pybind11;

namespace {

/// The text of an error. It may repeat bytes of a file that are not valid text.
py::object said_by(const std::exception& error) {
    const std::string_view text = error.what();
    return py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "replace"));
}

void set_error(const char* type, const std::exception& error) {
    const py::object exception = py::module_::import("berth._errors").attr(type);
    PyErr_SetObject(exception.ptr(), exception(said_by(error)).ptr());
}

}  // namespace

void bind_errors(py::module_& /*module*/) {
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) {
                std::rethrow_exception(thrown);
            }
        } catch (const core::InputError& error) {
            set_error("InputError", error);
        } catch (const sim::InvariantError& error) {
            set_error("InvariantError", error);
        } catch (const sim::SchedulerError& error) {
            set_error("SchedulerError", error);
        } catch (const std::system_error& error) {
            const py::object failed = py::reinterpret_borrow<py::object>(PyExc_OSError)(
                error.code().value(), said_by(error));
            PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(failed.ptr())), failed.ptr());
        }
    });
}

}  // namespace berth::python
