#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/results/statistics.hpp"
#include "experiments/program/results/sweep_directory.hpp"

namespace berth::report {

/// A value of an axis, both by their places.
struct AxisValue {
    std::size_t axis = 0;
    std::size_t value = 0;
};

/// The value that `AXIS=VALUE` names.
///
/// Errors: core::InputError for an axis or a value that is not there, with the nearest.
[[nodiscard]] AxisValue axis_value(const SweepDirectory& sweep, const std::string& text);

/// What a figure of a sweep shows, as a person says it. What is not said has a default.
struct SweepOptions {
    std::optional<std::string> metric;
    std::optional<std::string> x;
    std::optional<std::string> by;     ///< Or `none`.
    std::optional<std::string> panel;  ///< Or `none`.
    std::vector<std::string> where;    ///< AXIS=VALUE each.
};

/// The same as places in a SweepDirectory.
struct SweepChoice {
    std::size_t metric = 0;
    std::size_t x = 0;
    std::optional<std::size_t> by;                  ///< One line a value.
    std::optional<std::size_t> panel;               ///< One panel a value.
    std::vector<std::optional<std::size_t>> where;  ///< By axis; nothing: all its values.
};

/// Without options: x is the first axis of numbers, `by` and `panel` the next axes of more than one
/// value that do not go along with x or with each other, those of few values before others; the
/// metric is the first that changes along x.
///
/// Errors: core::InputError for a name, a value that is not there, an axis used twice, a sweep
///         without axes or metrics; it names the nearest.
[[nodiscard]] SweepChoice choose(const SweepDirectory& sweep, const SweepOptions& options);

/// One mark of a figure: a metric at one value of each of its axes. Over the points that this
/// leaves, a replication's value is the mean; a replication counts when each of these points that
/// has values at all has one in it.
struct SweepCell {
    std::size_t x = 0;
    std::size_t by = 0;
    std::size_t panel = 0;
    std::size_t points = 0;  ///< Averaged; those without any value are left out.
    Distribution values;     ///< Over the replications.
};

/// The cells that have values, by panel, then by `by`, then by x.
[[nodiscard]] std::vector<SweepCell> sweep_cells(const SweepDirectory& sweep,
                                                 const SweepChoice& choice);

/// Leaves of each axis of which several values are named those values alone, in their order, and of
/// the points those that have them. What named them is taken out of `where`; an axis of which one
/// value is named stays as it is.
///
/// Errors: as axis_value().
void narrow_sweep(SweepDirectory& sweep, std::vector<std::string>& where);

}  // namespace berth::report
