#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/compare/paired_difference.hpp"

namespace berth::experiments {

/// With the digits that the interval of the difference carries, where there is one.
[[nodiscard]] std::string figure(double value, const PairedDifference& difference);
/// `-1.5 to 3.2`, or "" where there is no interval.
[[nodiscard]] std::string interval_text(const PairedDifference& difference);
[[nodiscard]] std::string p_text(const std::optional<double>& p);

using TextRow = std::vector<std::string>;
/// Aligned columns: names and verdicts to the left, figures to the right. All rows are as long.
[[nodiscard]] std::string text_table(const std::vector<TextRow>& rows);

/// `1 pair`, `2 pairs`.
[[nodiscard]] std::string plural(std::size_t count, const std::string& noun);
/// Names, as many as a person reads.
[[nodiscard]] std::string some(std::vector<std::string> names);

}  // namespace berth::experiments
