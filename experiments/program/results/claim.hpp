#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::report {

/// Members on the nodes of a level, as a published figure shows them and as measured: by node, or
/// how many nodes there are by the number of members on them.
struct ClaimFigure {
    using Counts = std::vector<std::pair<std::string, std::int64_t>>;
    std::string level;
    bool by_node = false;
    Counts published;
    Counts measured;
};

/// A statement of the paper, or of the experiment's author, beside what was measured.
struct ClaimResult {
    std::string text;
    std::string expected;
    std::string measured;
    bool holds = false;
    std::string source = {};  ///< Where it was published; empty where that is not said.
    std::optional<ClaimFigure> figure = {};
    bool is_expectation = false;  ///< Of `expect`, and no claim.
};

/// As summary.json and the page hold them: {"text", "expected", "measured", "holds"}, and where
/// they are known "source", "figure" and "expectation".
[[nodiscard]] nlohmann::ordered_json claims_json(const std::vector<ClaimResult>& claims);

}  // namespace berth::report
