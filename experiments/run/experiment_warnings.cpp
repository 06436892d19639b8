#include "experiments/run/experiment_warnings.hpp"

#include <algorithm>
#include <iterator>

#include "experiments/run/never_start.hpp"
#include "experiments/run/trace_warnings.hpp"

namespace berth::experiments {

std::vector<std::string> experiment_warnings(const ExperimentSpec& spec) {
    std::vector<std::string> warnings = jobs_that_never_start(spec);
    std::ranges::move(trace_warnings(spec), std::back_inserter(warnings));
    return warnings;
}

}  // namespace berth::experiments
