#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace berth::python {

/// Numbers in rows, which somebody goes on writing, lent to NumPy to be read.
struct LentRows {
    std::shared_ptr<const void> owner;  ///< Of the numbers: they live as long as any array of them.
    void* numbers = nullptr;
    pybind11::ssize_t size = 0;  ///< Of a number, in bytes.
    std::string format;          ///< As Python's module struct has it.
    pybind11::ssize_t rows = 0;
    pybind11::ssize_t columns = 0;
};

/// Numbers as a read-only NumPy array of two dimensions that shares their memory.
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
