#pragma once

#include <string>

namespace berth::core {

/// Something that always holds, and does not: what a check that computes it afresh has found.
struct Violation {
    std::string invariant;  ///< In words: "a node has available what its servers have".
    std::string where;      ///< Which server, job, quota, ...
    std::string found;
    std::string expected;
};

}  // namespace berth::core
