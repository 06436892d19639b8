#include "experiments/program/requests/place.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "core/placement/placement_exact.hpp"
#include "core/placement/placement_group.hpp"
#include "core/support/text.hpp"
#include "experiments/program/support/json_fields.hpp"
#include "experiments/program/support/json_writer.hpp"
#include "experiments/program/support/parsed_json.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::Level;
using core::LogicalTree;
using core::Members;
using core::NodeId;
using core::PlacedNode;
using core::ServerId;

Members members(const RequestValue& value, std::string_view where) {
    const Amount count = whole(value, where, 0);
    if (count > INT32_MAX) {
        throw RequestError(fmt::format("{} is {}: expected at most {}", where, count, INT32_MAX));
    }
    return count;
}

std::vector<Amount> amounts(const RequestValue& value, std::string_view where, std::size_t count) {
    if (!value.is_list() || (count > 0 && value.size() != count)) {
        throw RequestError(fmt::format("{} is {}: expected a list of {} amounts",
                                       where,
                                       shown(value),
                                       count > 0 ? fmt::format("{}", count) : "some"));
    }
    std::vector<Amount> out;
    for (const RequestValue& amount : value.items()) {
        out.push_back(whole(amount, where, 0));
    }
    return out;
}

/// The cluster of a request: nested `{"name", "children"}`, and servers with amounts.
struct Cluster {
    std::shared_ptr<const core::Topology> tree;
    std::vector<std::vector<Amount>> allocated;  ///< Amounts in use on each server.
};

class ClusterReader {
public:
    ClusterReader(const RequestValue& topology, std::size_t resource_count)
        : topology_(topology), resource_count_(resource_count) {}

    Cluster read() {
        core::ResourceSchema schema;
        for (std::size_t i = 0; i < resource_count_; ++i) {
            schema.add(fmt::format("resource-{}", i));
        }
        core::TopologyBuilder builder(schema);
        const RequestValue levels = need(topology_, "levels", "topology");
        const std::size_t level_count = levels.size();
        if (!levels.is_list() || level_count < 2 || level_count > 16) {
            throw RequestError(
                "topology.levels: expected 2 to 16 names, from the root to the server");
        }
        std::vector<RequestValue> nodes{need(topology_, "tree", "topology")};
        std::vector<std::uint32_t> parents{0};
        for (std::size_t level = 0; level < level_count; ++level) {
            builder.begin_level(text(levels.item(level), "topology.levels"));
            const bool last = level + 1 == level_count;
            std::vector<RequestValue> children;
            std::vector<std::uint32_t> child_parents;
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                const std::string name = text(need(nodes[i], "name", "a node"), "name");
                if (last) {
                    add_server(builder, parents[i], name, nodes[i]);
                    continue;
                }
                builder.add_node(parents[i], name);
                const RequestValue below = need(nodes[i], "children", name);
                if (below.items().empty()) {
                    throw RequestError(fmt::format("{} has no children: expected some", name));
                }
                for (const RequestValue& child : below.items()) {
                    children.push_back(child);
                    child_parents.push_back(static_cast<std::uint32_t>(i));
                }
            }
            nodes = std::move(children);
            parents = std::move(child_parents);
        }
        return {std::make_shared<const core::Topology>(builder.build()), std::move(allocated_)};
    }

private:
    void add_server(core::TopologyBuilder& builder,
                    std::uint32_t parent,
                    const std::string& name,
                    const RequestValue& server) {
        if (server.contains("children")) {
            throw RequestError(fmt::format("{} has children: expected a server", name));
        }
        const auto capacity = amounts(need(server, "capacity", name), "capacity", resource_count_);
        allocated_.push_back(
            amounts(need(server, "allocated", name), "allocated", resource_count_));
        add(capacities_, capacity, "capacity", name);
        add(allocations_, allocated_.back(), "allocated", name);
        const auto [type, fresh] =
            types_.try_emplace(capacity, static_cast<std::uint32_t>(types_.size()));
        if (fresh) {
            builder.add_machine_type(
                {name,
                 Eigen::Map<const core::Amounts>(capacity.data(),
                                                 static_cast<Eigen::Index>(capacity.size())),
                 {}});
        }
        builder.add_server(parent, name, type->second);
    }

    /// The sum over all servers must fit into an Amount, and so must the sum of what fits on them.
    static void add(std::vector<Amount>& sums,
                    const std::vector<Amount>& amounts,
                    std::string_view what,
                    const std::string& name) {
        constexpr Amount most = Amount{1} << 62;
        sums.resize(amounts.size());
        for (std::size_t r = 0; r < amounts.size(); ++r) {
            if (amounts[r] > most - sums[r]) {
                throw RequestError(
                    fmt::format("{} of {} is {}: expected at most {} on all servers "
                                "together",
                                what,
                                name,
                                amounts[r],
                                most));
            }
            sums[r] += amounts[r];
        }
    }

    RequestValue topology_;
    std::size_t resource_count_;
    std::vector<Amount> capacities_;   ///< Sums over all servers so far, by resource.
    std::vector<Amount> allocations_;  ///< Amounts in use on all servers so far, by resource.
    std::map<std::vector<Amount>, std::uint32_t> types_;
    std::vector<std::vector<Amount>> allocated_;
};

core::LevelConstraint read_constraint(const RequestValue& json) {
    core::LevelConstraint constraint;
    (void)need(json, "affinity", "a constraint");
    constraint.affinity = static_cast<core::Affinity>(choice(json, "affinity", {"pack", "spread"}));
    const RequestValue hard = need(json, "isHard", "a constraint");
    if (!hard.is_boolean()) {
        throw RequestError(fmt::format("isHard is {}: expected true or false", shown(hard)));
    }
    constraint.hard = *hard.boolean();
    constraint.scope = static_cast<core::Scope>(choice(json, "scope", {"parent", "group"}));
    const auto option = [&](const char* key) -> std::optional<Amount> {
        if (json[key].is_null()) {
            return std::nullopt;
        }
        // Numbers beyond the size of any group are all equivalent.
        return std::clamp<Amount>(whole(json[key], key, INT64_MIN), INT32_MIN, INT32_MAX);
    };
    const auto min = option("min");
    const auto max = option("max");
    if (min && max) {
        constraint.range = {*min, *max};
    }
    constraint.partitions =
        static_cast<std::uint32_t>(std::max<Amount>(option("partitions").value_or(0), 0));
    constraint.factor = option("factor").value_or(1);
    return constraint;
}

core::GroupRequest read_group(const RequestValue& group, const core::Topology& tree) {
    core::GroupRequest request{members(need(group, "size", "group"), "size"),
                               core::LevelConstraints(tree.level_count())};
    const RequestValue constraints = need(group, "levelConstraints", "group");
    if (!constraints.is_list()) {
        throw RequestError("levelConstraints: expected a list");
    }
    for (const RequestValue& constraint : constraints.items()) {
        const std::string name = text(need(constraint, "level", "a constraint"), "level");
        const auto level = tree.find_level(name);
        if (!level) {
            throw RequestError(fmt::format(
                "unknown level '{}': expected {}", name, core::join(tree.level_names(), ", ")));
        }
        request.constraints.set(*level, read_constraint(constraint));
    }
    return request;
}

NodeId find_path(const RequestValue& path, const core::Topology& tree) {
    const auto unknown = [&] {
        return RequestError(fmt::format(
            "claimed path {}: expected the names from the root to a server", shown(path)));
    };
    const std::size_t length = path.size();
    if (!path.is_list() || length != tree.level_count() ||
        !(path.item(0) == tree.name(tree.root()))) {
        throw unknown();
    }
    NodeId node = tree.root();
    for (std::size_t level = 1; level < length; ++level) {
        const RequestValue name = path.item(level);
        const auto children = tree.children(node);
        const auto child = std::ranges::find_if(
            children, [&](NodeId candidate) { return name == tree.name(candidate); });
        if (child == children.end()) {
            throw unknown();
        }
        node = *child;
    }
    return node;
}

std::vector<PlacedNode> read_claimed(const RequestValue& claimed, const core::Topology& tree) {
    if (!claimed.is_list()) {
        throw RequestError("claimed: expected a list");
    }
    std::map<NodeId, Members> counts;
    for (const RequestValue& entry : claimed.items()) {
        const NodeId server = find_path(need(entry, "path", "a claim"), tree);
        counts[server] = members(need(entry, "count", "a claim"), "count");
    }
    std::vector<PlacedNode> servers;
    for (const auto& [server, count] : counts) {
        if (count > 0) {
            servers.push_back({server, count});
        }
    }
    return servers;
}

Members sum(const std::vector<PlacedNode>& servers) {
    Members members = 0;
    for (const PlacedNode& server : servers) {
        members += server.count;
    }
    return members;
}

/// The claimed members that the placement keeps, as a logical tree.
LogicalTree kept(const LogicalTree& placement,
                 const std::vector<PlacedNode>& claimed,
                 const core::Topology& tree) {
    std::map<NodeId, Members> placed;
    for (const PlacedNode& node : placement.nodes) {
        placed[node.node] = node.count;
    }
    std::vector<PlacedNode> servers;
    for (const PlacedNode& server : claimed) {
        if (const Members count = std::min(server.count, placed[server.node]); count > 0) {
            servers.push_back({server.node, count});
        }
    }
    return core::logical_tree(servers, tree);
}

std::vector<std::string_view> path_of(NodeId node, const core::Topology& tree) {
    std::vector<std::string_view> names{tree.name(node)};
    while (node != tree.root()) {
        node = tree.parent(node);
        names.push_back(tree.name(node));
    }
    std::ranges::reverse(names);
    return names;
}

std::string placement_answer(const LogicalTree& placement,
                             const std::vector<PlacedNode>* claimed,
                             Members size,
                             const core::Topology& tree) {
    std::map<NodeId, Members> claimed_at;
    Members claimed_kept = 0;
    if (claimed != nullptr) {
        const LogicalTree kept_tree = kept(placement, *claimed, tree);
        claimed_kept = kept_tree.placed();
        for (const PlacedNode& node : kept_tree.nodes) {
            claimed_at[node.node] = node.count;
        }
    }
    JsonWriter out;
    out.begin_map();
    out.member("placed", placement.placed());
    out.member("full", placement.placed() == size);
    if (claimed != nullptr) {
        out.member("claimedKept", claimed_kept);
    }
    out.key("ltree");
    out.begin_list();
    for (const PlacedNode& node : placement.nodes) {
        out.begin_map();
        out.key("path");
        out.begin_list();
        for (const std::string_view name : path_of(node.node, tree)) {
            out.value(name);
        }
        out.end_list();
        out.member("count", node.count);
        if (claimed != nullptr) {
            out.member("claimed", claimed_at[node.node]);
        }
        out.end_map();
    }
    out.end_list();
    out.end_map();
    return out.take();
}

std::string refusal(std::string_view error) {
    return dumped({{"placed", 0}, {"full", false}, {"error", error}, {"ltree", Json::array()}});
}

std::string answer_parsed(const RequestValue& request) {
    const RequestValue group_json = need(request, "group", "the request");
    std::vector<Amount> demand = amounts(need(group_json, "demand", "group"), "demand", 0);
    if (demand.empty()) {
        throw RequestError("demand is empty: expected at least one amount");
    }
    const Cluster cluster =
        ClusterReader(need(request, "topology", "the request"), demand.size()).read();
    const core::GroupRequest group = read_group(group_json, *cluster.tree);
    const auto rule = choice(request, "numFit", {"aggregate", "percolated"}) == 0
                          ? core::NumFit::aggregate
                          : core::NumFit::percolated;
    const bool exact = choice(request, "solver", {"greedy", "exact"}) == 1;
    const RequestValue claims = request["claimed"];
    const bool partial = !claims.is_null() && !(claims.is_list() && claims.items().empty());
    const std::vector<PlacedNode> claimed =
        partial ? read_claimed(claims, *cluster.tree) : std::vector<PlacedNode>();
    if (group.size == 0) {
        return refusal("empty group");
    }
    constexpr Members exact_size_max = 100'000;  // the tables of this solver grow with the size
    if (exact && group.size > exact_size_max) {
        throw RequestError(fmt::format(
            "size is {}: expected at most {} for solver exact", group.size, exact_size_max));
    }
    if (!exact && sum(claimed) > group.size) {
        return refusal("number claimed larger than group size");
    }
    core::Ledger ledger(cluster.tree);
    for (std::uint32_t server = 0; server < cluster.tree->server_count(); ++server) {
        ledger.occupy(ServerId{server}, cluster.allocated[server]);
    }
    const core::FitIndex fits(ledger, std::move(demand), rule);
    core::GroupPlacer placer;
    LogicalTree placement;
    if (exact) {
        placement = sum(claimed) > group.size ? core::resize_group(group, fits, claimed)
                                              : core::place_exact(group, fits, claimed);
    } else {
        placement = partial ? placer.place_rest(group, fits, claimed) : placer.place(group, fits);
    }
    return placement_answer(placement, partial ? &claimed : nullptr, group.size, *cluster.tree);
}

}  // namespace

std::string answer_place_request(std::string_view request) {
    return answer_line(request, &answer_parsed);
}

}  // namespace berth::experiments
