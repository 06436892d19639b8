#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <utility>

namespace berth::python {

/// An object of Python that may be copied and dropped by threads that do not hold the GIL.
using HeldObject = std::shared_ptr<const pybind11::object>;

/// The caller holds the GIL.
[[nodiscard]] inline HeldObject hold(pybind11::object object) {
    return {new pybind11::object(std::move(object)), [](const pybind11::object* held) {
                const pybind11::gil_scoped_acquire python;
                delete held;
            }};
}

/// A value with objects of Python in it, which may be dropped in the same way.
template <class Value, class... Arguments>
[[nodiscard]] std::shared_ptr<Value> make_held(Arguments&&... arguments) {
    return {new Value(std::forward<Arguments>(arguments)...), [](Value* held) {
                const pybind11::gil_scoped_acquire python;
                delete held;
            }};
}

}  // namespace berth::python
