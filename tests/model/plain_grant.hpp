#pragma once

#include <cstddef>
#include <vector>

#include "core/tree/ids.hpp"

namespace berth::tests {

/// A part of one of a server's GPUs or NICs: in thousandths if GPUs are shared, else in hundredths.
struct PlainShare {
    std::size_t device = 0;
    core::Amount amount = 0;
    bool nic = false;
    friend auto operator<=>(const PlainShare&, const PlainShare&) = default;
};

/// The parts of its server's devices that one pod has.
using PlainGrant = std::vector<PlainShare>;

}  // namespace berth::tests
