#pragma once

#include "core/support/value.hpp"
#include "workloads/sources.hpp"

namespace berth::experiments {

/// Reads `diurnal` and `bursts` of a process. Errors: recorded.
void read_intensity(core::MapReader& process, workloads::Renewal& renewal);

}  // namespace berth::experiments
