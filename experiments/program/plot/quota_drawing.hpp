#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "experiments/program/plot/drawing.hpp"

namespace berth::report {

/// The quota that a figure of one run is about, and those whose use it draws.
struct ShownQuotas {
    QuotaChoice choice;
    std::set<std::uint32_t> drawn;
};

/// The data of a figure of quotas: the tree of each run, with the series of the quotas that are
/// drawn.
[[nodiscard]] nlohmann::ordered_json quotas_drawing(const std::vector<RunDirectory>& runs,
                                                    const std::vector<ShownQuotas>& shown);

}  // namespace berth::report
