#include "experiments/python/module/public_class.hpp"

#include <string_view>

namespace berth::python {

namespace py = pybind11;

namespace {

PyObject* refuse(const PyTypeObject* asked) {
    const std::string_view name = asked->tp_name;
    PyErr_Format(
        PyExc_TypeError,
        "berth.%s: only a run makes such objects: expected one that it gives to a scheduler",
        name.substr(name.rfind('.') + 1).data());
    return nullptr;
}

/// The function that makes objects of all classes of pybind11, as pybind11 wrote it.
newfunc make_of_base = nullptr;

}  // namespace

void refuse_making(const py::handle& bound) {
    auto* type = reinterpret_cast<PyTypeObject*>(bound.ptr());
    type->tp_new = [](PyTypeObject* asked, PyObject* /*words*/, PyObject* /*named*/) {
        return refuse(asked);
    };
    const auto init = [](const py::args& /*given*/, const py::kwargs& /*named*/) {
        throw py::type_error("__init__(): only a run makes such objects: expected no call of it");
    };
    py::setattr(bound, "__init__", py::cpp_function(init, py::is_method(bound)));
    PyType_Modified(type);
}

void refuse_making_of_base() {
    auto* type = reinterpret_cast<PyTypeObject*>(py::detail::get_internals().instance_base);
    make_of_base = type->tp_new;
    type->tp_new = [](PyTypeObject* asked, PyObject* words, PyObject* named) {
        return py::detail::all_type_info(asked).empty() ? refuse(asked)
                                                        : make_of_base(asked, words, named);
    };
    PyType_Modified(type);
}

}  // namespace berth::python
