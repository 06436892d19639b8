#include "schedulers/kueue/requests/kueue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "experiments/program/support/request_field.hpp"
#include "schedulers/kueue/decide/cache.hpp"
#include "schedulers/kueue/decide/cycle.hpp"
#include "schedulers/kueue/decide/pending_queues.hpp"
#include "schedulers/kueue/requests/kueue_fields.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;
using Workloads = std::vector<kueue::Workload>;

Json kueue_answer(const RequestValue& request) {
    constexpr std::array answers{&answer_kueue_cycle, &answer_kueue_topology};
    const RequestField kind = RequestField(request)["kind"];
    return answers[kind.choice({"cycle", "topology-assignment"})](request);
}

/// Reads the names of one kind of objects, which must be distinct.
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
        admission.is_present() && (admission.value().is_map() ? !admission.value().members().empty()
                                                              : admission.boolean_or(false));
    const RequestField check = request["quotaCheckStrategy"];
    read.ignore_undeclared =
        check.is_present() && check.choice({"BlockUndeclared", "IgnoreUndeclared"}) == 1;
    const RequestField timestamp = request["podsReadyRequeuingTimestamp"];
    read.requeue_by_eviction =
        !timestamp.is_present() || timestamp.choice({"Eviction", "Creation"}) == 0;
    return read;
}

/// Reads `[nominal, borrowingLimit, lendingLimit]`, or only nominal. Both limits may be null or
/// omitted.
kueue::Quota read_quota(const RequestField& field, std::string_view resource) {
    if (!field.is_present() || !field.value().is_list()) {
        return {read_kueue_amount(field, resource), std::nullopt, std::nullopt};
    }
    const std::vector<RequestField> parts = field.items();
    if (parts.empty() || parts.size() > 3) {
        field.fail("nominal, borrowing limit and lending limit");
    }
    const auto limit = [&](std::size_t i) {
        return i < parts.size() && parts[i].is_present()
                   ? std::optional(read_kueue_amount(parts[i], resource))
                   : std::nullopt;
    };
    return {read_kueue_amount(parts.front(), resource), limit(1), limit(2)};
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
    // The policies in the order of the enumerators; the empty text is in the place of one that
    // objects cannot have.
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

/// Reads the objects in a request of kind `cycle`: flavors, cohorts, ClusterQueues, and the
/// settings for all of them.
/// Errors: RequestError.
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

/// Reads the workloads of a list, whose names must be distinct.
Workloads read_workloads(const RequestField& list, kueue::CacheSpec& spec) {
    Workloads read;
    std::set<std::string> names;
    for (const RequestField& field : list.items()) {
        read.push_back(read_kueue_workload(field, spec.configuration.gates, spec.names));
        if (!names.insert(read.back().name).second) {
            field["name"].fail("a name that no other has");
        }
    }
    return read;
}

/// Refuses a workload that holds resources of a flavor that occurs nowhere else.
void check_flavors(const Workloads& admitted, const kueue::CacheSpec& spec) {
    std::set<kueue::FlavorId> known;
    for (const auto& [flavor, object] : spec.flavors) {
        known.insert(flavor);
    }
    for (const kueue::ClusterQueue& queue : spec.queues) {
        for (const auto& [what, quota] : queue.quotas) {
            known.insert(what.flavor);
        }
    }
    for (std::size_t i = 0; i < admitted.size(); ++i) {
        for (const kueue::PodSetResources& set : admitted[i].totals) {
            for (const auto& [resource, flavor] : set.flavors) {
                if (!known.contains(flavor)) {
                    throw RequestError(
                        fmt::format("admitted[{}] holds the unknown flavor '{}': expected one of "
                                    "flavors or of clusterQueues",
                                    i,
                                    spec.names[flavor]));
                }
            }
        }
    }
}

void add_admitted(Workloads workloads, kueue::Cache& cache, const RequestField& list) {
    const std::vector<RequestField> fields = list.items();
    for (std::size_t i = 0; i < workloads.size(); ++i) {
        kueue::Workload& workload = workloads[i];
        workload.queue = cache.find_queue(workload.queue_name);
        if (!workload.queue) {
            fields[i]["cq"].fail("one of clusterQueues");
        }
        if (!fields[i].value().contains("reserved")) {
            workload.reserved = kueue::Time{};
            workload.holds_quota = true;
        }
        cache.add_workload(std::move(workload));
    }
}

Json pod_sets_of(const kueue::Assignment& assignment, const kueue::Names& names) {
    Json sets = Json::array();
    for (const kueue::PodSetAssignment& set : assignment.pod_sets) {
        std::map<std::string, std::string> flavors;
        for (const auto& [resource, flavor] : set.flavors) {
            flavors[names[resource]] = names[flavor.flavor];
        }
        sets.push_back({{"name", set.name}, {"count", set.count}, {"flavors", flavors}});
    }
    return sets;
}

Json targets_of(const std::vector<kueue::Target>& targets, const kueue::Cache& cache) {
    constexpr std::array reasons{"InClusterQueue",
                                 "InCohortReclamation",
                                 "InCohortFairSharing",
                                 "InCohortReclaimWhileBorrowing"};
    std::vector<std::pair<std::string, std::string>> names;
    for (const kueue::Target& target : targets) {
        names.emplace_back(cache.workload(target.workload).name,
                           reasons[static_cast<std::size_t>(target.reason)]);
    }
    std::ranges::sort(names);
    Json out = Json::array();
    for (const auto& [name, reason] : names) {
        out.push_back(Json::array({name, reason}));
    }
    return out;
}

Json decision_of(const kueue::Entry& entry, const kueue::Cache& cache) {
    Json out = NamedValues(12).take();
    out["workload"] = entry.workload->name;
    out["clusterQueue"] = entry.workload->queue_name;
    if (entry.is_admitted()) {
        const kueue::Assignment& assignment = entry.nomination->assignment;
        out["decision"] = "admitted";
        out["podSets"] = pod_sets_of(assignment, cache.names());
        out["borrowing"] = assignment.height;
        return out;
    }
    out["decision"] = "pending";
    out["status"] = to_string(entry.status);
    out["message"] = entry.message;
    out["reason"] = entry.reason;
    out["requeue"] = is_offered_again(entry, cache) ? "active" : "inadmissible";
    out["requeueReason"] = to_string(entry.requeue);
    if (entry.nomination) {
        out["mode"] = to_string(entry.mode());
        if (entry.preempts()) {
            out["preempts"] = targets_of(entry.nomination->targets, cache);
            out["podSets"] = pod_sets_of(entry.nomination->assignment, cache.names());
        }
    }
    return out;
}

}  // namespace

std::string answer_kueue_request(std::string_view request) {
    return answer_line(request, &kueue_answer);
}

Json answer_kueue_cycle(const RequestValue& json) {
    const RequestField request(json);
    kueue::CacheSpec spec = read_kueue_objects(request);
    Workloads admitted = read_workloads(request["admitted"], spec);
    Workloads pending = read_workloads(request["pending"], spec);
    check_flavors(admitted, spec);
    const RequestField now = request["now"];
    const kueue::Time time =
        now.is_present() ? read_kueue_time(now) : kueue::Time{1'000'000'000, 0};

    kueue::Cache cache(std::move(spec));
    add_admitted(std::move(admitted), cache, request["admitted"]);
    kueue::PendingQueues queues(kueue::WorkloadOrder(cache.configuration(), time));
    for (kueue::Workload& workload : pending) {
        workload.queue = cache.find_queue(workload.queue_name);
        queues.add(std::move(workload));
    }
    kueue::Cycle cycle(cache, time, request["cycle"].whole_or(1, 0));
    Json decisions = Json::array();
    for (const kueue::Entry& entry : cycle.run(queues.heads(cache))) {
        decisions.push_back(decision_of(entry, cache));
    }
    Json answer = NamedValues(1).take();
    answer["decisions"] = std::move(decisions);
    return answer;
}

}  // namespace berth::experiments
