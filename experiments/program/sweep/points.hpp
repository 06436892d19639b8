#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/config/resolve/input_files.hpp"
#include "experiments/program/sweep/sweep_spec.hpp"
#include "experiments/version.hpp"

namespace berth::experiments {

/// The points of a sweep: the combinations of its axes' values that no exclusion leaves out.
///
/// Order: the first dimension changes slowest, as loops would be written.
/// Cost:  eight bytes a point.
class SweepPoints {
public:
    /// `sweep` must outlive the points.
    explicit SweepPoints(const SweepSpec& sweep);

    /// How many there were without exclusions; at most 2^63 - 1.
    [[nodiscard]] static std::uint64_t product(const SweepSpec& sweep);

    [[nodiscard]] std::size_t size() const { return combinations_.size(); }
    /// By axis: the position of its value at a point.
    [[nodiscard]] std::vector<std::size_t> values(std::size_t point) const;
    /// By axis: the text of its value at a point.
    [[nodiscard]] std::vector<std::string> texts(std::size_t point) const;
    /// What is changed in the experiment at a point.
    [[nodiscard]] std::vector<Override> changes(std::size_t point) const;
    /// `load=0.9, policy=pack`
    [[nodiscard]] std::string name(std::size_t point) const;

private:
    [[nodiscard]] std::vector<std::size_t> values_of(std::uint64_t combination) const;

    const SweepSpec& sweep_;
    std::vector<std::uint64_t> combinations_;
};

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
