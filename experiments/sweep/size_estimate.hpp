#pragma once

#include "experiments/config/experiment_spec.hpp"

namespace berth::experiments {

/// How long an experiment may run, in no unit: the pods that are expected to arrive in all
/// replications, and its servers. Good for saying which of two runs longer.
[[nodiscard]] double size_estimate(const ExperimentSpec& spec);

}  // namespace berth::experiments
