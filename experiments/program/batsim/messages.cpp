#include "experiments/program/batsim/messages.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace berth::experiments {

using nlohmann::ordered_json;

void BatsimMessage::add(sim::SimTime at, const char* type, ordered_json event) {
    events_.push_back(
        {{"timestamp", sim::seconds(at)}, {"event_type", type}, {"event", std::move(event)}});
}

std::string BatsimMessage::take(sim::SimTime now) {
    const ordered_json message{{"now", sim::seconds(now)},
                               {"events", std::exchange(events_, ordered_json::array())}};
    return message.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json simulation_begins(const sim::Cluster& cluster,
                               const std::vector<core::ServerId>& hosts) {
    const core::Topology& tree = cluster.topology();
    const core::ResourceSchema& schema = tree.resources();
    const auto cpu = schema.find("cpu");
    ordered_json list = ordered_json::array();
    for (std::size_t number = 0; number < hosts.size(); ++number) {
        const core::NodeId node = tree.node_of(hosts[number]);
        ordered_json properties = ordered_json::array();
        for (std::size_t r = 0; r < schema.size(); ++r) {
            const core::Amount amount = cluster.ledger().capacity(node)[r];
            properties.push_back({{"key", schema.name(r)}, {"value", schema.format(r, amount)}});
        }
        const core::Amount cores =
            cpu ? cluster.ledger().capacity(node)[*cpu] / schema.per_unit(*cpu) : 1;
        list.push_back(
            {{"id", number},
             {"name", std::string(tree.name(node))},
             {"pstate", 0},
             {"pstate_count", 1},
             {"state", "IDLE"},
             {"properties", std::move(properties)},
             {"zone_properties",
              ordered_json::array({ordered_json{{"key", "path"}, {"value", tree.path(node)}}})},
             {"core_count", std::max<core::Amount>(cores, 1)},
             {"computation_speed", ordered_json::array({1.0})}});
    }
    return {
        {"host_number", hosts.size()},
        {"computation_host_number", hosts.size()},
        {"computation_hosts", std::move(list)},
        {"storage_host_number", 0},
        {"storage_hosts", ordered_json::array()},
        {"batsim_arguments", ordered_json::array({"berth"})},
        {"batsim_execution_context_json", "{}"},
        {"workloads", ordered_json::array({ordered_json{{"name", "w0"}, {"filename", "berth"}}})},
        {"profiles", ordered_json::array()}};
}

std::string profile_of(const sim::Job& job) {
    return "w0!" + (job.type.empty() ? std::string("pod") : job.type.text());
}

ordered_json job_submitted(const std::string& id, const sim::Job& job) {
    ordered_json asked{{"resource_request", job.size}};
    if (job.estimate) {
        asked["walltime"] = sim::seconds(*job.estimate);
    }
    asked["extra_data"] = "";
    asked["rigid"] = true;
    asked["profile_id"] = profile_of(job);
    return {
        {"job_id", id}, {"job", std::move(asked)}, {"submission_time", sim::seconds(job.submit)}};
}

}  // namespace berth::experiments
