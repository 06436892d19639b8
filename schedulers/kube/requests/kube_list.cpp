#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiments/program/requests/request_field.hpp"
#include "schedulers/kube/decide/preemption.hpp"
#include "schedulers/kube/requests/kube.hpp"
#include "schedulers/kube/requests/kube_objects.hpp"
#include "workloads/trace/numbers.hpp"

namespace berth::experiments {
namespace {

namespace kube = core::kube;

/// When an object was created, in nanoseconds since 1970; 0 if it does not say.
std::int64_t creation_of(const RequestField& object) {
    const RequestField field = object["metadata"]["creationTimestamp"];
    if (!field.is_present()) {
        return 0;
    }
    const auto time = workloads::parse_date_time(field.text());
    if (!time) {
        field.fail("a date and time such as 2026-01-31T23:59:59Z");
    }
    return time->count();
}

/// What is read of a pod's spec, and is not considered.
constexpr std::array unconsidered{"resourceClaims", "schedulingGates", "volumes"};

/// The objects of a list, as a request of kind `sequence` has them.
class ListedObjects {
public:
    explicit ListedObjects(const RequestField& list) {
        std::vector<std::pair<std::int64_t, RequestField>> items;
        for (const RequestField& item : list["items"].items()) {
            items.emplace_back(creation_of(item), item);
        }
        std::ranges::stable_sort(items, {}, [](const auto& item) { return item.first; });
        for (const auto& [time, item] : items) {
            add(item);
        }
        // kube-scheduler takes the highest priority first, then the pod that waits longest.
        std::ranges::stable_sort(
            waiting_, std::ranges::greater(), [](const kube::Pod& pod) { return pod.priority; });
    }

    [[nodiscard]] const Json& request() const { return request_; }
    std::vector<kube::Pod> take_waiting() { return std::move(waiting_); }
    [[nodiscard]] const std::map<std::string, std::int64_t>& not_considered() const {
        return not_considered_;
    }

private:
    void add(const RequestField& item) {
        static const std::map<std::string, const char*> lists{
            {"Node", "nodes"},
            {"Namespace", "namespaces"},
            {"Service", "services"},
            {"ReplicationController", "replicationcontrollers"},
            {"ReplicaSet", "replicasets"},
            {"StatefulSet", "statefulsets"},
            {"PodDisruptionBudget", "pdbs"}};
        const std::string kind = item["kind"].text();
        if (kind == "Pod") {
            add_pod(item);
        } else if (kind == "KubeSchedulerConfiguration") {
            add_configuration(item);
        } else if (const auto list = lists.find(kind); list != lists.end()) {
            request_[list->second].push_back(item.json());
        } else {
            ++not_considered_[kind];
        }
    }

    /// Adds the configuration of the first profile, as requests have it.
    void add_configuration(const RequestField& item) {
        Json& config = request_["config"] = Json::object();
        if (const RequestField share = item["percentageOfNodesToScore"]; share.is_present()) {
            config["percentageOfNodesToScore"] = share.json();
        }
        const std::vector<RequestField> profiles = item["profiles"].items();
        if (profiles.empty()) {
            return;
        }
        not_considered_["profiles"] += static_cast<std::int64_t>(profiles.size()) - 1;
        for (const RequestField& plugin : profiles.front()["pluginConfig"].items()) {
            if (const RequestField args = plugin["args"]; args.is_present()) {
                config["pluginConfig"][plugin["name"].text()] = args.json();
            }
        }
        for (const auto& [point, plugins] : profiles.front()["plugins"].entries()) {
            not_considered_["plugins"] +=
                static_cast<std::int64_t>(plugins["disabled"].items().size());
            for (const RequestField& plugin : plugins["enabled"].items()) {
                const std::string name = plugin["name"].text();
                const RequestField weight = plugin["weight"];
                if (weight.is_present() && std::ranges::find(kube::score_plugin_names, name) !=
                                               kube::score_plugin_names.end()) {
                    config["weights"][name] = weight.json();
                } else {
                    ++not_considered_["plugins"];
                }
            }
        }
    }

    void add_pod(const RequestField& item) {
        const std::string phase = item["status"]["phase"].text_or("");
        if (phase == "Succeeded" || phase == "Failed") {
            return;
        }
        kube::Pod pod = read_kube_pod(item);
        if (!pod.node_name.empty()) {
            request_["pods"].push_back(item.json());
            return;
        }
        if (pod.is_terminating) {
            return;
        }
        for (const char* field : unconsidered) {
            const RequestField present = item["spec"][field];
            not_considered_[field] += present.is_present() && !present.items().empty() ? 1 : 0;
        }
        if (!item["spec"]["schedulingGates"].items().empty()) {
            return;  // it is not in the queue
        }
        if (!pod.nominated_node.empty()) {
            request_["nominated"].push_back(item.json());
        }
        waiting_.push_back(std::move(pod));
    }

    Json request_ = Json::object();
    std::vector<kube::Pod> waiting_;
    std::map<std::string, std::int64_t> not_considered_;
};

/// What becomes of one pod. It is placed if a node is chosen. Where others would be preempted for
/// it, they stay, and pods of a lower priority leave the room to it.
Json outcome_of(kube::Pod pod, kube::Cluster& cluster) {
    Json answer{{"namespace", pod.name_space}, {"name", pod.name}, {"node", nullptr}};
    if (cluster.nodes().empty()) {
        answer["message"] = "no nodes available to schedule pods";
        return answer;
    }
    const kube::Feasible found = kube::find_feasible(pod, cluster);
    if (found.nodes.empty()) {
        const kube::Preemption preemption = kube::preempt(pod, cluster, found);
        answer["message"] =
            kube::fit_error(cluster.nodes().size(), found.diagnosis, preemption.message);
        if (!preemption.best.empty()) {
            const kube::PreemptionCandidate& best = *preemption.best.front();
            answer["preempts"] = {{"node", best.node}, {"victims", Json::array()}};
            for (const kube::CountedPod* victim : best.victims) {
                answer["preempts"]["victims"].push_back(victim->pod.name);
            }
        }
        if (preemption.not_eligible.empty()) {  // its nomination is another one, or none
            cluster.withdraw(pod.uid);
        }
        if (!preemption.best.empty()) {
            pod.nominated_node = preemption.best.front()->node;
            cluster.nominate(std::move(pod));
        }
        return answer;
    }
    std::size_t chosen = 0;
    try {
        chosen = found.nodes.size() == 1
                     ? 0
                     : kube::choose(kube::score(pod, cluster, found.nodes).total);
    } catch (const kube::CycleError& error) {
        answer["message"] = error.what();
        return answer;
    }
    const std::size_t node = found.nodes[chosen];
    const std::string& name = cluster.nodes()[node].node().name;
    answer["node"] = name;
    answer["message"] = "Successfully assigned " + pod.name_space + "/" + pod.name + " to " + name;
    pod.node_name = name;
    cluster.place(std::move(pod), node);
    return answer;
}

}  // namespace

Json answer_kube_list(const Json& json) {
    ListedObjects objects{RequestField(json)};
    kube::Cluster cluster(read_kube_cluster(RequestField(objects.request())));
    Json pods = Json::array();
    for (kube::Pod& pod : objects.take_waiting()) {
        pods.push_back(outcome_of(std::move(pod), cluster));
    }
    Json left = Json::object();
    for (const auto& [what, count] : objects.not_considered()) {
        if (count > 0) {
            left[what] = count;
        }
    }
    return {{"pods", std::move(pods)}, {"notConsidered", std::move(left)}};
}

}  // namespace berth::experiments
