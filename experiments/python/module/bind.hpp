#pragma once

#include <pybind11/pybind11.h>

namespace berth::python {

/// Each function adds its part to the module `berth._berth`, which the package's Python files wrap.
void bind_errors(pybind11::module_& module);
void bind_tables(pybind11::module_& module);
void bind_runs(pybind11::module_& module);
void bind_requests(pybind11::module_& module);
void bind_answers(pybind11::module_& module);
void bind_environments(pybind11::module_& module);
void bind_sweeps(pybind11::module_& module);
void bind_plans(pybind11::module_& module);
void bind_schedulers(pybind11::module_& module);

}  // namespace berth::python
