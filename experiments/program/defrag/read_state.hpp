#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/resolve/value_path.hpp"
#include "experiments/program/defrag/pod_facts.hpp"

namespace berth::experiments {

/// A cluster that is asked about: an experiment, and what lists of its pods say besides.
struct AskedState {
    ExperimentSpec spec;
    PodFacts facts;
    /// The pods of a file that are to fit; empty if none was given. Their shapes are equal.
    std::vector<sim::Job> proposed;
    std::vector<std::string> warnings;
    bool is_run = false;  ///< Whether it is a run directory: its pods began when they started.
};

/// Reads what `berth defrag` is asked about: an Experiment, a run directory, a point of a sweep
/// (`SWEEPDIR:axis=value`), or a list of the Nodes and Pods of a cluster, as kubectl prints them.
/// `job`: a file with the pods that are to fit: Pods, an object such as a Job, or a
/// GroupPlacement; nothing: none.
/// `lenient`: of a list, pods that cannot be placed are left out.
/// Errors: core::InputError.
[[nodiscard]] AskedState read_state(const std::string& state,
                                    const std::optional<std::string>& job,
                                    const std::vector<Override>& overrides,
                                    bool lenient);

}  // namespace berth::experiments
