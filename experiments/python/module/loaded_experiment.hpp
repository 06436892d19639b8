#pragma once

#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/resolve/resolve.hpp"

namespace berth::python {

/// An experiment that was read and resolved.
struct Experiment {
    experiments::ResolvedExperiment resolved;
    experiments::ExperimentSpec spec;
    std::vector<std::string> warnings;  ///< Each begins with the place that it is about.
};

}  // namespace berth::python
