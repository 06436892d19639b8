#include "experiments/program/config/kueue/read_resource_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "experiments/program/support/kueue_quantity.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;

using core::Diagnostics;
using core::MapReader;
using core::Value;

class GroupsReader {
public:
    GroupsReader(QuotaOwner owner, kueue::Names& names, Diagnostics& diagnostics)
        : owner_(owner), names_(names), diagnostics_(diagnostics) {}

    KueueResourceGroups read(const Value& list) {
        if (!list.is_list()) {
            expected(list, "a list of resource groups", diagnostics_);
        }
        for (const Value& item : list.items) {
            read_group(item);
        }
        return std::move(out_);
    }

private:
    void read_group(const Value& item) {
        MapReader map(item, "a resource group", diagnostics_);
        kueue::ResourceGroup& group = out_.groups.emplace_back();
        std::vector<std::string> covered;
        if (const Value* list = map.need("coveredResources")) {
            covered = read_covered(*list, group);
        }
        if (const Value* flavors = map.need("flavors")) {
            if (!flavors->is_list() || flavors->items.empty()) {
                expected(*flavors, "a list of flavors", diagnostics_);
            }
            for (const Value& flavor : flavors->items) {
                read_flavor(flavor, covered, group);
            }
        }
        map.report_unknown_keys();
    }

    std::vector<std::string> read_covered(const Value& list, kueue::ResourceGroup& group) {
        std::vector<std::string> covered;
        if (!list.is_list() || list.items.empty()) {
            expected(list, "a list of resources, such as [cpu, memory]", diagnostics_);
        }
        for (const Value& item : list.items) {
            if (auto name = read_text(item, diagnostics_)) {
                if (!resources_.insert(*name).second) {
                    expected(item, "a resource that no other group covers", diagnostics_);
                }
                group.resources.push_back(names_.resource(*name));
                covered.push_back(*std::move(name));
            }
        }
        return covered;
    }

    void read_flavor(const Value& item,
                     const std::vector<std::string>& covered,
                     kueue::ResourceGroup& group) {
        MapReader map(item, "a flavor's quotas", diagnostics_);
        const Value* name = map.need("name");
        const Value* resources = map.need("resources");
        map.report_unknown_keys();
        const auto text = name != nullptr ? read_text(*name, diagnostics_) : std::nullopt;
        if (!text || resources == nullptr) {
            return;
        }
        if (!flavors_.insert(*text).second) {
            expected(*name, "a flavor that is named once in all groups", diagnostics_);
        }
        const kueue::FlavorId flavor = names_.flavor(*text);
        group.flavors.push_back(flavor);
        const auto name_of = [](const Value& resource) {
            const Value* found = resource.is_map() ? resource.find("name") : nullptr;
            return found != nullptr ? found->text : std::string();
        };
        const bool right =
            resources->is_list() && std::ranges::equal(resources->items, covered, {}, name_of);
        if (!right) {
            expected(*resources,
                     fmt::format("the resources that the group covers, in their order: {}",
                                 fmt::join(covered, ", ")),
                     diagnostics_);
            return;
        }
        for (const Value& resource : resources->items) {
            out_.quotas.insert_or_assign({flavor, names_.resource(name_of(resource))},
                                         read_quota(resource, name_of(resource)));
        }
    }

    kueue::Quota read_quota(const Value& item, const std::string& resource) {
        MapReader map(item, "a resource's quota", diagnostics_);
        (void)map.take("name");
        kueue::Quota quota;
        if (const Value* nominal = map.need("nominalQuota")) {
            quota.nominal = read_amount(*nominal, resource);
        }
        quota.borrowing_limit = read_limit(map, "borrowingLimit", resource);
        quota.lending_limit = read_limit(map, "lendingLimit", resource);
        map.report_unknown_keys();
        if (owner_.is_queue && quota.lending_limit && *quota.lending_limit > quota.nominal) {
            expected(*item.find("lendingLimit"),
                     "no more than nominalQuota, of which it is a part",
                     diagnostics_);
        }
        return quota;
    }

    std::optional<core::Amount> read_limit(MapReader& map,
                                           const std::string& key,
                                           const std::string& resource) {
        const Value* limit = map.take(key);
        if (limit == nullptr) {
            return std::nullopt;
        }
        if (!owner_.has_parent) {
            diagnostics_.error(limit->span,
                               fmt::format("{} without a {}: expected none, for there is nobody to "
                                           "borrow from or to lend to",
                                           key,
                                           owner_.is_queue ? "cohort" : "parent"));
        }
        return read_amount(*limit, resource);
    }

    core::Amount read_amount(const Value& value, const std::string& resource) {
        const auto text = read_text(value, diagnostics_);
        if (!text) {
            return 0;
        }
        const auto parsed = parse_kueue_quantity(*text, resource);
        const auto* amount = std::get_if<core::Amount>(&parsed);
        if (amount == nullptr || *amount < 0) {
            expected(
                value, "a Kubernetes quantity from 0 on, such as 500m, 16 or 256Gi", diagnostics_);
            return 0;
        }
        return *amount;
    }

    QuotaOwner owner_;
    kueue::Names& names_;
    Diagnostics& diagnostics_;
    KueueResourceGroups out_;
    std::set<std::string> resources_;
    std::set<std::string> flavors_;
};

}  // namespace

KueueResourceGroups read_resource_groups(const Value& list,
                                         QuotaOwner owner,
                                         kueue::Names& names,
                                         Diagnostics& diagnostics) {
    return GroupsReader(owner, names, diagnostics).read(list);
}

}  // namespace berth::experiments
