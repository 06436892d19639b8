#pragma once

namespace berth::core {

/// Quotas that exist although no object states them: the root above the first level of the default
/// tree, the group of system pods, which has no limit, and the group of pods that name no known
/// quota.
/// Source: Koordinator, `apis/extension/elastic_quota.go`.
inline constexpr const char* root_quota_name = "koordinator-root-quota";
inline constexpr const char* system_quota_name = "koordinator-system-quota";
inline constexpr const char* default_quota_name = "koordinator-default-quota";

}  // namespace berth::core
