#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "experiments/program/results/tables/table_columns.hpp"

namespace berth::python {

/// A table as a capsule of a stream of Arrow record batches, one a block, whose buffers are the
/// table's own: it lives until the last of them is released.
/// Source: Apache Arrow, "The Arrow C data interface", "The Arrow C stream interface", "The Arrow
///         PyCapsule Interface".
[[nodiscard]] pybind11::capsule arrow_stream(std::shared_ptr<const report::TableColumns> table);
/// Its columns alone.
[[nodiscard]] pybind11::capsule arrow_schema(const report::TableColumns& table);

}  // namespace berth::python
