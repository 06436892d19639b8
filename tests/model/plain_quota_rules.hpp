#pragma once

#include <optional>
#include <vector>

#include "sim/quota/quota_settings.hpp"

namespace berth::tests {

/// The quotas after a change; absent if it breaks a rule of docs/reference/quota.md. All quotas
/// name the same resources. `has_jobs`: whether a job that names the quota waits or runs.
[[nodiscard]] std::optional<std::vector<core::ElasticQuota>> changed_quotas(
    std::vector<core::ElasticQuota> quotas, const sim::QuotaChange& change, bool has_jobs);

/// The name of the quota that the change concerns.
[[nodiscard]] const std::string& name_of(const sim::QuotaChange& change);

}  // namespace berth::tests
