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
    std::vector<std::string> warnings;  ///< With the places that they are about.
};

}  // namespace berth::python
