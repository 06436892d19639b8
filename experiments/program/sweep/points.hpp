#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/config/resolve/input_files.hpp"
#include "experiments/program/sweep/sweep_spec.hpp"
#include "experiments/version.hpp"

namespace berth::experiments {

/// The points of a sweep: the combinations of its axes' values that are not excluded.
///
/// Order: the first dimension changes slowest, as in nested loops.
/// Cost:  eight bytes for each point if there are exclusions; otherwise none.
class SweepPoints {
public:
    /// `sweep` must outlive the points.
    explicit SweepPoints(const SweepSpec& sweep);

    /// The number of combinations without exclusions; at most 2^63 - 1.
    [[nodiscard]] static std::uint64_t product(const SweepSpec& sweep);

    [[nodiscard]] std::size_t size() const { return size_; }
    /// For each axis, the position of its value at a point.
    [[nodiscard]] std::vector<std::size_t> values(std::size_t point) const;
    /// For each axis, the text of its value at a point.
    [[nodiscard]] std::vector<std::string> texts(std::size_t point) const;
    /// The changes of the experiment at a point.
    [[nodiscard]] std::vector<Override> changes(std::size_t point) const;
    /// Such as `load=0.9, policy=pack`.
    [[nodiscard]] std::string name(std::size_t point) const;

private:
    [[nodiscard]] std::vector<std::size_t> values_of(std::uint64_t combination) const;

    const SweepSpec& sweep_;
    std::size_t size_ = 0;
    std::vector<std::uint64_t> combinations_;  ///< Those not excluded; empty if there
    ///< are no exclusions.
};

/// The name of a point's folder: 32 hexadecimal digits.
using PointKey = std::string;

/// Makes the experiments of a sweep's points. Files that several of them name are read once. Any
/// number of threads may call this.
class PointExperiments {
public:
    /// `sweep` and `points` must outlive it.
    PointExperiments(const SweepSpec& sweep, const SweepPoints& points)
        : sweep_(sweep), points_(points) {}

    /// The experiment of a point, resolved as in `berth run`.
    /// Errors: core::InputError at the value of the axis, or in the file with the error.
    [[nodiscard]] core::Value resolved(std::size_t point);

private:
    const SweepSpec& sweep_;
    const SweepPoints& points_;
    InputFiles files_;
};

[[nodiscard]] bool is_point_key(std::string_view text);

/// The digest of everything that determines a point's results: its resolved experiment, which
/// includes the content or the digest of all files, and berth's version and sources. Spaces,
/// comments and the order of the axes in the sweep do not matter.
[[nodiscard]] PointKey key_of(const core::Value& resolved,
                              std::string_view sources = sources_digest(),
                              std::string_view program_version = version);

}  // namespace berth::experiments
