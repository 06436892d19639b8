#pragma once

#include <span>

#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::workloads {

/// Columns of sacct by which no run goes.
[[nodiscard]] std::span<const UnmodelledField> sacct_fields();

/// Keys of `scontrol show job` by which no run goes.
[[nodiscard]] std::span<const UnmodelledField> scontrol_fields();

/// What jobs of sacct, squeue and scontrol say in JSON by which no run goes.
[[nodiscard]] const FieldTable& slurm_json_fields();

}  // namespace berth::workloads
