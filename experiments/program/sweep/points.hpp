#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/program/sweep/sweep_spec.hpp"

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

}  // namespace berth::experiments
