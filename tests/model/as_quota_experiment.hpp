#pragma once

#include <string>

#include "sim/quota/quota_settings.hpp"

namespace berth::tests {

/// The quotas and all their changes, as keys of an experiment's spec.
[[nodiscard]] std::string quotas_as_experiment(const sim::QuotaSettings& settings);

/// The plug-ins of the quotas, as extension points of a scheduler's profile.
[[nodiscard]] std::string quotas_as_profile(const sim::QuotaSettings& settings);

}  // namespace berth::tests
