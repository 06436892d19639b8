#include "schedulers/kube/decide/scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "schedulers/kube/decide/node_scores.hpp"
#include "schedulers/kube/decide/pod_affinity.hpp"
#include "schedulers/kube/decide/topology_spread.hpp"

namespace berth::core::kube {
namespace {

using Points = std::vector<std::int64_t>;

/// Scores in proportion to the greatest; the other way round if less is better.
Points in_proportion(Points raw, bool less_is_better) {
    const std::int64_t most = std::ranges::max(raw);
    for (std::int64_t& score : raw) {
        score = less_is_better ? points_for_few(score, most) : points_for_many(score, most);
    }
    return raw;
}

}  // namespace

Scores score(const Pod& pod, Cluster& cluster, const std::vector<std::size_t>& nodes) {
    if (const std::string fault = fault_of_preferences(pod); !fault.empty()) {
        throw CycleError(
            fmt::format("running PreScore plugin \"NodeAffinity\": the pod's "
                        "preferred node affinity cannot be parsed: {}",
                        fault));
    }
    const NodeScores own(pod, cluster);
    const auto ask = [&](std::int64_t (NodeScores::*plugin)(const NodeState&) const) {
        Points points;
        points.reserve(nodes.size());
        for (const std::size_t node : nodes) {
            points.push_back(std::invoke(plugin, own, cluster.nodes()[node]));
        }
        return points;
    };
    Scores scores;
    const auto of = [&](ScorePlugin plugin) -> std::optional<Points>& {
        return scores.by_plugin[static_cast<std::size_t>(plugin)];
    };
    of(ScorePlugin::taint_toleration) = in_proportion(ask(&NodeScores::taints), true);
    if (own.has_preferences()) {
        of(ScorePlugin::node_affinity) = in_proportion(ask(&NodeScores::preference), false);
    }
    of(ScorePlugin::resources_fit) = ask(&NodeScores::fit);
    of(ScorePlugin::topology_spread) = spread_scores(pod, cluster, nodes);
    of(ScorePlugin::pod_affinity) = affinity_scores(pod, cluster, nodes);
    Verdict verdict;
    const std::optional<AskedClaims> claims = cluster.claims().ask(pod, verdict);
    if (claims && claims->has_alternatives()) {
        Points points;
        for (const std::size_t node : nodes) {
            points.push_back(claims->preference(cluster.nodes()[node].node()));
        }
        of(ScorePlugin::dynamic_resources) = in_proportion(std::move(points), false);
    }
    if (own.has_balance()) {
        of(ScorePlugin::balanced_allocation) = ask(&NodeScores::balance);
    }
    of(ScorePlugin::image_locality) = ask(&NodeScores::images);
    scores.total.assign(nodes.size(), 0);
    for (std::size_t plugin = 0; plugin < scores.by_plugin.size(); ++plugin) {
        if (const std::optional<Points>& points = scores.by_plugin[plugin]) {
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                scores.total[i] += (*points)[i] * cluster.configuration().weights[plugin];
            }
        }
    }
    return scores;
}

}  // namespace berth::core::kube
