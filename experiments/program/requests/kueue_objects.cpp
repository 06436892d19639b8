#include "experiments/program/requests/kueue_objects.hpp"

#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

#include <algorithm>
#include <set>
#include <utility>

#include "experiments/program/requests/kueue_fields.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;

/// The names of one kind of objects, each once.
class NamesOnce {
public:
    std::string read(const RequestField& object) {
        const RequestField field = object["name"];
        std::string name = field.text();
        if (!seen_.insert(name).second) {
            field.fail("a name that no other has");
        }
        return name;
    }

private:
    std::set<std::string> seen_;
};

kueue::Configuration read_configuration(const RequestField& request) {
    kueue::Configuration read;
    read.gates = read_feature_gates(request["gates"]);
    const RequestField fair = request["fairSharing"];
    if (fair.is_present()) {
        for (const RequestField& strategy : fair["strategies"].items()) {
            read.fair_strategies.push_back(static_cast<kueue::FairStrategy>(
                strategy.choice({"LessThanOrEqualToFinalShare", "LessThanInitialShare"})));
        }
        if (read.fair_strategies.empty()) {
            read.fair_strategies = {kueue::FairStrategy::less_or_equal_to_final_share,
                                    kueue::FairStrategy::less_than_initial_share};
        }
    }
    const RequestField admission = request["admissionFairSharing"];
    read.admission_fair_sharing =
        admission.is_present() &&
        (admission.json().is_object() ? !admission.json().empty() : admission.boolean_or(false));
    const RequestField check = request["quotaCheckStrategy"];
    read.ignore_undeclared =
        check.is_present() && check.choice({"BlockUndeclared", "IgnoreUndeclared"}) == 1;
    const RequestField timestamp = request["podsReadyRequeuingTimestamp"];
    read.requeue_by_eviction =
        !timestamp.is_present() || timestamp.choice({"Eviction", "Creation"}) == 0;
    return read;
}

/// `[nominal, borrowingLimit, lendingLimit]`, of which the latter two may be null or left out; or
/// nominal alone.
kueue::Quota read_quota(const RequestField& field, std::string_view resource) {
    if (!field.is_present() || !field.json().is_array()) {
        return {field.quantity(resource), std::nullopt, std::nullopt};
    }
    const std::vector<RequestField> parts = field.items();
    if (parts.empty() || parts.size() > 3) {
        field.fail("nominal, borrowing limit and lending limit");
    }
    const auto limit = [&](std::size_t i) {
        return i < parts.size() && parts[i].is_present()
                   ? std::optional(parts[i].quantity(resource))
                   : std::nullopt;
    };
    return {parts.front().quantity(resource), limit(1), limit(2)};
}

struct Groups {
    kueue::Quotas quotas;
    std::vector<kueue::ResourceGroup> groups;
};

Groups read_groups(const RequestField& list, kueue::Names& names) {
    Groups read;
    for (const RequestField& group : list.items()) {
        kueue::ResourceGroup& own = read.groups.emplace_back();
        for (const std::string& resource : group["resources"].texts()) {
            own.resources.push_back(names.resource(resource));
        }
        for (const RequestField& flavor : group["flavors"].items()) {
            const kueue::FlavorId id = names.flavor(flavor["name"].text());
            own.flavors.push_back(id);
            for (const auto& [name, quota] : flavor["quota"].entries()) {
                const kueue::ResourceId resource = names.resource(name);
                read.quotas.insert_or_assign({id, resource}, read_quota(quota, name));
                if (std::ranges::find(own.resources, resource) == own.resources.end()) {
                    own.resources.push_back(resource);
                }
            }
        }
    }
    return read;
}

kueue::PreemptionPolicy read_policy(const RequestField& field) {
    // In the order of the enumerators; a text that is empty is none that an object may have.
    return field.is_present()
               ? static_cast<kueue::PreemptionPolicy>(field.choice(
                     {"Never", "", "LowerPriority", "LowerOrNewerEqualPriority", "Any"}))
               : kueue::PreemptionPolicy::never;
}

kueue::PreemptionPolicies read_preemption(const RequestField& field) {
    kueue::PreemptionPolicies read;
    read.within_cluster_queue = read_policy(field["withinClusterQueue"]);
    read.reclaim_within_cohort = read_policy(field["reclaimWithinCohort"]);
    const RequestField borrow = field["borrowWithinCohort"];
    const RequestField policy = borrow["policy"];
    read.borrow_within_cohort.allowed =
        policy.is_present() && policy.choice({"Never", "", "LowerPriority"}) != 0;
    const RequestField threshold = borrow["maxPriorityThreshold"];
    if (threshold.is_present()) {
        read.borrow_within_cohort.max_priority_threshold = threshold.whole(INT64_MIN);
    }
    return read;
}

kueue::FlavorFungibility read_fungibility(const RequestField& field) {
    kueue::FlavorFungibility read;
    if (const RequestField borrow = field["whenCanBorrow"]; borrow.is_present()) {
        read.borrow_tries_next =
            borrow.choice({"", "Borrow", "MayStopSearch", "TryNextFlavor"}) == 3;
    }
    if (const RequestField preempt = field["whenCanPreempt"]; preempt.is_present()) {
        read.preempt_tries_next =
            preempt.choice({"", "Preempt", "MayStopSearch", "TryNextFlavor"}) == 3;
    }
    if (const RequestField preference = field["preference"]; preference.is_present()) {
        read.prefers_preemption =
            preference.choice({"", "BorrowingOverPreemption", "PreemptionOverBorrowing"}) == 2;
    }
    return read;
}

double read_weight(const RequestField& field) {
    return field.is_present() ? field.number(0) : 1;
}

kueue::ClusterQueue read_queue(const RequestField& field, std::string name, kueue::Names& names) {
    kueue::ClusterQueue queue;
    queue.name = std::move(name);
    queue.cohort = field["cohort"].text_or("");
    Groups groups = read_groups(field["groups"], names);
    queue.quotas = std::move(groups.quotas);
    queue.groups = std::move(groups.groups);
    queue.preemption = read_preemption(field["preemption"]);
    queue.fungibility = read_fungibility(field["fungibility"]);
    const RequestField strategy = field["strategy"];
    if (strategy.is_present()) {
        queue.strategy =
            static_cast<kueue::QueueingStrategy>(strategy.choice({"BestEffortFIFO", "StrictFIFO"}));
    }
    queue.weight = read_weight(field["weight"]);
    queue.generation = field["generation"].whole_or(1, 0);
    queue.stop =
        field["stopped"].boolean_or(false) ? kueue::StopPolicy::hold : kueue::StopPolicy::none;
    return queue;
}

}  // namespace

kueue::CacheSpec read_kueue_objects(const RequestField& request) {
    kueue::CacheSpec read;
    read.configuration = read_configuration(request);
    NamesOnce flavors;
    for (const RequestField& field : request["flavors"].items()) {
        const kueue::FlavorId flavor = read.names.flavor(flavors.read(field));
        read.flavors[flavor] = {field["nodeLabels"].labels(),
                                read_taints(field["taints"]),
                                read_tolerations(field["tolerations"])};
    }
    NamesOnce cohorts;
    for (const RequestField& field : request["cohorts"].items()) {
        kueue::Cohort& cohort = read.cohorts.emplace_back();
        cohort.name = cohorts.read(field);
        cohort.parent = field["parent"].text_or("");
        cohort.quotas = read_groups(field["groups"], read.names).quotas;
        cohort.weight = read_weight(field["weight"]);
    }
    NamesOnce queues;
    for (const RequestField& field : request["clusterQueues"].items()) {
        std::string name = queues.read(field);
        read.queues.push_back(read_queue(field, std::move(name), read.names));
    }
    return read;
}

}  // namespace berth::experiments
