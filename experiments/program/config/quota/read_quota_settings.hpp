#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/elastic_quota/quota_rules.hpp"
#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
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

}  // namespace berth::experiments
