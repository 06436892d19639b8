#pragma once

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/run/table_form.hpp"

namespace berth::experiments {

/// How long an experiment may run, in no unit: the pods that are expected to arrive in all
/// replications, and its servers. Good for saying which of two runs longer.
[[nodiscard]] double size_estimate(const ExperimentSpec& spec);

/// About how many bytes an experiment writes with its tables in this form, from the pods, the
/// samples and the servers that are expected; within a factor of two or so. What a backlog adds
/// is not known before the run.
[[nodiscard]] double bytes_estimate(const ExperimentSpec& spec, const TableForm& form);

}  // namespace berth::experiments
