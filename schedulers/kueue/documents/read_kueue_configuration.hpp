#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "schedulers/kueue/run/kueue_settings.hpp"

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

/// Where Kueue's objects are in their files.
struct KueuePlacesInFiles {
    const std::map<std::string, core::SourceSpan>& queues;   ///< ClusterQueues by name.
    const std::map<std::string, core::SourceSpan>& cohorts;  ///< By name.
    /// The Configuration's admissionFairSharing; nullptr where it is not on.
    const core::Value* admission_fair_sharing = nullptr;
};

/// Warns of what objects say and Kueue does not heed, since another object is missing or says
/// otherwise; and of quotas for resources that no server has. `tree`: the cluster of a run, or
/// nullptr. `where`: in which the other object is missing, such as `in this file`.
void warn_of_what_has_no_effect(const sim::KueueSettings& settings,
                                const KueuePlacesInFiles& places,
                                const core::Topology* tree,
                                std::string_view where,
                                core::Diagnostics& diagnostics);

}  // namespace berth::experiments
