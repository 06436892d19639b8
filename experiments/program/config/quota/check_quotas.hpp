#pragma once

#include <span>

#include "core/elastic_quota/quota_rules.hpp"
#include "core/support/source.hpp"
#include "experiments/program/config/quota/read_quota.hpp"

namespace berth::experiments {

/// Checks the quotas of a file as if they were created one after the other, in an order in which
/// all are allowed if there is one: parents first, and those that the sums of min do not bind after
/// their siblings. Where they stand in the file makes no difference.
///
/// Returns: the rules with every quota that is allowed.
/// Errors:  recorded, one line each, at the name of the quota. What is below a quota that is
///          refused is checked by itself alone.
/// Cost:    O(n log n).
[[nodiscard]] core::QuotaRules check_quotas(std::span<const ReadQuota> quotas,
                                            core::Diagnostics& diagnostics);

/// Adds the pods, and warns of those whose label names no quota.
void check_pods(std::span<const ReadPod> pods,
                core::QuotaRules& rules,
                core::Diagnostics& diagnostics);

}  // namespace berth::experiments
