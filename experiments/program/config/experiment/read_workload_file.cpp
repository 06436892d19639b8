#include "experiments/program/config/experiment/read_workload_file.hpp"

#include <Eigen/Core>

#include <algorithm>

#include "core/tree/device_names.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/config/workload/pods_of_object.hpp"
#include "experiments/program/config/workload/read_running.hpp"
#include "experiments/program/config/workload/read_trace.hpp"
#include "experiments/program/config/workload/read_workload.hpp"
#include "experiments/program/support/documents.hpp"

namespace berth::experiments {
namespace {

using core::Value;

void collect_levels(const Value& value, std::vector<std::string>& levels) {
    for (const core::Member& member : value.members) {
        if (member.key == "level" && member.value.is_scalar() &&
            std::ranges::find(levels, member.value.text) == levels.end()) {
            levels.push_back(member.value.text);
        }
        collect_levels(member.value, levels);
    }
    for (const Value& item : value.items) {
        collect_levels(item, levels);
    }
}

}  // namespace

core::Topology imagined_topology(const Value& document, const core::ResourceSchema& resources) {
    std::vector<std::string> levels;
    collect_levels(document, levels);
    std::erase(levels, "cluster");
    std::erase(levels, "server");
    levels.insert(levels.begin(), "cluster");
    levels.push_back("server");
    core::TopologyBuilder builder(resources);
    const auto capacity = static_cast<Eigen::Index>(resources.size());
    builder.add_machine_type({"any", core::Amounts::Zero(capacity), {}});
    for (std::size_t level = 0; level + 1 < levels.size(); ++level) {
        builder.begin_level(levels[level]);
        builder.add_node(0, levels[level]);
    }
    builder.begin_level("server");
    builder.add_server(0, "server-0", 0);
    return builder.build();
}

WorkloadFile workload_of_trace(const TraceOrigin& origin, core::Diagnostics& diagnostics) {
    core::ResourceSchema schema;
    schema.add("cpu");
    schema.add("memory");
    schema.add(core::device_resource::nvidia_gpu);
    Value nothing;
    nothing.kind = Value::Kind::map;
    WorkloadFile out;
    out.topology = std::make_shared<const core::Topology>(imagined_topology(nothing, schema));
    out.sources.push_back({"trace", read_lone_trace(origin, *out.topology, diagnostics)});
    return out;
}

WorkloadFile read_workload_file(const std::filesystem::path& file,
                                core::Diagnostics& diagnostics,
                                const std::vector<std::string>& kinds) {
    const Value found = document_of_kind(read_source(file), kinds);
    WorkloadFile out;
    if (found.find("kind")->text == "Experiment") {
        if (auto spec = read_experiment(resolve_experiment(file, {}).document, diagnostics)) {
            out = {spec->topology,
                   spec->seed,
                   std::move(spec->workload),
                   spec->settings.left_out(),
                   true};
        }
        return out;
    }
    const Value document = resolve_workload(file).document;
    const auto [seed, types_value, sources] = read_workload_parts(document, diagnostics);
    if (diagnostics.failed() && sources == nullptr) {
        return out;
    }
    out.seed = seed;
    core::ResourceSchema schema;
    schema.add("cpu");
    schema.add("memory");
    PodTypes::add_resources(types_value, schema, true);
    add_running_resources(sources, schema);
    add_resources_of_objects(sources, schema);
    if (has_traces(sources)) {
        schema.add(core::device_resource::nvidia_gpu);
    }
    out.topology = std::make_shared<const core::Topology>(imagined_topology(document, schema));
    // An experiment that uses this workload may have failures.
    const PodTypes types(types_value, *out.topology, false, true, diagnostics);
    if (sources != nullptr) {
        PodLabels labels(diagnostics);
        labels.know_random_failures();
        out.sources = read_workload(*sources, types, labels, *out.topology, diagnostics);
    }
    return out;
}

}  // namespace berth::experiments
