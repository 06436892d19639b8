#pragma once

#include <optional>
#include <vector>

#include "sim/quota/quota_settings.hpp"

namespace berth::tests {

/// The quotas after a change; nothing if it breaks a rule of docs/reference/quota.md. All quotas
/// name the same resources. `has_jobs`: a job that names the quota waits or runs.
[[nodiscard]] std::optional<std::vector<core::ElasticQuota>> changed_quotas(
    std::vector<core::ElasticQuota> quotas, const sim::QuotaChange& change, bool has_jobs);

/// The name of the quota that it is about.
[[nodiscard]] const std::string& name_of(const sim::QuotaChange& change);

}  // namespace berth::tests
