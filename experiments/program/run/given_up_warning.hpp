#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "sim/meter/metric.hpp"

namespace berth::experiments {

/// A sentence, with its remedy, that jobs were given up which failures interrupted again and again:
/// what became of them is in no mean of jobs that finished. Nothing where there are none.
///
/// Shape: the metrics of each replication.
[[nodiscard]] std::optional<std::string> given_up_warning(
    const ExperimentSpec& spec, std::span<const std::vector<sim::Metric>> replications);

}  // namespace berth::experiments
