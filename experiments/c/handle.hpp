#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/tree/topology.hpp"
#include "experiments/c/asked.hpp"
#include "experiments/c/berth.h"
#include "experiments/c/finished_run.hpp"
#include "experiments/c/stepped_run.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "sim/run/run_control.hpp"

namespace berth::c {

/// A call that is out of turn. The message says which call was expected before it.
class OutOfTurn : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// The arrays behind a berth_cluster.
class ClusterArrays {
public:
    explicit ClusterArrays(const core::Topology& tree);
    ~ClusterArrays() = default;
    ClusterArrays(const ClusterArrays&) = delete;
    ClusterArrays& operator=(const ClusterArrays&) = delete;
    ClusterArrays(ClusterArrays&&) = default;  // the strings' letters stay where they are
    ClusterArrays& operator=(ClusterArrays&&) = default;

    [[nodiscard]] berth_cluster view() const;

private:
    std::vector<std::string> names_;  ///< The names of the servers, then those of the resources.
    std::vector<const char*> letters_;
    std::vector<core::Amount> per_unit_;
    std::vector<core::Amount> capacity_;
};

/// An experiment that was read and resolved.
struct Experiment {
    experiments::ResolvedExperiment resolved;
    experiments::ExperimentSpec spec;
    std::vector<std::string> warnings;  ///< Each begins with the place that it is about.
    ClusterArrays cluster;
};

/// The place at the beginning of a message. Where it names no place, the line is 0.
struct ErrorPlace {
    std::string file;
    int line = 0;
    int column = 0;
};
[[nodiscard]] ErrorPlace place_of(const std::string& message);

}  // namespace berth::c

/// The struct that is opaque to C.
struct berth_handle {
    std::vector<berth::experiments::Override> overrides;
    bool allow_code = false;  ///< The experiment may run the code that it names.
    std::optional<berth::c::Experiment> experiment;
    berth::sim::RunControl control;
    std::unique_ptr<berth::c::SteppedRun> steps;
    std::optional<berth::c::Asked> asked;
    std::optional<berth::c::FinishedRun> finished;
    bool has_failed = false;  ///< At least one call has failed.
    /// Describes the last call that failed; empty: there was no memory for it.
    std::string message;
    berth::c::ErrorPlace place;
};
