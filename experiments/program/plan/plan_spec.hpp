#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/results/sweep_target.hpp"
#include "experiments/program/sweep/sweep_spec.hpp"

namespace berth::experiments {

/// The name of the last axis of a plan's sweep. Each of its values is a part of the replications,
/// with a seed of its own, which is the same at all choices.
inline constexpr const char* batch_axis = "batch";

/// What a choice costs: the sum over these. Without any, the value that is chosen is the cost.
struct PlanCost {
    struct Price {
        double each = 0;
        core::SourceSpan span;
    };
    std::map<std::string, Price> machines;  ///< The price of a server, by its machine type.
    std::map<std::string, Price> levels;    ///< The price of a node, by its level of the topology.
    std::map<std::size_t, double> axes;  ///< The price of one unit of an axis' value, by the axis.

    [[nodiscard]] bool is_empty() const {
        return machines.empty() && levels.empty() && axes.empty();
    }
    [[nodiscard]] bool asks_cluster() const { return !machines.empty() || !levels.empty(); }
};

struct PlanRequirement {
    std::string text;  ///< As written: `job_wait_s_p95<=10m`.
    report::SweepTarget target;
    core::SourceSpan span;
};

/// A value on an axis as a number: durations in seconds, quantities in their unit.
/// Returns: nothing if it is none.
[[nodiscard]] std::optional<double> number_of(const std::string& text);
/// Whether all values of an axis are numbers.
[[nodiscard]] bool has_numbers(const Axis& axis);

/// A checked `kind: Plan`.
struct PlanSpec {
    /// The axes that are chosen, and `batch_axis`. A point of this sweep is a choice with one part
    /// of its replications.
    SweepSpec sweep;
    std::vector<bool> monotone;       ///< For each axis that is chosen: whether more of it, in the
                                      ///< direction in which it costs more, is taken to help.
    std::vector<std::string> labels;  ///< For each of these axes: its noun, such as `racks`, if a
                                      ///< number of them is chosen; otherwise empty.
    PlanCost cost;
    std::vector<PlanRequirement> requirements;
    double confidence = 0.95;
    bool replications_are_equal = false;  ///< Each choice then has one replication.
    std::vector<std::int64_t> looks;      ///< The number of replications at each look, ascending.
    core::Value document;                 ///< The plan, as the command line or the file states it.
};

}  // namespace berth::experiments
