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

/// What a sweep varies. Its name is a column of the results.
struct Axis {
    std::string name;
    std::vector<AxisValue> values;  ///< At least one, with texts of their own.
    core::SourceSpan span;
};

/// Axes of equal length that are varied together; alone in it: an axis that crosses the others.
struct ZippedAxes {
    std::vector<std::size_t> axes;  ///< Positions in SweepSpec::axes, ascending.
    std::size_t length = 0;
};

/// Combinations that are left out: those whose values are listed, for each axis named.
struct Exclusion {
    struct Condition {
        std::size_t axis = 0;
        std::vector<bool> excludes;  ///< By position of the axis' values.
    };
    std::vector<Condition> conditions;
};

/// How a sweep is run by Slurm.
struct SlurmOptions {
    std::string partition;  ///< Empty: the cluster's default.
    std::optional<std::chrono::seconds> time;
    std::uint32_t width = 100;         ///< Tasks at a time.
    std::vector<std::string> options;  ///< Of sbatch, as they are.
    /// The first of them that may have something run besides berth.
    std::optional<core::SourceSpan> may_run{};
};

/// A `kind: Sweep`, checked.
struct SweepSpec {
    std::string name;
    core::Value experiment;  ///< As written, with the names of files absolute.
    std::vector<Axis> axes;
    std::vector<ZippedAxes> dimensions;  ///< Their product is the sweep, the last one fastest.
    std::vector<Exclusion> exclusions;
    std::optional<std::int64_t> replications;  ///< Instead of the experiment's.
    SlurmOptions slurm;
    bool allow_code = false;   ///< Said beside the document: code that it names may run.
    bool runs_python = false;  ///< Whether whoever runs it calls schedulers in Python.
    core::Value resolved;  ///< The document itself, with the experiment and absolute names in it.
};

}  // namespace berth::experiments
