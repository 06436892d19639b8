#pragma once

#include <string_view>

#include "schedulers/kube/decide/device_claims.hpp"
#include "sim/clock/time.hpp"
#include "sim/job/records.hpp"

namespace berth::sim {

/// Writes a row of claimed_devices.csv for each device that the claims of a pod hold on the node
/// that the pod got at `now`.
void tell_devices(const core::kube::Pod& pod,
                  std::string_view job,
                  SimTime now,
                  const core::kube::DeviceClaims& claims,
                  RecordSink& sink);

}  // namespace berth::sim
