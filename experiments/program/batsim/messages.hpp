#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/cluster/cluster.hpp"
#include "sim/job/job_state.hpp"

namespace berth::experiments {

/// What happened, in the words of Batsim's protocol, until somebody is told.
class BatsimMessage {
public:
    [[nodiscard]] bool empty() const { return events_.empty(); }
    void add(sim::SimTime at, const char* type, nlohmann::ordered_json event);
    /// The message as JSON; there is nothing to tell afterwards.
    [[nodiscard]] std::string take(sim::SimTime now);

private:
    nlohmann::ordered_json events_ = nlohmann::ordered_json::array();
};

/// SimulationBeginsEvent: the servers as hosts, with what they have as properties.
[[nodiscard]] nlohmann::ordered_json simulation_begins(const sim::Cluster& cluster,
                                                       const std::vector<core::ServerId>& hosts);

/// The profile of a job, which says no more than its pods' type.
[[nodiscard]] std::string profile_of(const sim::Job& job);

/// JobSubmittedEvent: a host for each pod, and its estimate as the walltime.
[[nodiscard]] nlohmann::ordered_json job_submitted(const std::string& id, const sim::Job& job);

}  // namespace berth::experiments
