#pragma once

#include <string>

namespace berth::core {

/// An invariant that does not hold, as found by a check that computes it afresh.
struct Violation {
    /// The invariant in words: "a node has available what its servers have".
    std::string invariant;
    std::string where;  ///< The server, job, quota or other object concerned.
    std::string found;
    std::string expected;
};

}  // namespace berth::core
