#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>

namespace berth::python {

/// A value as messages show it: its repr, cut where it is long; of one that has none, its type.
[[nodiscard]] std::string shown(pybind11::handle value);

/// A whole number, of Python or of NumPy. Nothing for anything else, and for one without room.
[[nodiscard]] std::optional<std::int64_t> whole_of(pybind11::handle value);

/// A number. Nothing for anything else.
[[nodiscard]] std::optional<double> number_of(pybind11::handle value);

/// A text. Nothing for anything else, and for one that is not Unicode.
[[nodiscard]] std::optional<std::string> text_of(pybind11::handle value);

}  // namespace berth::python
