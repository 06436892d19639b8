#include "schedulers/kube/decide/pod_class_index.hpp"

#include <algorithm>
#include <utility>

namespace berth::core::kube {
namespace {

bool is_alike(const Container& a, const Container& b) {
    return a.image == b.image && a.is_sidecar == b.is_sidecar && a.requests == b.requests;
}

bool are_alike(const std::vector<Container>& a, const std::vector<Container>& b) {
    return std::ranges::equal(
        a, b, [](const Container& one, const Container& other) { return is_alike(one, other); });
}

RankedNumbers rank(std::size_t nodes, const auto& number_of) {
    std::vector<RankedNumbers::Number> numbers(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
        numbers[node] = number_of(node);
    }
    return RankedNumbers(numbers);
}

}  // namespace

bool asks_each_node_alone(const Pod& pod) {
    const bool names_nodes =
        pod.required_nodes && std::ranges::any_of(*pod.required_nodes, [](const NodeTerm& term) {
            return !term.conditions.fields.empty();
        });
    return pod.spread.empty() && pod.required_affinity.empty() &&
           pod.required_anti_affinity.empty() && pod.preferred_affinity.empty() &&
           pod.preferred_anti_affinity.empty() && !names_nodes && pod.node_name.empty() &&
           pod.nominated_node.empty() && pod.statuses.empty() && host_ports(pod).empty() &&
           fault_of_preferences(pod).empty();
}

bool is_alike(const Pod& a, const Pod& b) {
    return are_alike(a.containers, b.containers) &&
           are_alike(a.init_containers, b.init_containers) && a.image_volumes == b.image_volumes &&
           a.overhead == b.overhead && a.pod_level_requests == b.pod_level_requests &&
           a.node_selector == b.node_selector && a.required_nodes == b.required_nodes &&
           a.preferred_nodes == b.preferred_nodes && a.tolerations == b.tolerations;
}

PodClassIndex::PodClassIndex(Pod pod, Cluster& cluster)
    : cluster_(cluster), pod_(std::move(pod)), scores_(pod_, cluster), totals_({}) {
    state_.requests = amounts_of(requests_of(pod_, {}));
    for (const NodeState& node : cluster.nodes()) {
        fixed_.push_back({scores_.images(node) * weight(ScorePlugin::image_locality),
                          {scores_.taints(node), scores_.preference(node)}});
    }
    look_at_all();
}

std::int64_t PodClassIndex::weight(ScorePlugin plugin) const {
    return cluster_.configuration().weights[static_cast<std::size_t>(plugin)];
}

/// The weighted scores of a node that are not normalised by those of others, if it is feasible.
PodClassIndex::Number PodClassIndex::points(std::size_t position) const {
    const NodeState& node = cluster_.nodes()[position];
    if (!filter(pod_, node, state_, cluster_.configuration()).is_success()) {
        return std::nullopt;
    }
    std::int64_t sum =
        fixed_[position].images + scores_.fit(node) * weight(ScorePlugin::resources_fit);
    if (scores_.has_balance()) {
        sum += scores_.balance(node) * weight(ScorePlugin::balanced_allocation);
    }
    return sum;
}

PodClassIndex::Number PodClassIndex::total(std::size_t node) const {
    if (!points_[node]) {
        return std::nullopt;
    }
    const RawScores& raw = fixed_[node].raw;
    return *points_[node] +
           points_for_few(raw.taints, greatest_.taints) * weight(ScorePlugin::taint_toleration) +
           points_for_many(raw.preference, greatest_.preference) *
               weight(ScorePlugin::node_affinity);
}

PodClassIndex::Number PodClassIndex::raw(std::size_t node, std::int64_t RawScores::* plugin) const {
    return points_[node] ? Number(fixed_[node].raw.*plugin) : std::nullopt;
}

void PodClassIndex::look_at_all() {
    const std::size_t nodes = cluster_.nodes().size();
    changes_seen_ = cluster_.changes().size();
    points_.resize(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
        points_[node] = points(node);
    }
    totals_ = rank(nodes, [&](std::size_t node) { return total(node); });
    const auto rank_raw = [&](std::int64_t RawScores::* plugin) -> std::optional<RankedNumbers> {
        if (std::ranges::all_of(fixed_,
                                [&](const auto& fixed) { return fixed.raw.*plugin == 0; })) {
            return std::nullopt;
        }
        return rank(nodes, [&](std::size_t node) { return raw(node, plugin); });
    };
    taints_ = rank_raw(&RawScores::taints);
    preferences_ = rank_raw(&RawScores::preference);
}

void PodClassIndex::look_at(std::size_t node) {
    points_[node] = points(node);
    totals_.set(node, total(node));
    if (taints_) {
        taints_->set(node, raw(node, &RawScores::taints));
    }
    if (preferences_) {
        preferences_->set(node, raw(node, &RawScores::preference));
    }
}

void PodClassIndex::catch_up() {
    const std::vector<std::size_t>& changes = cluster_.changes();
    if (changes.size() - changes_seen_ >= cluster_.nodes().size()) {
        look_at_all();
    }
    for (; changes_seen_ < changes.size(); ++changes_seen_) {
        look_at(changes[changes_seen_]);
    }
}

/// Computes the totals of all nodes anew if other raw scores are the greatest of an arc.
void PodClassIndex::normalise_for(RankedNumbers::Arc arc) {
    const RawScores greatest{taints_ ? taints_->greatest(arc) : 0,
                             preferences_ ? preferences_->greatest(arc) : 0};
    if (greatest != greatest_) {
        greatest_ = greatest;
        totals_ = rank(points_.size(), [&](std::size_t node) { return total(node); });
    }
}

std::optional<Choice> PodClassIndex::choose() {
    catch_up();
    const std::size_t nodes = cluster_.nodes().size();
    const std::size_t feasible = totals_.size();
    if (feasible == 0) {
        return std::nullopt;
    }
    const std::size_t enough =
        nodes_to_find(nodes, cluster_.configuration().percentage_of_nodes_to_score);
    const RankedNumbers::Arc found{totals_.rank_of(cluster_.next_start) % feasible,
                                   std::min(enough, feasible)};
    normalise_for(found);
    Choice choice{totals_.position_of(totals_.choose(found)), found.count, nodes};
    if (feasible > enough) {
        // The search ends at the first feasible node that is one too many.
        const std::size_t end = totals_.position_of((found.first + found.count) % feasible);
        choice.evaluated = (end + nodes - cluster_.next_start) % nodes;
        cluster_.next_start = end;
    }
    return choice;
}

}  // namespace berth::core::kube
