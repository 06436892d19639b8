#pragma once

#include <cstddef>
#include <vector>

#include "core/tree/ids.hpp"

namespace berth::tests {

/// A part of one of a server's GPUs or NICs: thousandths where GPUs are shared, else hundredths.
struct PlainShare {
    std::size_t device = 0;
    core::Amount amount = 0;
    bool nic = false;
    friend auto operator<=>(const PlainShare&, const PlainShare&) = default;
};

/// What one pod has of its server's devices.
using PlainGrant = std::vector<PlainShare>;

}  // namespace berth::tests
