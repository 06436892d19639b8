#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <span>

namespace berth::python {

/// Numbers as a read-only NumPy array of two dimensions that shares their memory, which outlives
/// it.
template <class Number>
[[nodiscard]] pybind11::object array_over(std::span<const Number> numbers, std::size_t columns) {
    namespace py = pybind11;
    constexpr auto size = static_cast<py::ssize_t>(sizeof(Number));
    const auto width = static_cast<py::ssize_t>(columns);
    const auto rows = width == 0 ? 0 : static_cast<py::ssize_t>(numbers.size()) / width;
    const auto memory =
        py::memoryview::from_buffer(numbers.data(), {rows, width}, {width * size, size});
    return py::module_::import("numpy").attr("asarray")(memory);
}

}  // namespace berth::python
