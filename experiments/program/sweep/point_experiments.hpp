#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/config/resolve/input_files.hpp"
#include "experiments/program/sweep/points.hpp"
#include "experiments/version.hpp"

namespace berth::experiments {

/// What names a point's folder: 32 hexadecimal digits.
using PointKey = std::string;

/// Makes the experiments of a sweep's points. Files that several of them name are read once. Any
/// number of threads may ask.
class PointExperiments {
public:
    /// `sweep` and `points` must outlive it.
    PointExperiments(const SweepSpec& sweep, const SweepPoints& points)
        : sweep_(sweep), points_(points) {}

    /// The experiment of a point, resolved as `berth run` resolves one.
    /// Errors: core::InputError at the axis' value, or in the file that is wrong.
    [[nodiscard]] core::Value resolved(std::size_t point);

private:
    const SweepSpec& sweep_;
    const SweepPoints& points_;
    InputFiles files_;
};

/// The digest of all that a point's results follow from: its resolved experiment, in which the
/// contents of all files are, or their digests, and berth's version and sources. Spaces, comments
/// and the order of the axes in the sweep do not matter.
[[nodiscard]] PointKey key_of(const core::Value& resolved,
                              std::string_view sources = sources_digest());

}  // namespace berth::experiments
