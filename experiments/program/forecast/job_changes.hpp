#pragma once

#include <string>
#include <vector>

#include "core/tree/topology.hpp"
#include "experiments/program/forecast/past.hpp"
#include "sim/job/job.hpp"

namespace berth::experiments {

/// Another form in which a job could be submitted.
struct JobChange {
    std::string what;  ///< `a limit of 2 h`.
    sim::Job job;
};

/// Changes of a job, the cheapest for its user first: softer constraints, another quota that jobs
/// of its namespace had, another shape, half the limit, half the members or amounts for twice the
/// time.
[[nodiscard]] std::vector<JobChange> changes_of(const sim::Job& job,
                                                const Past& past,
                                                const core::Topology& tree);

}  // namespace berth::experiments
