#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "experiments/program/results/tables/table_columns.hpp"

namespace berth::python {

/// A capsule of a stream of Arrow record batches: one batch for each block of the table. Their
/// buffers are the table's own, so the table lives until the last of them is released.
/// Source: Apache Arrow, "The Arrow C data interface", "The Arrow C stream interface", "The Arrow
///         PyCapsule Interface".
[[nodiscard]] pybind11::capsule arrow_stream(std::shared_ptr<const report::TableColumns> table);
/// A capsule of the table's schema alone.
[[nodiscard]] pybind11::capsule arrow_schema(const report::TableColumns& table);

}  // namespace berth::python
