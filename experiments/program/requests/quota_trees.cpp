#include "experiments/program/requests/quota_trees.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/elastic_quota/quota_names.hpp"

namespace berth::experiments {
namespace {

using core::QuotaTrees;
using core::ResourceList;

/// The most of CPU and memory that the special groups may use in the real system's tests.
constexpr core::Amount special_max = core::Amount{1} << 60;

void add_keys(const Json& amounts, core::ResourceSchema& schema) {
    if (amounts.is_object()) {
        for (const auto& [resource, amount] : amounts.items()) {
            schema.add(resource);
        }
    }
}

/// Every resource that is named anywhere: under the keys whose values are amounts.
void add_resources_below(const Json& value, core::ResourceSchema& schema) {
    for (const auto& [key, below] : value.items()) {
        if (key == "requests" || key == "used") {
            for (const Json& amounts : below) {
                add_keys(amounts, schema);
            }
        } else if (key == "total" || key == "min" || key == "max" || key == "sharedWeight" ||
                   key == "totalResource" || key == "request" || key == "delta" ||
                   key == "allocatable" || key == "defaultQuotaGroupMax") {
            add_keys(below, schema);
        } else if (below.is_structured()) {
            add_resources_below(below, schema);
        }
    }
}

const Json& options_of(const Json& request) {
    static const Json none = Json::object();
    return request.contains("options") ? request.at("options") : none;
}

}  // namespace

core::ResourceSchema QuotaRequestTrees::schema_of(const Json& request) {
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

ResourceList QuotaRequestTrees::list(const Json& amounts, std::string_view where) const {
    ResourceList out(schema_.size());
    if (amounts.is_null()) {
        return out;
    }
    if (!amounts.is_object()) {
        throw RequestError(
            fmt::format("{} is {}: expected a map from resource to amount", where, shown(amounts)));
    }
    for (const auto& [resource, amount] : amounts.items()) {
        const core::Amount number = whole(amount, resource, INT64_MIN);
        if (number == INT64_MIN) {  // its negative has no room
            throw RequestError(fmt::format("{} of {} is -2^63: expected more", resource, where));
        }
        out.set(*schema_.find(resource), number);
    }
    return out;
}

core::QuotaSpec QuotaRequestTrees::spec(const Json& quota) const {
    core::QuotaSpec out;
    out.name = text(need(quota, "name", "a quota"), "name");
    out.parent = text(need(quota, "parent", out.name), "parent");
    out.is_parent = boolean(quota, "isParent", false);
    out.allow_lent_resource = boolean(quota, "allowLentResource", true);
    out.min = list(quota.value("min", Json()), "min");
    out.max = list(quota.value("max", Json()), "max");
    out.shared_weight = list(quota.value("sharedWeight", Json()), "sharedWeight");
    if (several_trees_ && quota.contains("treeID")) {
        out.tree_id = text(quota.at("treeID"), "treeID");
        const bool has_total = quota.contains("totalResource");
        if (boolean(quota, "isRoot", false) && has_total && !quota["totalResource"].is_null()) {
            out.total_resource = list(quota.at("totalResource"), "totalResource");
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

QuotaRequestTrees::QuotaRequestTrees(const Json& request)
    : schema_(schema_of(request)),
      several_trees_(boolean(options_of(request), "multiTree", false)),
      trees_(schema_.size(), boolean(options_of(request), "scaleMinQuotaEnabled", true)) {
    ResourceList special(schema_.size());
    special.set(0, special_max);
    special.set(1, special_max);
    trees_.set_special_max(QuotaTrees::system_quota, special);
    const Json& options = options_of(request);
    const bool given =
        options.contains("defaultQuotaGroupMax") && !options["defaultQuotaGroupMax"].is_null();
    trees_.set_special_max(
        QuotaTrees::default_quota,
        given ? list(options["defaultQuotaGroupMax"], "defaultQuotaGroupMax") : special);
    trees_.set_cluster_total(list(need(request, "total", "the request"), "total"));
    for (const Json& quota : need(request, "quotas", "the request")) {
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
    const Json& used = request.contains("used") ? request.at("used") : Json::object();
    const Json& requests = request.contains("requests") ? request.at("requests") : Json::object();
    const auto amounts = [&](const ResourceList& list) {
        std::vector<core::Amount> out;
        for (std::size_t r = 0; r < schema_.size(); ++r) {
            out.push_back(list[r]);
        }
        return out;
    };
    for (const auto& [name, by_resource] : requests.items()) {
        trees_.add_request(find(name), amounts(list(by_resource, name)), 1);
    }
    for (const auto& [name, by_resource] : used.items()) {
        const ResourceList running = list(by_resource, name);
        trees_.add_used(find(name), amounts(running), 1, true);
        // What runs was asked for, whether or not the request says so.
        const ResourceList asked = list(requests.contains(name) ? requests.at(name) : Json(), name);
        std::vector<core::Amount> unsaid(schema_.size(), 0);
        for (std::size_t r = 0; r < schema_.size(); ++r) {
            unsaid[r] = asked.has(r) ? 0 : running[r];
        }
        trees_.add_request(find(name), unsaid, 1);
    }
}

}  // namespace berth::experiments
