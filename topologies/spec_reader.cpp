#include "topologies/spec_reader.hpp"

#include <fmt/format.h>

#include "topologies/level_plan.hpp"
#include "topologies/machine_mix.hpp"
#include "topologies/machine_types.hpp"
#include "topologies/provider_fields.hpp"

namespace berth::topologies {
namespace {

core::Topology generate(const LevelPlan& plan,
                        MachineTypes machine_types,
                        const std::vector<std::uint32_t>& type_of) {
    core::TopologyBuilder builder(std::move(machine_types.resources));
    for (core::MachineType& type : machine_types.types) {
        builder.add_machine_type(std::move(type));
    }
    builder.reserve(plan.node_count(), plan.server_count(), plan.name_bytes());
    builder.begin_level(plan.name(0));
    builder.add_node(0, plan.name(0));
    for (std::size_t level = 1; level < plan.level_count(); ++level) {
        builder.begin_level(plan.name(level));
        const bool servers = level + 1 == plan.level_count();
        std::string name = plan.name(level) + '-';
        const std::size_t prefix_size = name.size();
        std::uint32_t parent = 0;
        std::uint32_t parent_end = plan.child_begin(level - 1, 1);
        for (std::uint32_t node = 0; node < plan.size(level); ++node) {
            if (node == parent_end) {
                ++parent;
                parent_end = plan.child_begin(level - 1, parent + 1);
            }
            const fmt::format_int number(node);
            name.resize(prefix_size);
            name.append(number.data(), number.size());
            if (servers) {
                builder.add_server(parent, name, type_of[node]);
            } else {
                builder.add_node(parent, name);
            }
        }
    }
    return builder.build();
}

}  // namespace

std::optional<core::Topology> read_topology_spec(const core::Value& spec,
                                                 const core::ResourceSchema& also,
                                                 core::Diagnostics& diagnostics) {
    core::MapReader map(spec, "a Topology's spec", diagnostics);
    const core::Value* levels = map.need("levels");
    const core::Value* machines = map.need("machines");
    const core::Value* types = map.need("machineTypes");
    const core::Value* shared_providers = map.take("sharedProviders");
    map.report_unknown_keys();

    MachineTypes machine_types;
    if (types != nullptr) {
        machine_types = read_machine_types(*types, also, diagnostics);
    }
    std::optional<LevelPlan> plan;
    if (levels != nullptr) {
        plan = LevelPlan::read(*levels, diagnostics);
    }
    if (!plan || machines == nullptr || types == nullptr) {
        return std::nullopt;
    }
    auto shared = read_shared_providers(shared_providers, plan->names(), diagnostics);
    const auto type_of = read_machines(*machines, *plan, machine_types, diagnostics);
    if (!type_of || diagnostics.failed()) {
        return std::nullopt;
    }
    return core::TopologyBuilder::with_shared_providers(
        generate(*plan, std::move(machine_types), *type_of), std::move(shared));
}

}  // namespace berth::topologies
