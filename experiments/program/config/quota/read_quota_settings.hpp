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
    core::QuotaRules rules;       ///< The rules, with all quotas at the start of the run.
    std::set<std::string> later;  ///< Names of quotas that are created during the run.
};

/// Reads the three; nothing if the experiment has none of them.
/// Errors: recorded at their places; a resource that no server of `tree` has gets a warning. The
///         tree may be nullptr.
[[nodiscard]] std::optional<ReadQuotaSettings> read_quota_settings(const core::Value* quotas,
                                                                   const core::Value* changes,
                                                                   const core::Value* recycler,
                                                                   const core::Topology* tree,
                                                                   core::Diagnostics& diagnostics);

/// One sentence for each resource of which the mins, summed over the first level, exceed the
/// capacity of the cluster. Trees with a total of their own are left out.
/// Cost: O(servers).
[[nodiscard]] std::vector<std::string> large_mins(const core::QuotaRules& rules,
                                                  const core::Topology& topology);

/// Reads exact amounts by resource.
[[nodiscard]] core::Quantities read_quantities(const core::Value& value,
                                               core::Diagnostics& diagnostics);

/// Checks the quotas of a file as if they were created one after another, in an order in which all
/// are allowed if such an order exists: parents first, and quotas that are not bound by the sums of
/// min after their siblings. Their order in the file does not matter.
///
/// Returns: the rules with every quota that is allowed.
/// Errors:  recorded, one line each, at the name of the quota. Quotas below a refused one are only
///          checked by themselves.
/// Cost:    O(n log n).
[[nodiscard]] core::QuotaRules check_quotas(std::span<const ReadQuota> quotas,
                                            core::Diagnostics& diagnostics);

/// Adds the pods, and warns about those whose label names no known quota.
void check_pods(std::span<const ReadPod> pods,
                core::QuotaRules& rules,
                core::Diagnostics& diagnostics);

}  // namespace berth::experiments
