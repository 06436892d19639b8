#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/elastic_quota/quota_names.hpp"
#include "experiments/program/requests/quota.hpp"

namespace berth::experiments {
namespace {

using core::QuotaTrees;
using core::ResourceList;

/// The maximum of CPU and memory for the special groups in the real system's tests.
constexpr core::Amount special_max = core::Amount{1} << 60;

void add_keys(const RequestValue& amounts, core::ResourceSchema& schema) {
    for (const auto& [resource, amount] : amounts.members()) {
        schema.add(resource);
    }
}

/// Adds every resource that is named under keys whose values are amounts.
void add_resources_below(const RequestValue& value, core::ResourceSchema& schema) {
    for (const RequestValue& item : value.items()) {
        add_resources_below(item, schema);
    }
    for (const auto& [key, below] : value.members()) {
        if (key == "requests" || key == "used") {
            for (const auto& [name, amounts] : below.members()) {
                add_keys(amounts, schema);
            }
        } else if (key == "total" || key == "min" || key == "max" || key == "sharedWeight" ||
                   key == "totalResource" || key == "request" || key == "delta" ||
                   key == "allocatable" || key == "defaultQuotaGroupMax") {
            add_keys(below, schema);
        } else {
            add_resources_below(below, schema);
        }
    }
}

/// Amounts by the name of a quota; null if there are none.
RequestValue map_of(const RequestValue& request, const char* key) {
    const RequestValue map = request[key];
    if (!map.is_null() && !map.is_map()) {
        throw RequestError(
            fmt::format("{} is {}: expected a map from quota to amounts", key, shown(map)));
    }
    return map;
}

}  // namespace

RequestValue::Entries<RequestValue> need_list(const RequestValue& object,
                                              const char* key,
                                              std::string_view where) {
    const RequestValue list = need(object, key, where);
    if (!list.is_list()) {
        throw RequestError(fmt::format("{} is {}: expected a list", key, shown(list)));
    }
    return list.items();
}

core::ResourceSchema QuotaRequestTrees::schema_of(const RequestValue& request) {
    core::ResourceSchema schema;
    schema.add("cpu");
    schema.add("memory");
    add_resources_below(request, schema);
    if (schema.size() > ResourceList::resources_max) {
        throw RequestError(fmt::format(
            "{} resources: expected at most {}", schema.size(), ResourceList::resources_max));
    }
    return schema;
}

ResourceList QuotaRequestTrees::list(const RequestValue& amounts, std::string_view where) const {
    ResourceList out(schema_.size());
    if (amounts.is_null()) {
        return out;
    }
    if (!amounts.is_map()) {
        throw RequestError(
            fmt::format("{} is {}: expected a map from resource to amount", where, shown(amounts)));
    }
    for (const auto& [resource, amount] : amounts.members()) {
        const core::Amount number = whole(amount, resource, INT64_MIN);
        if (number == INT64_MIN) {  // the negative of this number would overflow
            throw RequestError(fmt::format("{} of {} is -2^63: expected more", resource, where));
        }
        out.set(*schema_.find(resource), number);
    }
    return out;
}

core::QuotaSpec QuotaRequestTrees::spec(const RequestValue& quota) const {
    core::QuotaSpec out;
    out.name = text(need(quota, "name", "a quota"), "name");
    out.parent = text(need(quota, "parent", out.name), "parent");
    out.is_parent = boolean(quota, "isParent", false);
    out.allow_lent_resource = boolean(quota, "allowLentResource", true);
    out.min = list(quota["min"], "min");
    out.max = list(quota["max"], "max");
    out.shared_weight = list(quota["sharedWeight"], "sharedWeight");
    if (const auto tree = quota.find("treeID"); several_trees_ && tree) {
        out.tree_id = text(*tree, "treeID");
        const RequestValue total = quota["totalResource"];
        if (boolean(quota, "isRoot", false) && !total.is_null()) {
            out.total_resource = list(total, "totalResource");
        }
        out.ignore_default_tree = boolean(quota, "ignoreDefaultTree", false);
    }
    return out;
}

void QuotaRequestTrees::check_parent(const core::QuotaSpec& quota) const {
    if (quota.parent.empty() || quota.parent == core::root_quota_name) {
        return;
    }
    const auto parent = trees_.find(quota.parent);
    if (!parent || trees_.is_special(*parent) || trees_.spec(*parent).tree_id != quota.tree_id) {
        throw RequestError(fmt::format(
            "quota '{}' has the parent '{}': expected one before it", quota.name, quota.parent));
    }
    for (core::QuotaId above = *parent; !trees_.is_root(above); above = trees_.parent(above)) {
        if (trees_.name(above) == quota.name) {
            throw RequestError(fmt::format("quota '{}' has the parent '{}': expected none below it",
                                           quota.name,
                                           quota.parent));
        }
    }
}

void QuotaRequestTrees::update(const core::QuotaSpec& quota) {
    const core::QuotaId known = find(quota.name);
    if (trees_.is_root(known) || trees_.is_special(known) ||
        trees_.spec(known).tree_id != quota.tree_id) {
        throw RequestError(
            fmt::format("quota '{}' is updated: expected one of quotas, in its tree", quota.name));
    }
    check_parent(quota);
    trees_.update(known, quota);
}

core::QuotaId QuotaRequestTrees::find(const std::string& name) const {
    const auto found = trees_.find(name);
    if (!found) {
        throw RequestError(fmt::format("unknown quota '{}': expected one of quotas", name));
    }
    return *found;
}

QuotaRequestTrees::QuotaRequestTrees(const RequestValue& request)
    : schema_(schema_of(request)),
      several_trees_(boolean(request["options"], "multiTree", false)),
      trees_(schema_.size(), boolean(request["options"], "scaleMinQuotaEnabled", true)) {
    ResourceList special(schema_.size());
    special.set(0, special_max);
    special.set(1, special_max);
    trees_.set_special_max(QuotaTrees::system_quota, special);
    const RequestValue most = request["options"]["defaultQuotaGroupMax"];
    trees_.set_special_max(QuotaTrees::default_quota,
                           most.is_null() ? special : list(most, "defaultQuotaGroupMax"));
    trees_.set_cluster_total(list(need(request, "total", "the request"), "total"));
    for (const RequestValue& quota : need_list(request, "quotas", "the request")) {
        const core::QuotaSpec added = spec(quota);
        if (added.name == core::system_quota_name || added.name == core::default_quota_name) {
            continue;
        }
        if (trees_.find(added.name)) {
            throw RequestError(
                fmt::format("quota '{}' a second time: expected it once", added.name));
        }
        check_parent(added);
        trees_.add(added);
    }
    const RequestValue used = map_of(request, "used");
    const RequestValue requests = map_of(request, "requests");
    const auto amounts = [&](const ResourceList& list) {
        std::vector<core::Amount> out;
        for (std::size_t r = 0; r < schema_.size(); ++r) {
            out.push_back(list[r]);
        }
        return out;
    };
    for (const auto& [name, by_resource] : requests.members()) {
        trees_.add_request(find(name), amounts(list(by_resource, name)), 1);
    }
    for (const auto& [name, by_resource] : used.members()) {
        const ResourceList running = list(by_resource, name);
        trees_.add_used(find(name), amounts(running), 1, true);
        // Running pods were requested, whether or not the request says so.
        const ResourceList asked = list(requests[name], name);
        std::vector<core::Amount> unsaid(schema_.size(), 0);
        for (std::size_t r = 0; r < schema_.size(); ++r) {
            unsaid[r] = asked.has(r) ? 0 : running[r];
        }
        trees_.add_request(find(name), unsaid, 1);
    }
}

}  // namespace berth::experiments
