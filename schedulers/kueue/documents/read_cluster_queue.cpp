#include "schedulers/kueue/documents/read_cluster_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "schedulers/kueue/decide/cluster_queue.hpp"
#include "schedulers/kueue/documents/kueue_quantity.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;
using core::Diagnostics;
using core::MapReader;
using core::Value;
using kueue::PreemptionPolicy;

/// The contents of `resourceGroups`.
struct KueueResourceGroups {
    core::kueue::Quotas quotas;
    std::vector<core::kueue::ResourceGroup> groups;
};

/// The object that resource groups belong to. Lending limits of a ClusterQueue are bounded by its
/// quota. A ClusterQueue without a cohort and a Cohort without a parent may have no limits.
struct QuotaOwner {
    bool is_queue = true;
    bool has_parent = false;
};

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
                               fmt::format("{} cannot be used without a {}, since there is nothing "
                                           "to borrow from or to lend to: expected none",
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

/// Errors: recorded at their places for a resource or a flavor in two groups, for a flavor without
///         the resources that its group covers, in their order, for an amount below 0, and for a
///         limit without a cohort, or of more than there is to lend.
/// Source: Kueue, pkg/webhooks/clusterqueue_webhook.go, validateResourceGroups.
KueueResourceGroups read_resource_groups(const Value& list,
                                         QuotaOwner owner,
                                         kueue::Names& names,
                                         Diagnostics& diagnostics) {
    return GroupsReader(owner, names, diagnostics).read(list);
}

namespace kueue = core::kueue;

/// The name of the cohort under the key of either version.
std::string either_text(MapReader& map, const std::string& key, const std::string& older) {
    const std::string text = map.text(key, "");
    const std::string other = map.text(older, "");
    return text.empty() ? other : text;
}

double read_weight(MapReader& spec) {
    const Value* fair = spec.take("fairSharing");
    if (fair == nullptr) {
        return 1;
    }
    MapReader map(*fair, "fairSharing", spec.diagnostics());
    constexpr double most = 1e9;
    const double weight = map.number("weight", 1, 0, most);
    constexpr double least = 1e-9;
    if (weight != 0 && weight <= least) {
        expected(*fair->find("weight"), "0, or more than 1e-9", spec.diagnostics());
    }
    map.report_unknown_keys();
    return weight;
}

void read_borrow_within_cohort(const Value& value,
                               kueue::PreemptionPolicies& policies,
                               Diagnostics& diagnostics) {
    MapReader map(value, "borrowWithinCohort", diagnostics);
    policies.borrow_within_cohort.allowed =
        map.choice("policy", {"Never", "LowerPriority"}, 0) == 1;
    if (map.take("maxPriorityThreshold") != nullptr) {
        policies.borrow_within_cohort.max_priority_threshold =
            map.integer("maxPriorityThreshold", 0, INT32_MIN, INT32_MAX);
    }
    map.report_unknown_keys();
    if (policies.borrow_within_cohort.allowed &&
        policies.reclaim_within_cohort == PreemptionPolicy::never) {
        diagnostics.error(value.span,
                          "borrowWithinCohort cannot be used where reclaimWithinCohort is Never: "
                          "expected LowerPriority or Any there");
    }
}

kueue::PreemptionPolicies read_preemption(MapReader& spec) {
    kueue::PreemptionPolicies read;
    const Value* value = spec.take("preemption");
    if (value == nullptr) {
        return read;
    }
    MapReader map(*value, "preemption", spec.diagnostics());
    constexpr std::array within{PreemptionPolicy::never,
                                PreemptionPolicy::lower_priority,
                                PreemptionPolicy::lower_or_newer_equal_priority};
    constexpr std::array reclaim{
        PreemptionPolicy::never, PreemptionPolicy::lower_priority, PreemptionPolicy::any};
    read.within_cluster_queue = within[map.choice(
        "withinClusterQueue", {"Never", "LowerPriority", "LowerOrNewerEqualPriority"}, 0)];
    read.reclaim_within_cohort =
        reclaim[map.choice("reclaimWithinCohort", {"Never", "LowerPriority", "Any"}, 0)];
    if (const Value* borrow = map.take("borrowWithinCohort")) {
        read_borrow_within_cohort(*borrow, read, spec.diagnostics());
    }
    map.report_unknown_keys();
    return read;
}

kueue::FlavorFungibility read_fungibility(MapReader& spec) {
    kueue::FlavorFungibility read;
    const Value* value = spec.take("flavorFungibility");
    if (value == nullptr) {
        return read;
    }
    MapReader map(*value, "flavorFungibility", spec.diagnostics());
    // Borrow and Preempt are the names in v1beta1.
    read.borrow_tries_next =
        map.choice("whenCanBorrow", {"MayStopSearch", "Borrow", "TryNextFlavor"}, 0) == 2;
    read.preempt_tries_next =
        map.choice("whenCanPreempt", {"TryNextFlavor", "MayStopSearch", "Preempt"}, 0) == 0;
    const Value* preference = map.take("preference");
    read.prefers_preemption =
        map.choice("preference", {"BorrowingOverPreemption", "PreemptionOverBorrowing"}, 0) == 1;
    map.report_unknown_keys();
    if (preference != nullptr && !(read.borrow_tries_next && read.preempt_tries_next)) {
        expected(*preference,
                 "none, unless whenCanBorrow and whenCanPreempt are TryNextFlavor",
                 spec.diagnostics());
    }
    return read;
}

kueue::StopPolicy read_stop_policy(MapReader& spec) {
    return static_cast<kueue::StopPolicy>(
        spec.choice("stopPolicy", {"None", "Hold", "HoldAndDrain"}, 0));
}

/// Refuses what would hold workloads up, or change decisions, in ways that a run does not model.
void refuse_what_is_not_modelled(MapReader& spec) {
    for (const char* key : {"admissionChecks", "admissionChecksStrategy"}) {
        const Value* value = spec.take(key);
        if (value != nullptr && !(value->items.empty() && value->members.empty())) {
            expected(*value,
                     "none, since admission checks (such as ProvisioningRequest and MultiKueue) "
                     "are not modelled",
                     spec.diagnostics());
        }
    }
    if (const Value* value = spec.take("concurrentAdmissionPolicy")) {
        expected(*value, "none, since concurrent admission is not modelled", spec.diagnostics());
    }
}

/// Warns about namespace selectors. A run does not know the labels of namespaces. In Kueue, no
/// namespace may use a queue that has no selector.
void warn_of_namespaces(MapReader& spec, const std::string& name) {
    const Value* selector = spec.take("namespaceSelector");
    if (selector == nullptr) {
        spec.diagnostics().warning(
            spec.span(),
            fmt::format(
                "ClusterQueue {} has no namespaceSelector, without which Kueue admits no jobs: "
                "jobs of all namespaces are admitted here, as with namespaceSelector: {{}}",
                name));
    } else if (!selector->members.empty()) {
        spec.diagnostics().warning(
            selector->span,
            fmt::format("ClusterQueue {}: its namespaceSelector has no effect, since a run knows "
                        "no labels of namespaces: jobs of all namespaces are admitted",
                        name));
    }
}

}  // namespace

kueue::ClusterQueue read_cluster_queue(const Value& spec_value,
                                       std::string name,
                                       kueue::Names& names,
                                       Diagnostics& diagnostics) {
    MapReader spec(spec_value, "a ClusterQueue's spec", diagnostics);
    kueue::ClusterQueue queue;
    queue.name = std::move(name);
    queue.cohort = either_text(spec, "cohortName", "cohort");
    queue.strategy = static_cast<kueue::QueueingStrategy>(
        spec.choice("queueingStrategy", {"BestEffortFIFO", "StrictFIFO"}, 0));
    warn_of_namespaces(spec, queue.name);
    if (const Value* groups = spec.take("resourceGroups")) {
        KueueResourceGroups read =
            read_resource_groups(*groups, {true, !queue.cohort.empty()}, names, diagnostics);
        queue.quotas = std::move(read.quotas);
        queue.groups = std::move(read.groups);
    }
    queue.fungibility = read_fungibility(spec);
    queue.preemption = read_preemption(spec);
    queue.weight = read_weight(spec);
    queue.stop = read_stop_policy(spec);
    if (const Value* scope = spec.take("admissionScope")) {
        MapReader map(*scope, "admissionScope", diagnostics);
        (void)map.need("admissionMode");
        queue.shares_by_usage =
            map.choice("admissionMode",
                       {"NoAdmissionFairSharing", "UsageBasedAdmissionFairSharing"},
                       0) == 1;
        map.report_unknown_keys();
    }
    refuse_what_is_not_modelled(spec);
    spec.report_unknown_keys();
    return queue;
}

kueue::Cohort read_cohort(const Value& spec_value,
                          std::string name,
                          kueue::Names& names,
                          Diagnostics& diagnostics) {
    MapReader spec(spec_value, "a Cohort's spec", diagnostics);
    kueue::Cohort cohort;
    cohort.name = std::move(name);
    cohort.parent = either_text(spec, "parentName", "parent");
    if (const Value* groups = spec.take("resourceGroups")) {
        cohort.quotas =
            read_resource_groups(*groups, {false, !cohort.parent.empty()}, names, diagnostics)
                .quotas;
    }
    cohort.weight = read_weight(spec);
    spec.report_unknown_keys();
    return cohort;
}

sim::KueueLocalQueue read_local_queue(const Value& spec_value, Diagnostics& diagnostics) {
    MapReader spec(spec_value, "a LocalQueue's spec", diagnostics);
    sim::KueueLocalQueue queue;
    if (const Value* name = spec.need("clusterQueue")) {
        queue.cluster_queue = name->text;
    }
    queue.stop = read_stop_policy(spec);
    queue.weight = read_weight(spec);
    spec.report_unknown_keys();
    return queue;
}

}  // namespace berth::experiments
