#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace berth::python {

/// Rows of numbers that berth keeps writing, lent to NumPy for reading.
struct LentRows {
    /// Owns the numbers: they live as long as any array over them.
    std::shared_ptr<const void> owner;
    void* numbers = nullptr;
    pybind11::ssize_t size = 0;  ///< The size of a number in bytes.
    std::string format;  ///< The number's format, in the notation of Python's module struct.
    pybind11::ssize_t rows = 0;
    pybind11::ssize_t columns = 0;
};

/// A read-only, two-dimensional NumPy array over the numbers, which shares their memory.
template <class Number>
[[nodiscard]] pybind11::object array_over(const std::shared_ptr<std::vector<Number>>& numbers,
                                          std::size_t columns) {
    namespace py = pybind11;
    const auto width = static_cast<py::ssize_t>(columns);
    auto lent = std::make_shared<LentRows>();
    lent->owner = numbers;
    lent->numbers = numbers->data();
    lent->size = static_cast<py::ssize_t>(sizeof(Number));
    lent->format = py::format_descriptor<Number>::format();
    lent->rows = width == 0 ? 0 : static_cast<py::ssize_t>(numbers->size()) / width;
    lent->columns = width;
    return py::module_::import("numpy").attr("asarray")(py::cast(std::move(lent)));
}

}  // namespace berth::python
