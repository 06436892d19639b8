#pragma once

#include "core/support/value.hpp"
#include "sim/quota/kueue_settings.hpp"

namespace berth::experiments {

/// What Kueue does without a Configuration.
void set_kueue_defaults(sim::KueueSettings& settings);

/// Kueue's own Configuration, of config.kueue.x-k8s.io: what of it changes decisions.
/// Errors: recorded at their places: what is not modelled, by name. A feature gate that is not
///         known is a warning.
/// Source: Kueue, apis/config/v1beta2/configuration_types.go, defaults.go.
void read_kueue_configuration(const core::Value& document,
                              sim::KueueSettings& settings,
                              core::Diagnostics& diagnostics);

}  // namespace berth::experiments
