#include "schedulers/kai/requests/read_kai_session.hpp"

#include <algorithm>
#include <string>

#include "schedulers/kai/requests/kai_queues.hpp"
#include "schedulers/kai/requests/read_kai_jobs.hpp"

namespace berth::experiments {
namespace {

namespace kai = core::kai;

/// Any clock does: a request says how long ago things were.
constexpr double kai_now = 1e6;
constexpr std::int64_t usual_pods = 110;

kai::CycleSettings read_kai_settings(const RequestField& field) {
    const auto number_or = [&](const char* key, double least, double otherwise) {
        const RequestField value = field[key];
        return value.is_present() ? read_kai_number(value, least) : otherwise;
    };
    kai::CycleSettings read;
    read.uses_signatures = field["signatures"].boolean_or(true);
    read.max_consolidation = field["max_consolidation"].whole_or(-1, -1, 1'000'000'000);
    read.allows_consolidating_reclaim = field["allow_consolidating_reclaim"].boolean_or(true);
    read.reclaim_multiplier = number_or("reclaim_multiplier", 1, 1);
    read.spreads = field["spread"].boolean_or(false);
    read.k = number_or("k", 0, 1);
    read.grace = number_or("grace", kai::unlimited, 60);
    read.now = kai_now;
    return read;
}

kai::NodeSpec read_kai_node(const RequestField& field) {
    const std::int64_t pods = field["pods"].whole_or(usual_pods, 0, 1'000'000);
    kai::NodeSpec read;
    read.name = field["name"].text();
    read.allocatable = {read_kai_number(field["cpu"], 0),
                        read_kai_number(field["memory"], 0),
                        static_cast<double>(field["gpus"].whole_or(0, 0, 1'000'000)),
                        static_cast<double>(pods)};
    for (const auto& [key, value] : field["labels"].entries()) {
        read.labels[key] = value.text();
    }
    return read;
}

kai::TopologySpec read_kai_topology(const RequestField& field,
                                    const std::vector<kai::NodeSpec>& nodes) {
    kai::TopologySpec read;
    read.name = field["name"].text();
    for (const RequestField& level : field["levels"].items()) {
        const std::string name = level.text();
        if (std::ranges::find(read.levels, name) != read.levels.end()) {
            level.fail("a level that is not there before");
        }
        if (std::ranges::none_of(
                nodes, [&](const kai::NodeSpec& node) { return node.labels.contains(name); })) {
            level.fail("a label that some node has");
        }
        read.levels.push_back(name);
    }
    return read;
}

}  // namespace

kai::SessionSpec read_kai_session(const RequestField& request) {
    kai::SessionSpec read;
    read.settings = read_kai_settings(request["params"]);
    read.queues = read_kai_queues(request["queues"]);
    for (const RequestField& field : by_name(request["nodes"])) {
        read.nodes.push_back(read_kai_node(field));
    }
    for (const RequestField& field : by_name(request["topologies"])) {
        read.topologies.push_back(read_kai_topology(field, read.nodes));
    }
    read_kai_jobs(request["jobs"], read);
    return read;
}

}  // namespace berth::experiments
