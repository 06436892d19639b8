#pragma once

#include "tests/model/plain_case.hpp"

namespace berth::tests {

/// A smaller case with a difference: leaves out jobs, failures, resizes, constraints and options as
/// long as a difference remains. The given case must have one.
[[nodiscard]] PlainCase shrunk(PlainCase of);

}  // namespace berth::tests
