#include "topologies/loose_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

namespace berth::topologies {
namespace {

using Nodes = std::vector<LooseTree::Node>;

std::optional<std::uint32_t> find_root(const Nodes& nodes, const NodeFault& fault) {
    std::optional<std::uint32_t> root;
    bool alone = true;
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
        if (nodes[node].parent != LooseTree::none) {
            continue;
        }
        if (root) {
            fault(node,
                  fmt::format("'{}' is a second root: expected one node without a parent, and "
                              "'{}' is one",
                              nodes[node].name,
                              nodes[*root].name));
            alone = false;
        } else {
            root = node;
        }
    }
    return alone ? root : std::nullopt;
}

/// Reports the cycle above a node that the root does not reach.
void report_cycle(const Nodes& nodes, std::uint32_t node, const NodeFault& fault) {
    for (std::size_t step = 0; step < nodes.size(); ++step) {
        node = nodes[node].parent;  // after so many steps, the node is certainly on the cycle
    }
    std::uint32_t first = node;
    for (std::uint32_t at = nodes[node].parent; at != node; at = nodes[at].parent) {
        first = std::min(first, at);
    }
    node = first;
    std::string path = fmt::format("'{}'", nodes[node].name);
    constexpr int shown_max = 8;
    int shown = 1;
    std::uint32_t at = nodes[node].parent;
    for (; at != node && shown < shown_max; at = nodes[at].parent, ++shown) {
        path += fmt::format(" under '{}'", nodes[at].name);
    }
    path += at == node ? fmt::format(" under '{}'", nodes[node].name) : " and so on";
    fault(node, fmt::format("a cycle: {}: expected every branch to begin at one root", path));
}

/// The children of each node as one range, in the given order.
struct Children {
    explicit Children(const Nodes& nodes) : count(nodes.size()), begin(nodes.size() + 1) {
        for (const LooseTree::Node& node : nodes) {
            if (node.parent != LooseTree::none) {
                ++count[node.parent];
            }
        }
        std::partial_sum(count.begin(), count.end(), begin.begin() + 1);
        list.resize(begin.back());
        std::vector<std::uint32_t> next = begin;
        for (std::uint32_t node = 0; node < nodes.size(); ++node) {
            if (nodes[node].parent != LooseTree::none) {
                list[next[nodes[node].parent]++] = node;
            }
        }
    }
    std::vector<std::uint32_t> count;
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> list;
};

class Assembler {
public:
    Assembler(LooseTree tree, const BreadthFirst& order, const NodeFault& fault)
        : tree_(std::move(tree)), order_(order), fault_(fault), index_(tree_.nodes.size()) {}

    std::optional<core::Topology> run() {
        check_depths();
        check_names();
        return sound_ ? std::optional(build()) : std::nullopt;
    }

private:
    [[nodiscard]] std::size_t last_level() const { return tree_.level_names.size() - 1; }

    void report(std::uint32_t node, const std::string& message) {
        fault_(node, message);
        sound_ = false;
    }

    void check_depths() {
        for (std::size_t level = 0; level + 1 < order_.level_begin.size(); ++level) {
            for (std::uint32_t at = order_.level_begin[level]; at < order_.level_begin[level + 1];
                 ++at) {
                check_depth(order_.nodes[at], level);
            }
        }
    }

    void check_depth(std::uint32_t node, std::size_t level) {
        const std::string& name = tree_.nodes[node].name;
        const bool leaf = order_.child_count[node] == 0;
        const bool typed = tree_.nodes[node].machine_type != LooseTree::none;
        if (level > last_level()) {
            return;  // reported at its ancestor at the last level
        }
        if (level == last_level() && !leaf) {
            report(node,
                   fmt::format("'{}' is at the last level, '{}', and has children: expected "
                               "{} levels with the root",
                               name,
                               tree_.level_names[level],
                               tree_.level_names.size()));
        } else if (level < last_level() && leaf) {
            report(node,
                   fmt::format("'{}' has no children at level '{}': expected every branch to end "
                               "at level '{}'",
                               name,
                               tree_.level_names[level],
                               tree_.level_names.back()));
        } else if (leaf && !typed) {
            report(node,
                   fmt::format("server '{}' has no type: expected that of its machine", name));
        } else if (!leaf && typed) {
            report(node,
                   fmt::format("'{}' has children and a type: expected a type of servers alone",
                               name));
        }
    }

    /// Whether two children of one node, which are neighbours in the order, have the same name.
    [[nodiscard]] bool names_repeat() const {
        constexpr std::size_t few = 32;  // up to this many children are compared in pairs
        std::vector<std::string_view> names;
        std::uint32_t parent = LooseTree::none;
        const auto name_is_new = [&](std::string_view name) {
            return names.size() > few || std::ranges::find(names, name) == names.end();
        };
        const auto many_repeat = [&] {
            if (names.size() <= few) {
                return false;
            }
            std::ranges::sort(names);
            return std::ranges::adjacent_find(names) != names.end();
        };
        for (const std::uint32_t node : order_.nodes) {
            if (tree_.nodes[node].parent != parent) {
                if (many_repeat()) {
                    return true;
                }
                parent = tree_.nodes[node].parent;
                names.clear();
            }
            if (!name_is_new(tree_.nodes[node].name)) {
                return true;
            }
            names.emplace_back(tree_.nodes[node].name);
        }
        return many_repeat();
    }

    void check_names() {
        if (!names_repeat()) {
            return;
        }
        std::vector<std::uint32_t> sorted(tree_.nodes.size());
        std::iota(sorted.begin(), sorted.end(), 0U);
        const auto key = [this](std::uint32_t node) {
            return std::pair(tree_.nodes[node].parent, std::string_view(tree_.nodes[node].name));
        };
        std::ranges::sort(
            sorted, {}, [&](std::uint32_t node) { return std::pair(key(node), node); });
        for (std::size_t i = 1; i < sorted.size(); ++i) {
            if (key(sorted[i - 1]) == key(sorted[i])) {
                const LooseTree::Node& node = tree_.nodes[sorted[i]];
                report(sorted[i],
                       fmt::format("'{}' has two children named '{}': expected distinct names",
                                   tree_.nodes[node.parent].name,
                                   node.name));
            }
        }
    }

    core::Topology build() {
        core::TopologyBuilder builder(std::move(tree_.resources));
        for (core::MachineType& type : tree_.machine_types) {
            builder.add_machine_type(std::move(type));
        }
        std::size_t name_bytes = 0;
        for (const LooseTree::Node& node : tree_.nodes) {
            name_bytes += node.name.size();
        }
        builder.reserve(order_.nodes.size(), order_.nodes.size(), name_bytes);
        for (std::size_t level = 0; level <= last_level(); ++level) {
            builder.begin_level(tree_.level_names[level]);
            const std::uint32_t begin = order_.level_begin[level];
            for (std::uint32_t at = begin; at < order_.level_begin[level + 1]; ++at) {
                const LooseTree::Node& node = tree_.nodes[order_.nodes[at]];
                index_[order_.nodes[at]] = at - begin;
                const std::uint32_t parent = level == 0 ? 0 : index_[node.parent];
                if (level == last_level()) {
                    builder.add_server(parent, node.name, node.machine_type);
                } else {
                    builder.add_node(parent, node.name);
                }
            }
        }
        const std::vector<std::uint32_t> servers(
            order_.nodes.begin() + order_.level_begin[last_level()], order_.nodes.end());
        return tree_.labels.empty() ? builder.build()
                                    : core::TopologyBuilder::with_labels(
                                          builder.build(), tree_.labels.picked(servers));
    }

    LooseTree tree_;
    const BreadthFirst& order_;
    const NodeFault& fault_;
    std::vector<std::uint32_t> index_;  ///< Index of each given node within its level.
    bool sound_ = true;
};

}  // namespace

std::optional<BreadthFirst> order_breadth_first(const Nodes& nodes, const NodeFault& fault) {
    const auto first_root = std::ranges::find(nodes, LooseTree::none, &LooseTree::Node::parent);
    if (first_root == nodes.end()) {
        report_cycle(nodes, 0, fault);
        return std::nullopt;
    }
    const auto root = find_root(nodes, fault);
    if (!root) {
        return std::nullopt;
    }
    Children children(nodes);
    BreadthFirst order;
    order.nodes.reserve(nodes.size());
    order.nodes.push_back(*root);
    order.level_begin.push_back(0);
    while (order.level_begin.back() < order.nodes.size()) {
        const auto end = static_cast<std::uint32_t>(order.nodes.size());
        for (std::uint32_t at = order.level_begin.back(); at < end; ++at) {
            const std::uint32_t node = order.nodes[at];
            order.nodes.insert(order.nodes.end(),
                               children.list.begin() + children.begin[node],
                               children.list.begin() + children.begin[node + 1]);
        }
        order.level_begin.push_back(end);
    }
    if (order.nodes.size() < nodes.size()) {
        std::vector<bool> reached(nodes.size());
        for (const std::uint32_t node : order.nodes) {
            reached[node] = true;
        }
        const auto lost = std::ranges::find(reached, false) - reached.begin();
        report_cycle(nodes, static_cast<std::uint32_t>(lost), fault);
        return std::nullopt;
    }
    order.child_count = std::move(children.count);
    return order;
}

std::optional<core::Topology> assemble(LooseTree tree,
                                       const BreadthFirst& order,
                                       const NodeFault& fault) {
    return Assembler(std::move(tree), order, fault).run();
}

}  // namespace berth::topologies
