#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/results/statistics.hpp"
#include "experiments/program/results/sweep_directory.hpp"

namespace berth::report {

/// A value of an axis, with both as indices.
struct AxisValue {
    std::size_t axis = 0;
    std::size_t value = 0;
};

/// The value in a text `AXIS=VALUE`.
///
/// Errors: core::InputError, with the nearest name, for an axis or a value that does not exist.
[[nodiscard]] AxisValue axis_value(const SweepDirectory& sweep, const std::string& text);

/// What a figure of a sweep shows, as a user states it. Anything not stated has a default.
struct SweepOptions {
    std::optional<std::string> metric;
    std::optional<std::string> x;
    std::optional<std::string> by;     ///< An axis or `none`.
    std::optional<std::string> panel;  ///< An axis or `none`.
    std::vector<std::string> where;    ///< Texts of the form AXIS=VALUE.
};

/// The same choice as indices into a SweepDirectory.
struct SweepChoice {
    std::size_t metric = 0;
    std::size_t x = 0;
    std::optional<std::size_t> by;     ///< The axis with a line for each value.
    std::optional<std::size_t> panel;  ///< The axis with a panel for each value.
    /// The chosen value of each axis; nothing: all its values.
    std::vector<std::optional<std::size_t>> where;
};

/// Fills in defaults for options that are not given. x is the first axis of numbers. `by` and
/// `panel` are the next axes with more than one value that do not go together with x or with each
/// other; axes with few values come first. The metric is the first that changes along x.
///
/// Errors: core::InputError, with the nearest name, for a name or a value that does not exist, for
///         an axis used twice, and for a sweep without axes or metrics.
[[nodiscard]] SweepChoice choose(const SweepDirectory& sweep, const SweepOptions& options);

/// One mark of a figure: a metric at one value of each axis of the figure. The value of a
/// replication is the mean over the remaining points. A replication counts only if it has a value
/// at each of these points that has any values.
struct SweepCell {
    std::size_t x = 0;
    std::size_t by = 0;
    std::size_t panel = 0;
    std::size_t points = 0;  ///< How many points are averaged, without those that have no value.
    Distribution values;     ///< The distribution over the replications.
};

/// The cells that have values, ordered by panel, then by `by`, then by x.
[[nodiscard]] std::vector<SweepCell> sweep_cells(const SweepDirectory& sweep,
                                                 const SweepChoice& choice);

/// If several values of an axis are named, drops all other values of that axis and all points with
/// other values. The kept values stay in their order, and their entries are removed from `where`.
/// An axis of which one value is named stays as it is.
///
/// Errors: as axis_value().
void narrow_sweep(SweepDirectory& sweep, std::vector<std::string>& where);

}  // namespace berth::report
