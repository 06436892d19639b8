#include "schedulers/kube/requests/kube.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/request_field.hpp"
#include "schedulers/kube/decide/decider.hpp"
#include "schedulers/kube/decide/preemption.hpp"
#include "schedulers/kube/documents/kube_objects.hpp"
#include "schedulers/kube/requests/kube_claims.hpp"
#include "schedulers/kube/requests/kube_devices.hpp"

namespace berth::experiments {
namespace {

namespace kube = core::kube;

std::string kube_answer(const RequestValue& request) {
    const RequestField kind = RequestField(request)["kind"];
    switch (kind.choice({"schedule", "preempt", "sequence", "dra", "List"})) {
        case 2:
            return dumped(answer_kube_sequence(request));
        case 3:
            return answer_kube_devices(request);
        case 4:
            return dumped(answer_kube_list(request));
        default:
            return dumped(answer_kube_cycle(request));
    }
}

Json verdict_of(const kube::Verdict& verdict) {
    Json answer{{"code", to_string(verdict.code)}};
    if (!verdict.is_success()) {
        answer["plugin"] = verdict.plugin;
        answer["reasons"] = verdict.reasons;
    }
    return answer;
}

Json verdicts_of(const std::map<std::string, kube::Verdict>& verdicts) {
    NamedValues answer(verdicts.size());
    for (const auto& [node, verdict] : verdicts) {
        answer.add(node, verdict_of(verdict));
    }
    return answer.take();
}

Json names_of(const std::vector<const kube::CountedPod*>& pods) {
    Json names = Json::array();
    for (const kube::CountedPod* pod : pods) {
        names.push_back(pod->pod.name);
    }
    return names;
}

Json prefilter_of(const kube::PreFilter& prefilter) {
    Json answer{{"code", to_string(prefilter.verdict.code)}};
    if (!prefilter.verdict.is_success()) {
        answer["reasons"] = prefilter.verdict.reasons;
    }
    if (!prefilter.plugins.empty()) {
        answer["plugins"] = prefilter.plugins;
    }
    if (prefilter.nodes) {
        answer["nodes"] = *prefilter.nodes;
    }
    return answer;
}

/// The verdict of every node that PreFilter leaves, whether the search reaches it or not.
Json all_verdicts(const kube::Pod& pod,
                  const kube::Cluster& cluster,
                  const kube::PreFilter& prefilter) {
    NamedValues answer(cluster.nodes().size());
    for (const kube::NodeState& node : cluster.nodes()) {
        const std::string& name = node.node().name;
        if (!prefilter.nodes || prefilter.nodes->contains(name)) {
            answer.add(
                name, verdict_of(kube::filter_with_nominated(pod, node, prefilter.state, cluster)));
        }
    }
    return answer.take();
}

Json names_at(const std::vector<std::size_t>& nodes, const kube::Cluster& cluster) {
    Json names = Json::array();
    for (const std::size_t node : nodes) {
        names.push_back(cluster.nodes()[node].node().name);
    }
    return names;
}

/// A number for each node.
Json by_node(const std::vector<std::size_t>& nodes,
             const std::vector<std::int64_t>& numbers,
             const kube::Cluster& cluster) {
    NamedValues answer(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        answer.add(cluster.nodes()[nodes[i]].node().name, numbers[i]);
    }
    return answer.take();
}

void add_choice(const kube::Pod& pod,
                kube::Cluster& cluster,
                const kube::Feasible& found,
                Json& answer) {
    const std::vector<std::size_t>& nodes = found.nodes;
    std::size_t chosen = 0;
    std::vector<std::size_t> best = nodes;
    Json scores = NamedValues(kube::score_plugin_names.size()).take();
    Json total;
    if (nodes.size() > 1) {
        const kube::Scores scored = kube::score(pod, cluster, nodes);
        for (std::size_t plugin = 0; plugin < scored.by_plugin.size(); ++plugin) {
            if (const auto& points = scored.by_plugin[plugin]) {
                scores[std::string(kube::score_plugin_names[plugin])] =
                    by_node(nodes, *points, cluster);
            }
        }
        total = by_node(nodes, scored.total, cluster);
        chosen = kube::choose(scored.total);
        const std::int64_t most = std::ranges::max(scored.total);
        best.clear();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (scored.total[i] == most) {
                best.push_back(nodes[i]);
            }
        }
    }
    answer["feasibleCount"] = nodes.size();
    answer["evaluated"] = nodes.size() + found.diagnosis.verdicts.size();
    if (nodes.size() > 1) {
        answer["scores"] = std::move(scores);
        answer["total"] = std::move(total);
    }
    answer["best"] = names_at(best, cluster);
    answer["chosen"] = cluster.nodes()[nodes[chosen]].node().name;
}

Json preemption_of(const kube::Preemption& preemption) {
    Json answer{{"eligible", preemption.not_eligible.empty()}};
    if (!preemption.not_eligible.empty()) {
        answer["why"] = preemption.not_eligible;
        answer["nominated"] = nullptr;
    } else if (preemption.has_potential) {
        Json& candidates = answer["candidates"] = Json::array();
        std::map<std::string, const kube::PreemptionCandidate*> by_node;
        for (const kube::PreemptionCandidate& candidate : preemption.candidates) {
            by_node.emplace(candidate.node, &candidate);
        }
        for (const auto& [node, candidate] : by_node) {
            candidates.push_back({{"node", node},
                                  {"victims", names_of(candidate->victims)},
                                  {"pdbViolations", candidate->violations}});
        }
    }
    if (!preemption.best.empty()) {
        std::map<std::string, Json> victims;
        for (const kube::PreemptionCandidate* candidate : preemption.best) {
            victims[candidate->node] = names_of(candidate->victims);
        }
        Json& nodes = answer["nodes"] = Json::array();
        for (const auto& [node, names] : victims) {
            nodes.push_back(node);
        }
        answer["victims"] = victims;
    } else if (preemption.not_eligible.empty()) {
        if (preemption.has_potential) {
            answer["dryRun"] = verdicts_of(preemption.dry_run);
        }
        answer["nominated"] = "";
    }
    answer["message"] = preemption.message;
    return answer;
}

void add_failure(const kube::Pod& pod,
                 const kube::Cluster& cluster,
                 const kube::Feasible& found,
                 Json& answer) {
    const kube::Preemption preemption = kube::preempt(pod, cluster, found);
    const std::size_t nodes = cluster.nodes().size();
    answer["explicit"] = verdicts_of(found.diagnosis.verdicts);
    answer["unschedulablePlugins"] = found.diagnosis.plugins;
    answer["fitError"] = kube::fit_error(nodes, found.diagnosis);
    answer["preemption"] = preemption_of(preemption);
    answer["event"] = kube::fit_error(nodes, found.diagnosis, preemption.message);
}

/// Reads the cluster of a request, with the devices that it may have.
kube::ClusterObjects read_cluster(const RequestField& request) {
    kube::ClusterObjects objects = read_kube_cluster(request);
    objects.devices = read_inventory(request);
    return objects;
}

/// The search, and what follows from it: a choice, or the search for victims.
void add_cycle(const kube::Pod& pod, kube::Cluster& cluster, Json& answer) {
    const kube::Feasible found = kube::find_feasible(pod, cluster);
    answer["preFilter"] = prefilter_of(found.prefilter);
    if (found.prefilter.verdict.is_success()) {
        answer["nodes"] = all_verdicts(pod, cluster, found.prefilter);
    }
    if (found.nodes.empty()) {
        add_failure(pod, cluster, found, answer);
        return;
    }
    add_choice(pod, cluster, found, answer);
    if (!pod.claims.empty()) {
        const auto chosen = cluster.find(answer["chosen"].get<std::string>());
        cluster.reserve_claims(pod, *chosen);
        answer["devices"] = devices_of(pod, cluster.claims());
    }
}

}  // namespace

std::string answer_kube_request(std::string_view request) {
    return answer_line(request, &kube_answer);
}

Json answer_kube_cycle(const RequestValue& json) {
    const RequestField request(json);
    kube::ClusterObjects objects = read_cluster(request);
    const kube::Pod pod = read_claiming_pod(request["pod"], objects.devices != nullptr);
    kube::Cluster cluster(std::move(objects));
    Json answer = NamedValues(16).take();
    Json& order = answer["nodeOrder"] = Json::array();
    for (const kube::NodeState& node : cluster.nodes()) {
        order.push_back(node.node().name);
    }
    if (cluster.nodes().empty()) {
        answer["error"] = "no nodes available to schedule pods";
        return answer;
    }
    if (const std::string gated = cluster.claims().why_gated(pod); !gated.empty()) {
        answer["error"] = gated;
        return answer;
    }
    try {
        add_cycle(pod, cluster, answer);
    } catch (const kube::CycleError& error) {
        answer["error"] = error.what();
    }
    return answer;
}

Json answer_kube_sequence(const RequestValue& json) {
    const RequestField request(json);
    kube::ClusterObjects objects = read_cluster(request);
    const bool has_devices = objects.devices != nullptr;
    kube::Cluster cluster(std::move(objects));
    kube::Decider decider(cluster);
    Json devices = Json::array();
    Json hosts = Json::array();
    Json evaluated = Json::array();
    Json feasible = Json::array();
    const auto add = [&](Json host, std::size_t looked_at, std::int64_t count) {
        devices.push_back(nullptr);
        hosts.push_back(std::move(host));
        evaluated.push_back(looked_at);
        feasible.push_back(count);
    };
    for (const RequestField& field : request["pending"].items()) {
        kube::Pod pod = read_claiming_pod(field, has_devices);
        if (cluster.nodes().empty() || !cluster.claims().why_gated(pod).empty()) {
            add(nullptr, 0, -1);
            continue;
        }
        try {
            const auto decided = decider.decide(pod);
            const auto* const choice = std::get_if<kube::Choice>(&decided);
            if (choice == nullptr) {
                add(nullptr, cluster.nodes().size(), 0);
                continue;
            }
            pod.node_name = cluster.nodes()[choice->node].node().name;
            add(pod.node_name, choice->evaluated, static_cast<std::int64_t>(choice->feasible));
            if (!pod.claims.empty()) {
                cluster.reserve_claims(pod, choice->node);
                devices.back() = devices_of(pod, cluster.claims());
            }
            cluster.place(std::move(pod), choice->node);
        } catch (const kube::CycleError&) {
            add(nullptr, cluster.nodes().size(), -1);
        }
    }
    Json answer{{"hosts", std::move(hosts)},
                {"evaluated", std::move(evaluated)},
                {"feasible", std::move(feasible)}};
    if (has_devices) {
        answer["devices"] = std::move(devices);
    }
    return answer;
}

}  // namespace berth::experiments
