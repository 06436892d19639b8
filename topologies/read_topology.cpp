#include "topologies/read_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "core/node_rules/object_metadata.hpp"
#include "core/support/parse_number.hpp"
#include "topologies/level_plan.hpp"
#include "topologies/machine_types.hpp"
#include "topologies/provider_fields.hpp"
#include "topologies/tree_reader.hpp"

namespace berth::topologies {
namespace {

using core::Diagnostics;
using core::Value;

/// A node of the plan. The order is top-down, so that deeper nodes come later and override.
using PlanNode = std::pair<std::size_t, std::uint32_t>;  // level, index in the level

struct Share {
    std::uint32_t type = 0;
    std::int64_t weight = 1;
    std::int64_t behind = 0;  ///< weight * servers so far - total weight * servers of this type.
};

struct Mix {
    std::vector<Share> shares;
    std::int64_t total_weight = 0;

    std::uint32_t next() {
        Share* most = &shares.front();
        for (Share& share : shares) {
            share.behind += share.weight;
            if (share.behind > most->behind) {
                most = &share;
            }
        }
        most->behind -= total_weight;
        return most->type;
    }
};

constexpr std::int64_t weight_unit = 1'000'000;
constexpr std::int64_t weight_max = 1'000'000 * weight_unit;

/// Weights are counted in millionths, so that sums are exact and every machine draws the same mix.
std::int64_t read_weight(const Value& value, Diagnostics& diagnostics) {
    const auto parsed = value.is_scalar() ? core::parse_quantity(value.text, weight_unit)
                                          : core::QuantityFault::malformed;
    const auto* weight = std::get_if<core::Amount>(&parsed);
    if (weight == nullptr || *weight < 1 || *weight > weight_max) {
        core::expected(
            value, "a number above 0, at most 1000000, with at most six decimals", diagnostics);
        return weight_unit;
    }
    return *weight;
}

class MachinesReader {
public:
    MachinesReader(const LevelPlan& plan, const MachineTypes& types, Diagnostics& diagnostics)
        : plan_(plan), types_(types), diagnostics_(diagnostics) {}

    std::optional<std::vector<std::uint32_t>> read(const Value& machines) {
        if (!machines.is_list() || machines.items.empty()) {
            core::expected(machines, "a list of machines, such as [{type: NAME}]", diagnostics_);
            return std::nullopt;
        }
        for (const Value& entry : machines.items) {
            read_entry(entry);
        }
        if (diagnostics_.failed()) {
            return std::nullopt;
        }
        return draw(machines);
    }

private:
    void read_entry(const Value& entry) {
        if (entry.is_scalar()) {
            core::expected(entry, fmt::format("{{type: {}}}", entry.text), diagnostics_);
            return;
        }
        core::MapReader map(entry, "an entry of machines", diagnostics_);
        Share share;
        if (const Value* type = map.need("type")) {
            share.type = types_.find(*type, diagnostics_).value_or(0);
        }
        const Value* weight = map.take("weight");
        share.weight = weight ? read_weight(*weight, diagnostics_) : weight_unit;
        const Value* at = map.take("at");
        for (const PlanNode& node : at ? read_at(*at) : std::vector{PlanNode{0, 0}}) {
            Mix& mix = mixes_[node];
            mix.shares.push_back(share);
            mix.total_weight += share.weight;
        }
        map.report_unknown_keys();
    }

    std::vector<PlanNode> read_at(const Value& at) {
        if (!at.is_map() || at.members.size() != 1) {
            core::expected(at, "one level and a node of it, as in {rack: 3}", diagnostics_);
            return {};
        }
        const core::Member& member = at.members.front();
        const auto level = plan_.find(member.key);
        if (!level) {
            const std::vector<std::string> names = plan_.names();
            diagnostics_.error(member.key_span,
                               fmt::format("unknown level '{}': expected {}{}",
                                           member.key,
                                           core::alternatives(names),
                                           core::suggestion(member.key, names)));
            return {};
        }
        std::vector<PlanNode> nodes;
        if (!member.value.is_list()) {
            read_node(member.value, *level, nodes);
        }
        for (const Value& item : member.value.items) {
            read_node(item, *level, nodes);
        }
        return nodes;
    }

    /// Reads a node given by its index in the level, `3`, or by its name, `rack-3`.
    void read_node(const Value& value, std::size_t level, std::vector<PlanNode>& nodes) {
        std::string_view text = value.text;
        const std::string prefix = plan_.name(level) + "-";
        if (text.starts_with(prefix)) {
            text.remove_prefix(prefix.size());
        } else if (level == 0 && text == plan_.name(0)) {
            text = "0";
        }
        const auto index = core::parse_number<std::uint32_t>(text);
        if (!value.is_scalar() || !index || *index >= plan_.size(level) ||
            (text.size() > 1 && text.front() == '0')) {
            diagnostics_.error(value.span,
                               fmt::format("unknown {} '{}': expected 0 to {}, or {}0 to {}{}",
                                           plan_.name(level),
                                           value.text,
                                           plan_.size(level) - 1,
                                           prefix,
                                           prefix,
                                           plan_.size(level) - 1));
            return;
        }
        nodes.emplace_back(level, *index);
    }

    std::optional<std::vector<std::uint32_t>> draw(const Value& machines) {
        // Each entry is first the number of the server's mix, and then the type drawn from it.
        constexpr auto none = UINT32_MAX;
        std::vector<std::uint32_t> types(plan_.server_count(), none);
        std::vector<Mix*> mixes;
        for (auto& [node, mix] : mixes_) {
            const auto [begin, end] = plan_.servers_under(node.first, node.second);
            std::fill(types.begin() + begin,
                      types.begin() + end,
                      static_cast<std::uint32_t>(mixes.size()));
            mixes.push_back(&mix);
        }
        for (std::uint32_t& type : types) {
            if (type == none) {
                diagnostics_.error(machines.span,
                                   fmt::format("{}-{} has no machine type: expected an entry of "
                                               "machines without 'at'",
                                               plan_.name(plan_.level_count() - 1),
                                               &type - types.data()));
                return std::nullopt;
            }
            type = mixes[type]->next();
        }
        return types;
    }

    const LevelPlan& plan_;
    const MachineTypes& types_;
    Diagnostics& diagnostics_;
    std::map<PlanNode, Mix> mixes_;
};

/// Reads a `machines` section and gives each server of the plan its machine type.
///
/// An entry without `at` applies to the whole cluster, and `at: {rack: 3}` only to the servers
/// under that node; the deepest node with entries wins. Entries for the same node are mixed by
/// `weight`: each server gets the type that is furthest behind its share, where ties go to the
/// earlier entry. The first servers of the node, however many, are therefore as close to the
/// weights as possible.
///
/// Returns: the index of the type of each server, in the order of the servers.
/// Cost:    O(servers * (levels + entries of a node)).
std::optional<std::vector<std::uint32_t>> read_machines(const Value& machines,
                                                        const LevelPlan& plan,
                                                        const MachineTypes& types,
                                                        Diagnostics& diagnostics) {
    return MachinesReader(plan, types, diagnostics).read(machines);
}

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

const std::vector<std::string>& kinds() {
    static const std::vector<std::string> all{
        "Topology", "TopologyTree", "Node", "NodeList", "List"};
    return all;
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

const core::Value* read_topology_frame(const core::Value& document,
                                       const std::string& kind,
                                       core::Diagnostics& diagnostics) {
    const std::string_view version = kind == "TopologyTree" ? "" : "berth/v1";
    core::MapReader map(document, "a " + kind, diagnostics);
    std::ignore = map.take("kind");
    if (const core::Value* metadata = map.take("metadata")) {
        core::check_metadata(*metadata, diagnostics);
    }
    const core::Value* api = map.take("apiVersion");
    if (api != nullptr && !version.empty() && (!api->is_scalar() || api->text != version)) {
        core::expected(*api, version, diagnostics);
    }
    const core::Value* spec = map.need("spec");
    map.report_unknown_keys();
    return spec;
}

bool is_topology_kind(std::string_view kind) {
    return std::ranges::find(kinds(), kind) != kinds().end();
}

std::optional<core::Topology> read_topology(const core::Value& document,
                                            const core::ResourceSchema& also,
                                            core::Diagnostics& diagnostics,
                                            const std::vector<LabelLevel>& levels) {
    const core::Value* value = document.find("kind");
    const std::string kind = value ? value->text : "";
    if (!is_topology_kind(kind)) {
        const core::SourceSpan& span = value ? value->span : document.span;
        diagnostics.error(span,
                          fmt::format("{}: expected {}{}",
                                      value ? fmt::format("unknown kind '{}' of topology", kind)
                                            : "the document has no 'kind'",
                                      core::alternatives(kinds()),
                                      core::suggestion(kind, kinds())));
        return std::nullopt;
    }
    if (kind != "Topology" && kind != "TopologyTree") {
        return read_kubernetes_nodes(document, levels, also, diagnostics);
    }
    const bool tree = kind == "TopologyTree";
    const core::Value* spec = read_topology_frame(document, kind, diagnostics);
    if (spec == nullptr) {
        return std::nullopt;
    }
    return tree ? read_topology_tree_spec(*spec, also, diagnostics)
                : read_spec(*spec, also, diagnostics);
}

std::optional<core::Topology> read_spec(const core::Value& spec,
                                        const core::ResourceSchema& also,
                                        core::Diagnostics& diagnostics) {
    return spec.find("nodes") != nullptr ? read_node_list_spec(spec, also, diagnostics)
                                         : read_topology_spec(spec, also, diagnostics);
}

}  // namespace berth::topologies
