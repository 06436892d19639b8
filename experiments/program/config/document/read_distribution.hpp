#pragma once

#include "core/support/value.hpp"
#include "workloads/distribution.hpp"

namespace berth::experiments {

/// `{distribution: NAME, ...}`: a distribution of times.
/// Errors: recorded at their places; it can be drawn from nevertheless.
[[nodiscard]] workloads::Distribution read_distribution(const core::Value& value,
                                                        core::Diagnostics& diagnostics);

}  // namespace berth::experiments
