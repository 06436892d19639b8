#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/kueue/cycle.hpp"
#include "core/kueue/pending_queues.hpp"
#include "experiments/program/requests/kueue.hpp"
#include "experiments/program/requests/kueue_objects.hpp"
#include "experiments/program/requests/kueue_workload.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;

using Workloads = std::vector<kueue::Workload>;

/// The workloads of a list, whose names differ.
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

/// Refuses what a workload holds of a flavor that nothing else speaks of.
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
    for (std::size_t i = 0; i < workloads.size(); ++i) {
        kueue::Workload& workload = workloads[i];
        workload.queue = cache.find_queue(workload.queue_name);
        if (!workload.queue) {
            list.items()[i]["cq"].fail("one of clusterQueues");
        }
        if (!list.json()[i].contains("reserved")) {
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
    Json out{{"workload", entry.workload->name}, {"clusterQueue", entry.workload->queue_name}};
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

Json answer_kueue_cycle(const Json& json) {
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
    return {{"decisions", std::move(decisions)}};
}

}  // namespace berth::experiments
