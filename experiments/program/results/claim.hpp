#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::report {

/// Members on the nodes of a level, as published and as measured: the members of each node, or for
/// each number of members the number of nodes with that many.
struct ClaimFigure {
    using Counts = std::vector<std::pair<std::string, std::int64_t>>;
    std::string level;
    bool by_node = false;
    Counts published;
    Counts measured;
};

/// A statement of the paper or of the experiment's author, and what was measured.
struct ClaimResult {
    std::string text;
    std::string expected;
    std::string measured;
    bool holds = false;
    std::string source = {};  ///< Where it was published; empty where that is not stated.
    std::optional<ClaimFigure> figure = {};
    bool is_expectation = false;  ///< It comes from `expect` and is not a claim.
};

}  // namespace berth::report
