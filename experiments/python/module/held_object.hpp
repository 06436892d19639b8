#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <utility>

namespace berth::python {

/// A Python object that threads without the GIL may copy and drop.
using HeldObject = std::shared_ptr<const pybind11::object>;

/// Wraps an object. The caller holds the GIL.
[[nodiscard]] inline HeldObject hold(pybind11::object object) {
    return {new pybind11::object(std::move(object)), [](const pybind11::object* held) {
                const pybind11::gil_scoped_acquire python;
                delete held;
            }};
}

/// A value with Python objects in it. Threads without the GIL may drop it, too.
template <class Value, class... Arguments>
[[nodiscard]] std::shared_ptr<Value> make_held(Arguments&&... arguments) {
    return {new Value(std::forward<Arguments>(arguments)...), [](Value* held) {
                const pybind11::gil_scoped_acquire python;
                delete held;
            }};
}

}  // namespace berth::python
