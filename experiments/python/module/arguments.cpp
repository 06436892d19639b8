#include "experiments/python/module/arguments.hpp"

namespace berth::python {

namespace py = pybind11;

std::string shown(py::handle value) {
    constexpr std::size_t letters_max = 100;
    const auto repr = py::reinterpret_steal<py::object>(PyObject_Repr(value.ptr()));
    std::optional<std::string> text = repr ? text_of(repr) : std::nullopt;
    if (!text) {
        PyErr_Clear();
        return std::string("a ") + Py_TYPE(value.ptr())->tp_name;
    }
    if (text->size() > letters_max) {
        std::size_t end = letters_max;
        while (end > 0 && (static_cast<unsigned char>((*text)[end]) & 0xC0U) == 0x80U) {
            --end;  // do not cut within a letter of several bytes
        }
        text->replace(end, std::string::npos, "...");
    }
    for (char& letter : *text) {
        letter = letter == '\n' || letter == '\0' ? ' ' : letter;
    }
    return *text;
}

std::optional<std::int64_t> whole_of(py::handle value) {
    const auto whole = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    int beyond = 0;
    const long long number = whole ? PyLong_AsLongLongAndOverflow(whole.ptr(), &beyond) : 0;
    if (!whole || beyond != 0) {
        PyErr_Clear();
        return std::nullopt;
    }
    return number;
}

std::optional<double> number_of(py::handle value) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        return std::nullopt;
    }
    return number;
}

std::optional<std::string> text_of(py::handle value) {
    if (PyUnicode_Check(value.ptr()) == 0) {
        return std::nullopt;
    }
    Py_ssize_t size = 0;
    const char* letters = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (letters == nullptr) {
        PyErr_Clear();
        return std::nullopt;
    }
    return std::string(letters, static_cast<std::size_t>(size));
}

}  // namespace berth::python
