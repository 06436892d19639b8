#include "experiments/program/sweep/points.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace berth::experiments {
namespace {

bool excluded(const SweepSpec& sweep, const std::vector<std::size_t>& values) {
    return std::ranges::any_of(sweep.exclusions, [&](const Exclusion& exclusion) {
        return std::ranges::all_of(exclusion.conditions, [&](const auto& condition) {
            return condition.excludes[values[condition.axis]];
        });
    });
}

}  // namespace

SweepPoints::SweepPoints(const SweepSpec& sweep) : sweep_(sweep) {
    const std::uint64_t all = product(sweep);
    for (std::uint64_t combination = 0; combination < all; ++combination) {
        if (sweep.exclusions.empty() || !excluded(sweep, values_of(combination))) {
            combinations_.push_back(combination);
        }
    }
}

std::uint64_t SweepPoints::product(const SweepSpec& sweep) {
    constexpr std::uint64_t most = INT64_MAX;
    std::uint64_t out = 1;
    for (const ZippedAxes& dimension : sweep.dimensions) {
        out =
            dimension.length != 0 && out > most / dimension.length ? most : out * dimension.length;
    }
    return out;
}

std::vector<std::size_t> SweepPoints::values_of(std::uint64_t combination) const {
    std::vector<std::size_t> values(sweep_.axes.size());
    for (auto dimension = sweep_.dimensions.rbegin(); dimension != sweep_.dimensions.rend();
         ++dimension) {
        for (const std::size_t axis : dimension->axes) {
            values[axis] = static_cast<std::size_t>(combination % dimension->length);
        }
        combination /= dimension->length;
    }
    return values;
}

std::vector<std::size_t> SweepPoints::values(std::size_t point) const {
    return values_of(combinations_[point]);
}

std::vector<std::string> SweepPoints::texts(std::size_t point) const {
    const std::vector<std::size_t> at = values(point);
    std::vector<std::string> out;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        out.push_back(sweep_.axes[axis].values[at[axis]].text);
    }
    return out;
}

std::vector<Override> SweepPoints::changes(std::size_t point) const {
    const std::vector<std::size_t> at = values(point);
    std::vector<Override> out;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        const auto& changes = sweep_.axes[axis].values[at[axis]].changes;
        out.insert(out.end(), changes.begin(), changes.end());
    }
    return out;
}

std::string SweepPoints::name(std::size_t point) const {
    const std::vector<std::string> of = texts(point);
    std::string out;
    for (std::size_t axis = 0; axis < of.size(); ++axis) {
        out += fmt::format("{}{}={}", axis == 0 ? "" : ", ", sweep_.axes[axis].name, of[axis]);
    }
    return out.empty() ? "the only point" : out;
}

}  // namespace berth::experiments
