#pragma once

#include <string>

#include "sim/cluster/inside/providers/server_providers.hpp"

namespace berth::experiments {

/// What a pod took of which providers: `server-0_numa1:VCPU=2 ss_rack-0:DISK_GB=20`, in the order
/// of the providers. `grant` may be nullptr: a pod that has nothing of any.
[[nodiscard]] std::string provider_names(const sim::ProviderGrant& grant);

}  // namespace berth::experiments
