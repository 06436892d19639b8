#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "schedulers/kueue/run/kueue_settings.hpp"

namespace berth::experiments {

/// Sets what Kueue does without a Configuration.
void set_kueue_defaults(sim::KueueSettings& settings);

/// Reads Kueue's own Configuration, of config.kueue.x-k8s.io, as far as it changes decisions.
/// Errors: recorded at their places for what is not modelled, by its name. An unknown feature gate
///         gets a warning.
/// Source: Kueue, apis/config/v1beta2/configuration_types.go, defaults.go.
void read_kueue_configuration(const core::Value& document,
                              sim::KueueSettings& settings,
                              core::Diagnostics& diagnostics);

/// The places of Kueue's objects in their files.
struct KueuePlacesInFiles {
    const std::map<std::string, core::SourceSpan>& queues;   ///< Places of ClusterQueues, by name.
    const std::map<std::string, core::SourceSpan>& cohorts;  ///< Places of Cohorts, by name.
    /// The Configuration's admissionFairSharing; nullptr if it is off.
    const core::Value* admission_fair_sharing = nullptr;
};

/// Warns about settings in objects that Kueue ignores because another object is missing or says
/// otherwise, and about quotas for resources that no server has. `tree`: the cluster of a run, or
/// nullptr. `where`: where the other object is missing, such as `in this file`.
void warn_of_what_has_no_effect(const sim::KueueSettings& settings,
                                const KueuePlacesInFiles& places,
                                const core::Topology* tree,
                                std::string_view where,
                                core::Diagnostics& diagnostics);

}  // namespace berth::experiments
