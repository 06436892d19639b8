#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/elastic_quota/quota_rules.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/quota/read_quota.hpp"
#include "sim/quota/quota_settings.hpp"

namespace berth::experiments {

/// The quotas of an experiment: its `quotas`, `quotaChanges` and `recycler`.
struct ReadQuotaSettings {
    sim::QuotaSettings settings;
    core::QuotaRules rules;       ///< With all quotas at the start.
    std::set<std::string> later;  ///< Names of quotas that are created during the run.
};

/// Nothing if the experiment names none of the three.
/// Errors: recorded at their places; a resource that the cluster lacks is a warning.
[[nodiscard]] std::optional<ReadQuotaSettings> read_quota_settings(
    const core::Value* quotas,
    const core::Value* changes,
    const core::Value* recycler,
    const core::ResourceSchema& resources,
    core::Diagnostics& diagnostics);

/// A sentence about each resource whose mins, summed over the first level, exceed what the cluster
/// has. Trees with a total of their own are left out.
/// Cost: O(servers).
[[nodiscard]] std::vector<std::string> large_mins(const core::QuotaRules& rules,
                                                  const core::Topology& topology);

/// Amounts by resource, exact.
[[nodiscard]] core::Quantities read_quantities(const core::Value& value,
                                               core::Diagnostics& diagnostics);

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
