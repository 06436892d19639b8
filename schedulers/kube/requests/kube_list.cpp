#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/program/support/request_field.hpp"
#include "schedulers/kube/decide/decider.hpp"
#include "schedulers/kube/decide/preemption.hpp"
#include "schedulers/kube/decide/smallest_change.hpp"
#include "schedulers/kube/documents/kube_objects.hpp"
#include "schedulers/kube/requests/kube.hpp"
#include "schedulers/kube/requests/kube_change.hpp"
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

/// Whether a pod has a volume that must be somewhere.
bool has_bound_volume(const RequestField& spec) {
    return std::ranges::any_of(spec["volumes"].items(), [](const RequestField& volume) {
        return volume["persistentVolumeClaim"].is_present() || volume["ephemeral"].is_present();
    });
}

/// The objects of a list.
class ListedObjects {
public:
    explicit ListedObjects(const RequestField& list) {
        std::vector<std::pair<std::int64_t, RequestField>> items;
        for (const RequestField& item : list["items"].items()) {
            if (item["kind"].text() == "KubeSchedulerConfiguration") {
                read_configuration(item);
            } else {
                items.emplace_back(creation_of(item), item);
            }
        }
        objects_.read().configuration.version = read_kube_version(list["version"]);
        std::ranges::stable_sort(items, {}, [](const auto& item) { return item.first; });
        for (const auto& [time, item] : items) {
            const std::string kind = item["kind"].text();
            if (kind == "Pod") {
                add_pod(item);
            } else if (!objects_.add(kind, item)) {
                ++not_considered_[kind];
            }
        }
        // kube-scheduler takes the highest priority first, then the pod that waits longest.
        std::ranges::stable_sort(
            waiting_, std::ranges::greater(), [](const kube::Pod& pod) { return pod.priority; });
    }

    [[nodiscard]] kube::ClusterObjects take_cluster() { return std::move(objects_.read()); }
    [[nodiscard]] std::vector<kube::Pod> take_waiting() { return std::move(waiting_); }
    [[nodiscard]] const std::map<std::string, std::int64_t>& not_considered() const {
        return not_considered_;
    }

private:
    void read_configuration(const RequestField& item) {
        KubeProfile profile = read_kube_profile(item);
        note("extenders", profile.extenders);
        note("profiles", profile.more_profiles);
        note("plugins", profile.plugins_without_effect);
        scheduler_ = std::move(profile.scheduler_name);
        objects_.read().configuration = std::move(profile.configuration);
    }

    void add_pod(const RequestField& item) {
        const std::string phase = item["status"]["phase"].text_or("");
        if (phase == "Succeeded" || phase == "Failed") {
            return;
        }
        kube::Pod pod = read_kube_pod(item);
        if (!pod.node_name.empty()) {
            objects_.read().pods.push_back(std::move(pod));
        } else if (!pod.is_terminating) {
            add_waiting(item["spec"], std::move(pod));
        }
    }

    void add_waiting(const RequestField& spec, kube::Pod pod) {
        const bool is_gated = !spec["schedulingGates"].items().empty();
        const bool is_of_another = spec["schedulerName"].text_or(scheduler_) != scheduler_;
        note("schedulingGates", is_gated ? 1 : 0);
        note("schedulerName", is_of_another ? 1 : 0);
        if (is_gated || is_of_another) {
            return;  // this scheduler does not look at it
        }
        note("resourceClaims", spec["resourceClaims"].items().empty() ? 0 : 1);
        note("volumes", has_bound_volume(spec) ? 1 : 0);
        if (!pod.nominated_node.empty()) {
            objects_.read().nominated.push_back(pod);
        }
        waiting_.push_back(std::move(pod));
    }

    void note(const char* what, std::size_t count) {
        if (count > 0) {
            not_considered_[what] += static_cast<std::int64_t>(count);
        }
    }

    KubeObjects objects_;
    std::string scheduler_ = "default-scheduler";
    std::vector<kube::Pod> waiting_;
    std::map<std::string, std::int64_t> not_considered_;
};

std::string full_name(const kube::Pod& pod) {
    return fmt::format("{}/{}", pod.name_space, pod.name);
}

/// Adds why no node is feasible, who would be preempted, and which change would help. The pod then
/// waits for the room of those that would be preempted.
void add_failure(kube::Pod pod,
                 kube::Cluster& cluster,
                 kube::ChangeFinder& changes,
                 const kube::Feasible& found,
                 Json& answer) {
    const kube::Preemption preemption = kube::preempt(pod, cluster, found);
    answer["message"] =
        kube::fit_error(cluster.nodes().size(), found.diagnosis, preemption.message);
    const kube::ChangeSearch& search = changes.find(pod, found, !preemption.best.empty());
    if (preemption.not_eligible.empty()) {  // its nomination is another one, or none
        cluster.withdraw(pod.uid);
    }
    if (preemption.best.empty()) {
        add_change(search, pod, answer);
        return;
    }
    const kube::PreemptionCandidate& best = *preemption.best.front();
    Json victims = Json::array();
    for (const kube::CountedPod* victim : best.victims) {
        victims.push_back(full_name(victim->pod));
    }
    answer["preempts"] = {{"node", best.node}, {"victims", std::move(victims)}};
    add_change(search, pod, answer);
    pod.nominated_node = best.node;
    cluster.nominate(std::move(pod));
}

/// What becomes of one pod. It is placed if a node is chosen. Where others would be preempted for
/// it, they stay, and pods of a lower priority leave the room to it.
Json outcome_of(kube::Pod pod,
                kube::Cluster& cluster,
                kube::Decider& decider,
                kube::ChangeFinder& changes) {
    Json answer{{"namespace", pod.name_space}, {"name", pod.name}, {"node", nullptr}};
    if (cluster.nodes().empty()) {
        answer["message"] = "no nodes available to schedule pods";
        return answer;
    }
    try {
        const auto decided = decider.decide(pod);
        if (const auto* const found = std::get_if<kube::Feasible>(&decided)) {
            add_failure(std::move(pod), cluster, changes, *found, answer);
            return answer;
        }
        const std::size_t node = std::get<kube::Choice>(decided).node;
        pod.node_name = cluster.nodes()[node].node().name;
        answer["node"] = pod.node_name;
        answer["message"] =
            fmt::format("Successfully assigned {} to {}", full_name(pod), pod.node_name);
        cluster.place(std::move(pod), node);
    } catch (const kube::CycleError& error) {
        answer["message"] = error.what();
    }
    return answer;
}

}  // namespace

Json answer_kube_list(const RequestValue& json) {
    ListedObjects objects{RequestField(json)};
    kube::Cluster cluster(objects.take_cluster());
    kube::Decider decider(cluster);
    kube::ChangeFinder changes(cluster);
    Json pods = Json::array();
    for (kube::Pod& pod : objects.take_waiting()) {
        pods.push_back(outcome_of(std::move(pod), cluster, decider, changes));
    }
    return {{"pods", std::move(pods)}, {"notConsidered", objects.not_considered()}};
}

}  // namespace berth::experiments
