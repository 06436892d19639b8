#pragma once

#include <span>

#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::workloads {

/// Columns of sacct that a run does not model.
[[nodiscard]] std::span<const UnmodelledField> sacct_fields();

/// Keys of `scontrol show job` that a run does not model.
[[nodiscard]] std::span<const UnmodelledField> scontrol_fields();

/// Fields in the JSON of sacct, squeue and scontrol that a run does not model.
[[nodiscard]] const FieldTable& slurm_json_fields();

}  // namespace berth::workloads
