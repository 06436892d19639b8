#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/resolve/value_path.hpp"

namespace berth::experiments {

/// One value of an axis: its text in tables, and what it changes in the experiment.
struct AxisValue {
    std::string text;
    std::vector<Override> changes;
    core::SourceSpan span;
};

/// What a sweep varies. The name of an axis is a column of the results.
struct Axis {
    std::string name;
    std::vector<AxisValue> values;  ///< At least one; their texts are distinct.
    core::SourceSpan span;
};

/// Axes of equal length that are varied together. An axis that is crossed with the others is alone
/// in it.
struct ZippedAxes {
    std::vector<std::size_t> axes;  ///< Indices in SweepSpec::axes, ascending.
    std::size_t length = 0;
};

/// Combinations to leave out: those with listed values for all of these axes.
struct Exclusion {
    struct Condition {
        std::size_t axis = 0;
        std::vector<bool> excludes;  ///< Indexed by position of the axis' value.
    };
    std::vector<Condition> conditions;
};

/// How Slurm runs a sweep.
struct SlurmOptions {
    std::string partition;  ///< Empty: the cluster's default.
    std::optional<std::chrono::seconds> time;
    std::uint32_t width = 100;         ///< Maximum number of tasks at a time.
    std::vector<std::string> options;  ///< Options for sbatch, passed as they are.
    /// The place of the first option that may run something other than berth.
    std::optional<core::SourceSpan> may_run{};
};

/// A checked `kind: Sweep`.
struct SweepSpec {
    std::string name;
    core::Value experiment;  ///< The experiment as written, but with absolute names of files.
    std::vector<Axis> axes;
    std::vector<ZippedAxes> dimensions;  ///< The sweep is their product, in which the last one
                                         ///< changes fastest.
    std::vector<Exclusion> exclusions;
    std::optional<std::int64_t> replications;  ///< Replaces the experiment's number.
    SlurmOptions slurm;
    bool allow_code = false;   ///< Whether code that it names may run; stated outside the document.
    bool runs_python = false;  ///< Whether the program that runs it can call schedulers in Python.
    core::Value resolved;  ///< The document itself, including the experiment, with absolute names.
};

}  // namespace berth::experiments
