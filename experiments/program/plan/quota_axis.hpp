#pragma once

#include <string>
#include <vector>

#include "core/support/value.hpp"

namespace berth::experiments {

/// The quota in a path such as `spec.quota[team-a].min`, which stands for its min of all resources
/// together, as a share of its max; empty for any other path.
[[nodiscard]] std::string quota_in(const std::string& path);

/// What gives a quota these shares of its max as its min: `variants` of an axis, by share. A
/// quota above it gets at least the sum of its children's mins. Amounts are rounded up to whole
/// units: users do not write 0.3 of a byte.
///
/// Shape:  `resolved` is an experiment with its quotas in place of their files.
/// Errors: core::InputError at `span` if it has no such quota, with the nearest, and for a share
///         that is not from 0 to 1.
[[nodiscard]] core::Value variants_of_min(const core::Value& resolved,
                                          const std::string& quota,
                                          const std::vector<std::string>& shares,
                                          const core::SourceSpan& span);

}  // namespace berth::experiments
