#pragma once

#include "tests/model/plain_case.hpp"

namespace berth::tests {

/// A smaller case with a difference: jobs, failures, resizes, constraints and options are left out
/// as long as it still has one. The case given has one.
[[nodiscard]] PlainCase shrunk(PlainCase of);

}  // namespace berth::tests
