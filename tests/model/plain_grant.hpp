#pragma once

#include <cstddef>
#include <vector>

#include "core/tree/ids.hpp"

namespace berth::tests {

/// A part of one of a server's GPUs, in thousandths.
struct PlainShare {
    std::size_t device = 0;
    core::Amount milli = 0;
    friend bool operator==(const PlainShare&, const PlainShare&) = default;
};

/// What one pod has of its server's GPUs.
using PlainGrant = std::vector<PlainShare>;

}  // namespace berth::tests
