#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>

namespace berth::python {

/// A value as messages show it: its repr, cut off if it is long. A value without a repr is shown by
/// its type.
[[nodiscard]] std::string shown(pybind11::handle value);

/// A whole number of Python or NumPy. Returns nothing for any other value, and for a number that
/// does not fit.
[[nodiscard]] std::optional<std::int64_t> whole_of(pybind11::handle value);

/// A number. Returns nothing for any other value.
[[nodiscard]] std::optional<double> number_of(pybind11::handle value);

/// A text. Returns nothing for any other value, and for a text that is not valid Unicode.
[[nodiscard]] std::optional<std::string> text_of(pybind11::handle value);

}  // namespace berth::python
