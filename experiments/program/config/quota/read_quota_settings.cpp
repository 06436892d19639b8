#include "experiments/program/config/quota/read_quota_settings.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <variant>

#include "core/support/text.hpp"
#include "experiments/program/config/cluster/served_resources.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/document/foreign_kind.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::ElasticQuota;
using core::MapReader;
using core::Value;

/// Reads `[{file: quotas.yaml}]`, which has become `objects: [...]` once the files are read.
std::vector<ReadQuota> read_sources(const Value* list, Diagnostics& diagnostics) {
    std::vector<ReadQuota> out;
    if (list == nullptr) {
        return out;
    }
    if (!list->is_list()) {
        expected(*list, "a list such as [{file: quotas.yaml}]", diagnostics);
    }
    for (const Value& item : list->items) {
        MapReader map(item, "an entry of quotas", diagnostics);
        (void)map.take("file");
        const Value* objects = map.take("objects");
        map.report_unknown_keys();
        if (objects == nullptr || !objects->is_list()) {
            expected(objects != nullptr ? *objects : item,
                     "file: quotas.yaml, or objects: a list of ElasticQuota objects",
                     diagnostics);
        } else {
            for (const Value& object : objects->items) {
                const Value* kind = object.is_map() ? object.find("kind") : nullptr;
                if (const auto foreign = foreign_document(object)) {
                    diagnostics.error(foreign->span, foreign->message);
                } else if (!holds_quotas(object) || (kind != nullptr && kind->text == "Pod")) {
                    expected(object,
                             "an object such as {kind: ElasticQuota, metadata: {name: team-a}, "
                             "spec: {min: ..., max: ...}}",
                             diagnostics);
                }
            }
            std::ranges::move(read_quotas(objects->items, diagnostics), std::back_inserter(out));
        }
    }
    return out;
}

std::optional<core::Quantities> read_quantities_at(MapReader& map, const std::string& key) {
    const Value* value = map.take(key);
    return value != nullptr ? std::optional(read_quantities(*value, map.diagnostics()))
                            : std::nullopt;
}

sim::QuotaPatch read_patch(const Value& value, Diagnostics& diagnostics) {
    MapReader map(value, "an update of a quota", diagnostics);
    sim::QuotaPatch patch;
    (void)map.need("name");
    patch.name = map.text("name", "");
    patch.min = read_quantities_at(map, "min");
    patch.max = read_quantities_at(map, "max");
    patch.shared_weight = read_quantities_at(map, "sharedWeight");
    if (map.take("parent") != nullptr) {
        patch.parent = map.text("parent", "");
    }
    if (map.take("allowLentResource") != nullptr) {
        patch.allow_lent_resource = map.boolean("allowLentResource", true);
    }
    map.report_unknown_keys();
    return patch;
}

/// Reads the single ElasticQuota under `create` or `update`.
std::optional<core::ElasticQuota> read_object(const Value& value, Diagnostics& diagnostics) {
    const Value* kind = value.is_map() ? value.find("kind") : nullptr;
    if (kind == nullptr || kind->text != "ElasticQuota") {
        expected(value, "an ElasticQuota", diagnostics);
        return std::nullopt;
    }
    std::vector<ReadQuota> read = read_quotas(std::span(&value, 1), diagnostics);
    return read.size() == 1 ? std::optional(std::move(read.front().quota)) : std::nullopt;
}

std::optional<sim::QuotaChange> read_change(const Value& item, Diagnostics& diagnostics) {
    MapReader map(item, "an entry of quotaChanges", diagnostics);
    (void)map.need("at");
    sim::QuotaChange change;
    change.at = read_duration(map, "at").value_or(sim::SimTime(0));
    const Value* create = map.take("create");
    const Value* update = map.take("update");
    const Value* removal = map.take("delete");
    map.report_unknown_keys();
    const auto given = [](const Value* value) { return value != nullptr ? 1 : 0; };
    if (given(create) + given(update) + given(removal) != 1) {
        diagnostics.error(item.span, "a change: expected one of create, update, delete");
        return std::nullopt;
    }
    if (removal != nullptr) {
        change.what = sim::QuotaChange::Delete{read_text(*removal, diagnostics).value_or("")};
    } else if (update != nullptr && update->find("kind") == nullptr) {
        change.what = read_patch(*update, diagnostics);
    } else {
        auto quota = read_object(create != nullptr ? *create : *update, diagnostics);
        if (!quota) {
            return std::nullopt;
        }
        if (create != nullptr) {
            change.what = sim::QuotaChange::Create{std::move(*quota)};
        } else {
            change.what = sim::QuotaChange::Update{std::move(*quota)};
        }
    }
    return change;
}

std::vector<sim::QuotaChange> read_changes(const Value* list, Diagnostics& diagnostics) {
    std::vector<sim::QuotaChange> changes;
    if (list != nullptr && !list->is_list()) {
        expected(*list, "a list such as [{at: 1h, delete: team-a}]", diagnostics);
    }
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
        if (auto change = read_change(list->items[i], diagnostics)) {
            changes.push_back(std::move(*change));
        }
    }
    std::ranges::stable_sort(changes, {}, &sim::QuotaChange::at);
    return changes;
}

sim::RecyclerSettings read_recycler(const Value& value, Diagnostics& diagnostics) {
    sim::RecyclerSettings recycler;
    MapReader map(value, "recycler", diagnostics);
    if (const auto period = read_duration(map, "period")) {
        recycler.period = *period;
        if (period->count() == 0) {
            expected(*value.find("period"), "a duration above 0", diagnostics);
        }
    }
    recycler.patience = read_duration(map, "patience").value_or(recycler.patience);
    recycler.rules =
        static_cast<core::RevokeRules>(map.choice("rules", {"documented", "published"}, 0));
    map.report_unknown_keys();
    return recycler;
}

/// Warns, once for each resource, about limits for resources that no server has: these limit
/// nothing.
class UnservedLimits {
public:
    UnservedLimits(const core::Topology& tree, Diagnostics& diagnostics)
        : served_(tree), diagnostics_(diagnostics) {}

    void look_at(const core::ElasticQuota& quota, const core::SourceSpan& span) {
        look_at(quota.max, span);
    }
    void look_at(const sim::QuotaChange& change, const core::SourceSpan& span) {
        if (const auto* created = std::get_if<sim::QuotaChange::Create>(&change.what)) {
            look_at(created->quota.max, span);
        } else if (const auto* updated = std::get_if<sim::QuotaChange::Update>(&change.what)) {
            look_at(updated->quota.max, span);
        }
    }

private:
    void look_at(const core::Quantities& max, const core::SourceSpan& span) {
        for (const auto& [resource, amount] : max) {
            if (!served_.has(resource) && said_.insert(resource).second) {
                diagnostics_.warning(
                    span,
                    fmt::format("no server has the resource '{}': quotas limit nothing by it{}",
                                resource,
                                served_.hint(resource)));
            }
        }
    }

    ServedResources served_;
    Diagnostics& diagnostics_;
    std::set<std::string> said_;
};

void warn_of_unserved_limits(std::span<const ReadQuota> quotas,
                             std::span<const sim::QuotaChange> changes,
                             const core::SourceSpan& of_changes,
                             const core::Topology& tree,
                             Diagnostics& diagnostics) {
    UnservedLimits limits(tree, diagnostics);
    for (const ReadQuota& read : quotas) {
        limits.look_at(read.quota, read.span);
    }
    for (const sim::QuotaChange& change : changes) {
        limits.look_at(change, of_changes);
    }
}

class QuotaChecker {
public:
    QuotaChecker(std::span<const ReadQuota> quotas, Diagnostics& diagnostics)
        : diagnostics_(diagnostics) {
        for (const ReadQuota& read : quotas) {
            const auto [known, fresh] = by_name_.try_emplace(read.quota.name, &read);
            if (!fresh) {
                diagnostics_.error(read.span,
                                   fmt::format("a second ElasticQuota is named '{}': expected "
                                               "distinct names",
                                               read.quota.name));
            }
        }
        for (const auto& [name, read] : by_name_) {
            children_[parent_of(read->quota)].push_back(read);
        }
        for (auto& [parent, children] : children_) {
            std::ranges::stable_sort(children, {}, [](const ReadQuota* child) {
                return child->quota.allow_force_update || child->quota.is_root;
            });
        }
    }

    core::QuotaRules check() {
        if (const auto root = by_name_.find(core::root_quota_name); root != by_name_.end()) {
            create(*root->second);
        }
        create_below(core::root_quota_name);
        report_unknown_parents();
        report_cycles();
        return std::move(rules_);
    }

private:
    /// Visits the quotas below one, level by level, and goes on below those for which `enter`
    /// returns true.
    template <class Enter>
    void walk_below(std::string_view top, Enter enter) {
        std::vector<std::string_view> parents{top};
        for (std::size_t i = 0; i < parents.size(); ++i) {
            const auto children = children_.find(parents[i]);
            if (children == children_.end()) {
                continue;
            }
            for (const ReadQuota* child : children->second) {
                if (enter(*child)) {
                    parents.push_back(child->quota.name);
                }
            }
        }
    }

    void create_below(std::string_view top) {
        walk_below(top, [&](const ReadQuota& child) {
            const bool created = create(child);
            if (!created) {
                check_alone_below(child.quota.name);
            }
            return created;
        });
    }

    bool create(const ReadQuota& read) {
        seen_.insert(read.quota.name);
        const core::Refusal refusal = rules_.create(read.quota);
        if (refusal) {
            diagnostics_.error(read.span, *refusal);
        }
        return !refusal;
    }

    void check_alone(const ReadQuota& read) {
        seen_.insert(read.quota.name);
        if (const core::Refusal refusal = core::check_alone(read.quota)) {
            diagnostics_.error(read.span, *refusal);
        }
    }

    /// Checks each quota below one that does not exist by itself: nothing can be said about its
    /// place.
    void check_alone_below(std::string_view top) {
        walk_below(top, [&](const ReadQuota& child) {
            const bool unseen = !seen_.contains(child.quota.name);
            if (unseen) {
                check_alone(child);
            }
            return unseen;
        });
    }

    void report_unknown_parents() {
        std::vector<std::string> names{std::string(core::root_quota_name)};
        for (const auto& [name, read] : by_name_) {
            names.push_back(name);
        }
        // Finding the nearest of many names is expensive, and no user reads more suggestions than
        // this.
        int suggestions = 20;
        for (const auto& [parent, children] : children_) {
            if (parent.empty() || parent == core::root_quota_name || by_name_.contains(parent)) {
                continue;
            }
            const std::string hint =
                suggestions-- > 0 ? core::suggestion(parent, names) : std::string();
            for (const ReadQuota* child : children) {
                diagnostics_.error(child->span,
                                   fmt::format("unknown parent '{}' of {}: expected the name of "
                                               "another ElasticQuota of the file{}",
                                               parent,
                                               child->quota.name,
                                               hint));
            }
            check_alone_below(parent);
        }
    }

    /// Quotas that were not seen have their parent in the file, but no way up to the root.
    void report_cycles() {
        std::set<std::string_view> walked;
        for (const auto& [start, unused] : by_name_) {
            if (seen_.contains(start)) {
                continue;
            }
            std::vector<std::string_view> path;
            std::string_view at = start;
            for (; walked.insert(at).second; at = parent_of(by_name_.find(at)->second->quota)) {
                path.push_back(at);
            }
            // Either an earlier walk came through here, or the end of the path is a cycle.
            if (const auto first = std::ranges::find(path, at); first != path.end()) {
                report_cycle({first, path.end()});
            }
        }
        for (const auto& [name, read] : by_name_) {
            if (!seen_.contains(name)) {
                check_alone(*read);
            }
        }
    }

    void report_cycle(std::vector<std::string_view> cycle) {
        std::ranges::rotate(cycle, std::ranges::min_element(cycle));
        const ReadQuota& read = *by_name_.find(cycle.front())->second;
        constexpr std::size_t shown_max = 5;
        std::string way;
        for (std::size_t i = 1; i < std::min(cycle.size(), shown_max); ++i) {
            way += fmt::format("{}, ", cycle[i]);
        }
        way += cycle.size() > shown_max ? "..., " : "";
        diagnostics_.error(read.span,
                           fmt::format("the parents of {} lead back to it ({}{}): expected them to "
                                       "lead to {}",
                                       cycle.front(),
                                       way,
                                       cycle.front(),
                                       core::root_quota_name));
    }

    Diagnostics& diagnostics_;
    core::QuotaRules rules_;
    std::map<std::string, const ReadQuota*, std::less<>> by_name_;
    std::map<std::string_view, std::vector<const ReadQuota*>> children_;  ///< Keyed by parent.
    std::set<std::string_view> seen_;
};

}  // namespace

core::Quantities read_quantities(const Value& value, Diagnostics& diagnostics) {
    core::Quantities out;
    if (!value.is_map()) {
        expected(value, "amounts such as {cpu: 2, memory: 32Gi}", diagnostics);
    }
    for (const core::Member& member : value.members) {
        const auto parsed = core::parse_exact_quantity(member.value.text);
        if (const auto* quantity = std::get_if<core::Quantity>(&parsed)) {
            out[member.key] = *quantity;
        } else {
            expected(member.value, "a Kubernetes quantity such as 500m, 16 or 256Gi", diagnostics);
        }
    }
    return out;
}

std::vector<std::string> large_mins(const core::QuotaRules& rules, const core::Topology& topology) {
    std::vector<std::string> out;
    core::Quantities mins;
    std::map<std::string, std::vector<std::string>> names;
    for (const core::ElasticQuota* quota : rules.parents_first()) {
        const bool first_level = core::parent_of(*quota) == core::root_quota_name;
        if (first_level && quota->tree_id.empty()) {
            for (const auto& [resource, amount] : quota->min) {
                mins[resource] += amount;
                names[resource].push_back(quota->name);
            }
        }
    }
    const core::ResourceSchema& schema = topology.resources();
    constexpr core::Quantity billion = 1'000'000'000;
    for (const auto& [resource, sum] : mins) {
        const auto index = schema.find(resource);
        if (!index) {
            continue;  // there was a warning already that it limits nothing
        }
        core::Quantity capacity = 0;
        for (const core::NodeId node : topology.level_nodes(topology.server_level())) {
            const core::MachineType& type = topology.machine_type(topology.server_of(node));
            capacity += type.capacity[static_cast<Eigen::Index>(*index)] * billion /
                        schema.per_unit(*index);
        }
        if (sum > capacity) {
            out.push_back(
                fmt::format("the mins of {} are together {} {}, more than the {} "
                            "of the cluster: not all of them can have their min",
                            core::join(names[resource], ", "),
                            core::format_quantity(resource, sum),
                            resource,
                            core::format_quantity(resource, capacity)));
        }
    }
    return out;
}

std::optional<ReadQuotaSettings> read_quota_settings(const Value* quotas,
                                                     const Value* changes,
                                                     const Value* recycler,
                                                     const core::Topology* tree,
                                                     Diagnostics& diagnostics) {
    if (quotas == nullptr && changes == nullptr && recycler == nullptr) {
        return std::nullopt;
    }
    ReadQuotaSettings out;
    const std::vector<ReadQuota> read = read_sources(quotas, diagnostics);
    out.rules = check_quotas(read, diagnostics);
    for (const core::ElasticQuota* quota : out.rules.parents_first()) {
        out.settings.quotas.push_back(*quota);
    }
    out.settings.changes = read_changes(changes, diagnostics);
    if (tree != nullptr) {
        warn_of_unserved_limits(read,
                                out.settings.changes,
                                changes != nullptr ? changes->span : core::SourceSpan(),
                                *tree,
                                diagnostics);
    }
    for (const sim::QuotaChange& change : out.settings.changes) {
        if (const auto* created = std::get_if<sim::QuotaChange::Create>(&change.what)) {
            out.later.insert(created->quota.name);
        }
    }
    if (recycler != nullptr) {
        out.settings.recycler = read_recycler(*recycler, diagnostics);
    }
    return out;
}

core::QuotaRules check_quotas(std::span<const ReadQuota> quotas, Diagnostics& diagnostics) {
    return QuotaChecker(quotas, diagnostics).check();
}

void check_pods(std::span<const ReadPod> pods, core::QuotaRules& rules, Diagnostics& diagnostics) {
    std::set<std::string_view> warned;
    for (const ReadPod& read : pods) {
        if (const core::Refusal refusal = rules.add_pod(read.pod)) {
            diagnostics.error(read.span, *refusal);
        }
        const std::string& quota = read.pod.quota;
        if (!quota.empty() && rules.quota_of(read.pod) != quota && warned.insert(quota).second) {
            diagnostics.warning(read.span,
                                fmt::format("pod {} is in the unknown quota '{}': it belongs to {}",
                                            read.pod.name,
                                            quota,
                                            core::default_quota_name));
        }
    }
}

}  // namespace berth::experiments
