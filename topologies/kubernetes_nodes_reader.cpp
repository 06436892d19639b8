#include "topologies/kubernetes_nodes_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <variant>

#include "topologies/level_plan.hpp"
#include "topologies/loose_tree.hpp"
#include "topologies/machine_type_pool.hpp"

namespace berth::topologies {
namespace {

using core::Diagnostics;
using core::Value;

/// What lies at `keys`, one below the other, or nullptr.
const Value* lookup(const Value& value, std::initializer_list<std::string_view> keys) {
    const Value* at = &value;
    for (const std::string_view key : keys) {
        at = at ? at->find(key) : nullptr;
    }
    return at;
}

/// The text of a node's label, or "".
std::string label_of(const Value& node, std::string_view label) {
    const Value* value = lookup(node, {"metadata", "labels", label});
    return value && value->is_scalar() ? value->text : std::string();
}

bool is_node(const Value& item, bool in_node_list) {
    const Value* kind = item.find("kind");
    return kind ? kind->text == "Node" : in_node_list;  // a NodeList from the API omits the kinds
}

class KubernetesReader {
public:
    KubernetesReader(const core::ResourceSchema& also, Diagnostics& diagnostics)
        : also_(also), diagnostics_(diagnostics) {}

    std::optional<core::Topology> read(const Value& document,
                                       const std::vector<LabelLevel>& levels) {
        gather(document);
        if (items_.empty()) {
            diagnostics_.error(document.span, "no nodes: expected one Node at least");
            return std::nullopt;
        }
        choose_levels(levels, document);
        if (diagnostics_.failed()) {
            return std::nullopt;
        }
        add({"cluster", LooseTree::none, LooseTree::none}, document, {});
        for (const Value* item : items_) {
            read_node(*item);
        }
        warn_of_missing_labels();
        return diagnostics_.failed() ? std::nullopt : assembled();
    }

private:
    void gather(const Value& document) {
        if (is_node(document, false)) {
            items_.push_back(&document);
            return;
        }
        const Value* kind = document.find("kind");
        const bool node_list = kind && kind->text == "NodeList";
        const Value* items = document.find("items");
        if (items == nullptr || !items->is_list()) {
            return;
        }
        for (const Value& item : items->items) {
            if (is_node(item, node_list)) {
                items_.push_back(&item);
            }
        }
    }

    void choose_levels(const std::vector<LabelLevel>& levels, const Value& document) {
        tree_.level_names.emplace_back("cluster");
        for (const LabelLevel& level : levels) {
            const bool used = std::ranges::any_of(
                items_, [&](const Value* item) { return !label_of(*item, level.label).empty(); });
            if (used || !level.optional) {
                levels_.push_back(level);
                tree_.level_names.push_back(level.level);
            }
        }
        tree_.level_names.emplace_back("server");
        missing_.resize(levels_.size());
        const std::set<std::string> names(tree_.level_names.begin(), tree_.level_names.end());
        if (names.size() < tree_.level_names.size() || names.size() > levels_max) {
            diagnostics_.error(document.span,
                               fmt::format("levels {}: expected distinct names, {} at most",
                                           core::alternatives(tree_.level_names),
                                           levels_max));
        }
    }

    using LabelTexts = std::vector<std::pair<std::string_view, std::string_view>>;

    static LabelTexts labels_of(const Value& node) {
        LabelTexts labels;
        if (const Value* all = lookup(node, {"metadata", "labels"})) {
            for (const core::Member& label : all->members) {
                labels.emplace_back(label.key, label.value.text);
            }
        }
        return labels;
    }

    std::uint32_t add(LooseTree::Node node, const Value& stood, const LabelTexts& labels) {
        tree_.nodes.push_back(std::move(node));
        tree_.labels.add(labels);
        stood_.push_back(&stood);
        return static_cast<std::uint32_t>(tree_.nodes.size() - 1);
    }

    void read_node(const Value& item) {
        const Value* name = lookup(item, {"metadata", "name"});
        if (name == nullptr || !name->is_scalar() || name->text.empty()) {
            diagnostics_.error(item.span, "a Node has no metadata.name: expected one");
            return;
        }
        if (!names_.insert(name->text).second) {
            diagnostics_.error(
                name->span,
                fmt::format("two nodes are named '{}': expected distinct names", name->text));
            return;
        }
        std::uint32_t parent = 0;
        for (std::size_t level = 0; level < levels_.size(); ++level) {
            std::string place = label_of(item, levels_[level].label);
            if (place.empty()) {
                place = "none";
                missing_[level].push_back(&item);
            }
            const auto [at, fresh] = inner_.try_emplace({parent, place}, 0);
            if (fresh) {
                at->second = add({place, parent, LooseTree::none}, item, {});
            }
            parent = at->second;
        }
        add({name->text, parent, read_inside(item, name->text)}, item, labels_of(item));
    }

    std::uint32_t read_inside(const Value& item, const std::string& name) {
        const Value* amounts = lookup(item, {"status", "allocatable"});
        if (amounts == nullptr || !amounts->is_map()) {
            amounts = lookup(item, {"status", "capacity"});
        }
        if (amounts == nullptr || !amounts->is_map()) {
            diagnostics_.error(item.span,
                               fmt::format("node '{}' has no resources: expected "
                                           "status.allocatable or status.capacity",
                                           name));
            return 0;
        }
        SparseAmounts sparse;
        for (const core::Member& member : amounts->members) {
            if (!check_resource_name(member.key, member.key_span, diagnostics_)) {
                continue;
            }
            const std::size_t resource = tree_.resources.add(member.key);
            const auto amount = read_amount(member.value, tree_.resources, resource, diagnostics_);
            sparse.emplace_back(resource, amount.value_or(0));
        }
        std::ranges::sort(sparse);
        return pool_.intern(
            label_of(item, "node.kubernetes.io/instance-type"), sparse, read_devices(item, sparse));
    }

    std::vector<core::DeviceGroup> read_devices(const Value& item,
                                                const SparseAmounts& amounts) const {
        for (const auto& [resource, amount] : amounts) {
            const core::Amount count = amount / tree_.resources.per_unit(resource);
            if (tree_.resources.name(resource) != resource_of_device("gpu") || count == 0) {
                continue;
            }
            core::DeviceGroup gpus;
            gpus.kind = "gpu";
            gpus.count = count;
            gpus.model = label_of(item, "nvidia.com/gpu.product");
            const auto mebibytes =
                core::parse_quantity(label_of(item, "nvidia.com/gpu.memory") + "Mi", 1);
            if (const auto* memory = std::get_if<core::Amount>(&mebibytes)) {
                gpus.memory_bytes = *memory;
            }
            return {gpus};
        }
        return {};
    }

    void warn_of_missing_labels() {
        for (std::size_t level = 0; level < levels_.size(); ++level) {
            if (!missing_[level].empty()) {
                diagnostics_.warning(
                    missing_[level].front()->span,
                    fmt::format("{} of {} nodes, this one first, have no label '{}': they stand "
                                "under '{}' 'none'",
                                missing_[level].size(),
                                items_.size(),
                                levels_[level].label,
                                levels_[level].level));
            }
        }
    }

    std::optional<core::Topology> assembled() {
        for (const std::string& name : also_.names()) {
            tree_.resources.add(name);
        }
        tree_.machine_types = pool_.finish(tree_.resources);
        const NodeFault fault = [this](std::uint32_t node, const std::string& message) {
            diagnostics_.error(stood_[node]->span, message);
        };
        const auto order = order_breadth_first(tree_.nodes, fault);
        return order ? assemble(std::move(tree_), *order, fault) : std::nullopt;
    }

    const core::ResourceSchema& also_;
    Diagnostics& diagnostics_;
    std::vector<const Value*> items_;
    std::vector<LabelLevel> levels_;
    std::vector<std::vector<const Value*>> missing_;  ///< By level: nodes without its label.
    LooseTree tree_;
    std::vector<const Value*> stood_;  ///< By node of the tree: the Node it comes from.
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> inner_;  ///< By parent, name.
    std::set<std::string> names_;
    MachineTypePool pool_;
};

}  // namespace

std::vector<LabelLevel> default_label_levels() {
    return {{"region", "topology.kubernetes.io/region", true},
            {"zone", "topology.kubernetes.io/zone", true}};
}

std::optional<core::Topology> read_kubernetes_nodes(const Value& document,
                                                    const std::vector<LabelLevel>& levels,
                                                    const core::ResourceSchema& also,
                                                    Diagnostics& diagnostics) {
    return KubernetesReader(also, diagnostics).read(document, levels);
}

}  // namespace berth::topologies
