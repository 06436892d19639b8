#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/tree/topology.hpp"
#include "sim/failures/failure_source.hpp"
#include "sim/job/records.hpp"
#include "sim/profile/settings.hpp"

namespace berth::experiments {

/// What took a job's places away.
struct WhatFailed {
    std::string component;  ///< As in failures.csv: a node of the topology, or a device in it.
    std::string cause;      ///< Empty: an event of the experiment's own.
};

/// The server that an event of the experiment took away at that time, with the job on it. At one
/// instant these come before all other failures.
[[nodiscard]] std::optional<WhatFailed> taken_away(const core::Topology& tree,
                                                   const sim::Settings& settings,
                                                   const sim::Eviction& eviction,
                                                   const sim::Stints& stints);

/// The outage, if it became known at that time and holds a server that the job was on.
[[nodiscard]] std::optional<WhatFailed> failed_under(const core::Topology& tree,
                                                     const sim::Settings& settings,
                                                     const sim::Outage& outage,
                                                     const sim::Eviction& eviction,
                                                     const sim::Stints& stints);

}  // namespace berth::experiments
