#include "topologies/kubernetes_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "core/node_rules/labels.hpp"
#include "core/node_rules/object_metadata.hpp"
#include "core/node_rules/read_node_rules.hpp"
#include "core/support/assert.hpp"
#include "core/tree/gpu_resource.hpp"
#include "topologies/level_plan.hpp"

namespace berth::topologies {
namespace {

using core::Value;

/// The label in which GPU feature discovery tells how many pods share each GPU.
constexpr std::string_view replicas_label = "nvidia.com/gpu.replicas";
/// The resources and the label of nodes whose GPUs are shared by thousandths.
constexpr std::string_view count_resource = "alibabacloud.com/gpu-count";
constexpr std::string_view milli_resource = "alibabacloud.com/gpu-milli";
constexpr std::string_view model_label = "alibabacloud.com/gpu-card-model";
constexpr core::Amount gpus_max = 10'000;

/// The value at the path `keys`, or nullptr.
const Value* lookup(const Value& value, std::initializer_list<std::string_view> keys) {
    const Value* at = &value;
    for (const std::string_view key : keys) {
        at = at ? at->find(key) : nullptr;
    }
    return at;
}

/// The text of a node's label, or "".
std::string_view label_of(const Value& node, std::string_view label) {
    const Value* value = lookup(node, {"metadata", "labels", label});
    return value && value->is_scalar() ? std::string_view(value->text) : std::string_view();
}

/// The value of a label of core::GpuResource for the devices that count as `resource`.
std::string_view label_of_devices(const Value& node,
                                  const std::string& resource,
                                  std::string_view label) {
    return label.starts_with('.') ? label_of(node, resource + std::string(label))
                                  : label_of(node, label);
}

std::vector<std::pair<std::string_view, std::string_view>> labels_of(const Value& node) {
    std::vector<std::pair<std::string_view, std::string_view>> labels;
    if (const Value* all = lookup(node, {"metadata", "labels"})) {
        labels.reserve(all->members.size());
        for (const core::Member& label : all->members) {
            labels.emplace_back(label.key, label.value.text);
            if (label.value.text.empty() && (label.value.is_list() || label.value.is_map())) {
                labels.back().second = "{}";  // not the empty text of another node's label
            }
        }
    }
    return labels;
}

}  // namespace

std::vector<const Value*> kubernetes_nodes_in(const Value& document) {
    std::vector<const Value*> nodes;
    const Value* kind = document.find("kind");
    if (kind != nullptr && kind->text == "Node") {
        nodes.push_back(&document);
        return nodes;
    }
    const Value* items = document.find("items");
    if (items == nullptr || !items->is_list()) {
        return nodes;
    }
    const bool node_list = kind != nullptr && kind->text == "NodeList";
    for (const Value& item : items->items) {
        const Value* own = item.find("kind");
        if (own != nullptr ? own->text == "Node" : node_list) {  // the API omits kinds in its lists
            nodes.push_back(&item);
        }
    }
    return nodes;
}

KubernetesNodes::KubernetesNodes(const std::vector<LabelLevel>& levels,
                                 core::Diagnostics& diagnostics)
    : diagnostics_(diagnostics) {
    for (const LabelLevel& level : levels) {
        levels_.emplace_back().level = level;
    }
    labels_.add({});
}

void KubernetesNodes::note_levels(const Value& node) {
    for (Candidate& level : levels_) {
        level.used = level.used || !label_of(node, level.level.label).empty();
    }
}

void KubernetesNodes::choose_levels(const core::SourceSpan& document) {
    level_names_ = {"cluster"};
    for (Candidate& level : levels_) {
        level.chosen = level.used || !level.level.optional;
        if (level.chosen) {
            level_names_.push_back(level.level.level);
        }
    }
    level_names_.emplace_back("server");
    const std::set<std::string> names(level_names_.begin(), level_names_.end());
    if (names.size() < level_names_.size() || names.size() > levels_max) {
        diagnostics_.error(document,
                           fmt::format("levels {}: expected distinct names, {} at most",
                                       core::alternatives(level_names_),
                                       levels_max));
    }
}

void KubernetesNodes::read(const Value& item) {
    ++count_;
    note_levels(item);
    const Value* metadata = item.find("metadata");
    if (metadata != nullptr) {
        core::check_metadata_keys(*metadata, diagnostics_);
    }
    if (const Value* taints = lookup(item, {"spec", "taints"})) {
        if (taints->is_map() || taints->is_scalar()) {
            expected(*taints, "a list such as [{key: team, effect: NoSchedule}]", diagnostics_);
        }
        for (const Value& taint : taints->items) {
            (void)core::read_taint(taint, diagnostics_);
        }
    }
    const Value* name = metadata == nullptr ? nullptr : metadata->find("name");
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
    for (Candidate& level : levels_) {
        const std::string_view place = label_of(item, level.level.label);
        if (place.empty() && level.missing++ == 0) {
            level.first_missing = item.span;
        }
        places_.push_back(
            place_names_.number(std::string(place.empty() ? place_of_unlabelled : place)));
    }
    servers_.push_back({name->text, LooseTree::none, read_inside(item, name->text)});
    const std::vector<std::size_t> fresh = labels_.add(labels_of(item));
    if (const Value* labels = metadata->find("labels")) {
        check_labels(*labels, fresh);
    }
}

void KubernetesNodes::check_labels(const Value& labels, const std::vector<std::size_t>& fresh) {
    if (labels.is_list() || labels.is_scalar()) {
        expected(labels, "a map from labels to their values", diagnostics_);
    }
    for (const std::size_t label : fresh) {
        if (labels.members[label].value.kind != Value::Kind::null) {
            core::check_label(labels.members[label], diagnostics_);
        }
    }
}

std::uint32_t KubernetesNodes::read_inside(const Value& item, const std::string& name) {
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
    if (!label_of(item, replicas_label).empty() && label_of(item, replicas_label) != "1" &&
        shared_++ == 0) {
        first_shared_ = item.span;
    }
    SparseAmounts sparse;
    read_amounts(*amounts, sparse);
    std::ranges::sort(sparse);
    return pool_.intern(std::string(label_of(item, "node.kubernetes.io/instance-type")),
                        sparse,
                        read_devices(item, sparse));
}

void KubernetesNodes::read_amounts(const Value& amounts, SparseAmounts& sparse) {
    const std::string_view gpu = resource_of_device("gpu");
    const bool by_count = amounts.find(gpu) == nullptr && amounts.find(count_resource) != nullptr;
    for (const core::Member& member : amounts.members) {
        if (!check_resource_name(member.key, member.key_span, diagnostics_) ||
            (by_count && member.key == milli_resource)) {
            continue;
        }
        const std::size_t resource =
            resources_.add(by_count && member.key == count_resource ? gpu : member.key);
        const auto amount = read_counted_amount(member.value, resources_, resource, diagnostics_);
        sparse.emplace_back(resource, amount.value_or(0));
    }
}

std::vector<core::DeviceGroup> KubernetesNodes::read_devices(const Value& item,
                                                             const SparseAmounts& amounts) const {
    std::vector<core::DeviceGroup> groups;
    for (const auto& [resource, amount] : amounts) {
        const std::string& name = resources_.name(resource);
        const core::GpuResource* const gpu = core::find_gpu_resource(name);
        const core::Amount count = amount / resources_.per_unit(resource);
        if (gpu == nullptr || count == 0) {
            continue;
        }
        if (count > gpus_max) {
            diagnostics_.error(
                item.span,
                fmt::format("{} of {} on one node: expected at most {}", count, name, gpus_max));
            continue;
        }
        core::DeviceGroup& devices = groups.emplace_back();
        devices.kind = name == resource_of_device("gpu") ? "gpu" : name;
        devices.count = count;
        devices.model = label_of_devices(item, name, gpu->model_label);
        if (devices.model.empty() && devices.kind == "gpu") {
            devices.model = label_of(item, model_label);
        }
        std::string memory(label_of_devices(item, name, gpu->memory_label));
        const auto bytes = core::parse_quantity(memory.append(gpu->memory_unit), 1);
        if (const auto* known = std::get_if<core::Amount>(&bytes)) {
            devices.memory_bytes = *known;
        }
    }
    return groups;
}

int KubernetesNodes::last_line_warned_of() const {
    int line = shared_ > 0 ? first_shared_.line : 0;
    for (const Candidate& level : levels_) {
        if ((level.used || !level.level.optional) && level.missing > 0) {
            line = std::max(line, level.first_missing.line);
        }
    }
    return line;
}

void KubernetesNodes::warn() const {
    if (shared_ > 0) {
        diagnostics_.warning(
            first_shared_,
            fmt::format("{} of {} nodes, this one first, let several pods share each GPU (label "
                        "'{}'): each replica counts as a GPU of its own",
                        shared_,
                        count_,
                        replicas_label));
    }
    for (const Candidate& level : levels_) {
        if (level.chosen && level.missing > 0) {
            diagnostics_.warning(
                level.first_missing,
                fmt::format("{} of {} nodes, this one first, have no label '{}': they stand "
                            "under '{}' 'none'",
                            level.missing,
                            count_,
                            level.level.label,
                            level.level.level));
        }
    }
}

std::optional<core::Topology> KubernetesNodes::finish(const core::ResourceSchema& also,
                                                      const core::SourceSpan& document) {
    BERTH_ASSERT(!level_names_.empty(), "levels are chosen before the tree is made");
    warn();
    if (diagnostics_.failed()) {
        return std::nullopt;
    }
    for (const std::string& name : also.names()) {
        resources_.add(name);
    }
    LooseTree loose = tree();
    const NodeFault fault = [&](std::uint32_t, const std::string& message) {
        diagnostics_.error(document, message);
    };
    const auto order = order_breadth_first(loose.nodes, fault);
    return order ? assemble(std::move(loose), *order, fault) : std::nullopt;
}

/// Makes the tree, in which the nodes above the servers follow the servers, in the order of first
/// appearance.
LooseTree KubernetesNodes::tree() {
    LooseTree out;
    out.level_names = std::move(level_names_);
    out.nodes.reserve(servers_.size() + 1);
    out.nodes.push_back({"cluster", LooseTree::none, LooseTree::none});
    std::ranges::move(servers_, std::back_inserter(out.nodes));
    const auto servers_end = static_cast<std::uint32_t>(out.nodes.size());
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> inner;  // by parent and place
    for (std::uint32_t server = 1; server < servers_end; ++server) {
        std::uint32_t parent = 0;
        for (std::size_t level = 0; level < levels_.size(); ++level) {
            if (!levels_[level].chosen) {
                continue;
            }
            const std::uint32_t place = places_[(server - 1) * levels_.size() + level];
            const auto [at, fresh] =
                inner.try_emplace({parent, place}, static_cast<std::uint32_t>(out.nodes.size()));
            if (fresh) {
                out.nodes.push_back({place_names_[place], parent, LooseTree::none});
                labels_.add({});
            }
            parent = at->second;
        }
        out.nodes[server].parent = parent;
    }
    out.machine_types = pool_.finish(resources_);
    out.resources = std::move(resources_);
    out.labels = std::move(labels_);
    return out;
}

std::vector<LabelLevel> default_label_levels() {
    return {{"region", "topology.kubernetes.io/region", true},
            {"zone", "topology.kubernetes.io/zone", true}};
}

std::optional<core::Topology> read_kubernetes_nodes(const Value& document,
                                                    const std::vector<LabelLevel>& levels,
                                                    const core::ResourceSchema& also,
                                                    core::Diagnostics& diagnostics,
                                                    std::vector<NodeCopies> more) {
    const std::vector<const Value*> items = kubernetes_nodes_in(document);
    if (items.empty()) {
        diagnostics.error(document.span, "no nodes: expected one Node at least");
        return std::nullopt;
    }
    KubernetesNodes nodes(levels, diagnostics);
    for (const Value* item : items) {
        nodes.note_levels(*item);
    }
    for (const NodeCopies& copies : more) {
        nodes.note_levels(copies.node);
    }
    nodes.choose_levels(document.span);
    if (diagnostics.failed()) {
        return std::nullopt;
    }
    for (const Value* item : items) {
        nodes.read(*item);
    }
    for (NodeCopies& copies : more) {
        std::string& name = copies.node.find("metadata")->find("name")->text;
        for (std::string& copy : copies.names) {
            name = std::move(copy);
            nodes.read(copies.node);
        }
    }
    return nodes.finish(also, document.span);
}

}  // namespace berth::topologies
