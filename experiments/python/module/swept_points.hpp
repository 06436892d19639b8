#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/resolve/value_path.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"

namespace berth::python {

/// Errors: core::InputError for a text that is no `PATH=VALUE`.
[[nodiscard]] std::vector<experiments::Override> overrides_of(const std::vector<std::string>& set);

/// Whether a scheduler in Python decides an experiment, so that C++ alone cannot run it.
[[nodiscard]] bool is_decided_in_python(const core::Value& experiment);

/// The files of a run, by their names.
using PointFiles = std::map<std::string, pybind11::bytes>;

/// Stores the files of a point that was run elsewhere, unless another process has it.
void put_point(const experiments::SweepDirectory& directory,
               const experiments::PointKey& key,
               const PointFiles& files);

}  // namespace berth::python
