#include "schedulers/kube/decide/pod_class_index.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "schedulers/kube/decide/pod_affinity.hpp"

namespace berth::core::kube {
namespace {

bool is_alike(const Container& a, const Container& b) {
    return a.image == b.image && a.is_sidecar == b.is_sidecar && a.requests == b.requests;
}

bool are_alike(const std::vector<Container>& a, const std::vector<Container>& b) {
    return std::ranges::equal(
        a, b, [](const Container& one, const Container& other) { return is_alike(one, other); });
}

/// Whether constraints count the same pods for two pods, and count both or neither of them.
bool spread_alike(const Pod& a, const Pod& b, const std::vector<SpreadConstraint>& constraints) {
    return constraints.empty() ||
           (a.name_space == b.name_space && a.spread.empty() == b.spread.empty() &&
            std::ranges::all_of(constraints, [&](const SpreadConstraint& constraint) {
                return constraint.pods.matches(a.labels) == constraint.pods.matches(b.labels);
            }));
}

/// Whether two pods keep the same others away and prefer the same, and others keep away and prefer
/// both alike if they do.
bool meet_alike(const Pod& a, const Pod& b) {
    return a.required_anti_affinity == b.required_anti_affinity &&
           a.preferred_affinity == b.preferred_affinity &&
           a.preferred_anti_affinity == b.preferred_anti_affinity &&
           (!has_terms(a) || (a.name_space == b.name_space && a.labels == b.labels));
}

RankedNumbers rank(std::size_t nodes,
                   const auto& number_of,
                   const std::vector<RankedNumbers::Layer>& layers = {}) {
    std::vector<RankedNumbers::Number> numbers(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
        numbers[node] = number_of(node);
    }
    return RankedNumbers(numbers, layers);
}

}  // namespace

bool asks_each_node_alone(const Pod& pod) {
    const bool names_nodes =
        pod.required_nodes && std::ranges::any_of(*pod.required_nodes, [](const NodeTerm& term) {
            return !term.conditions.fields.empty();
        });
    return pod.required_affinity.empty() && !names_nodes && pod.node_name.empty() &&
           pod.nominated_node.empty() && pod.statuses.empty() && host_ports(pod).empty() &&
           fault_of_preferences(pod).empty();
}

bool is_alike(const Pod& a, const Pod& b, const std::vector<SpreadConstraint>& constraints) {
    return are_alike(a.containers, b.containers) &&
           are_alike(a.init_containers, b.init_containers) && a.image_volumes == b.image_volumes &&
           a.claims == b.claims && (a.claims.empty() || a.name_space == b.name_space) &&
           a.overhead == b.overhead && a.pod_level_requests == b.pod_level_requests &&
           a.node_selector == b.node_selector && a.required_nodes == b.required_nodes &&
           a.preferred_nodes == b.preferred_nodes && a.tolerations == b.tolerations &&
           spread_alike(a, b, constraints) && meet_alike(a, b);
}

PodClassIndex::PodClassIndex(Pod pod, Cluster& cluster)
    : cluster_(cluster),
      pod_(std::move(pod)),
      scores_(pod_, cluster),
      domains_(pod_, cluster),
      company_(pod_, cluster) {
    state_.requests = amounts_of(requests_of(pod_, {}));
    Pod any = pod_;
    any.uid.clear();  // the pod itself may have its claims already
    Verdict verdict;
    state_.claims = cluster.claims().ask(any, verdict);
    for (const NodeState& node : cluster.nodes()) {
        fixed_.push_back({scores_.images(node) * weight(ScorePlugin::image_locality),
                          {scores_.taints(node), scores_.preference(node)}});
        has_taints_ = has_taints_ || fixed_.back().raw.taints != 0;
        has_preferences_ = has_preferences_ || fixed_.back().raw.preference != 0;
    }
    look_at_all();
}

std::int64_t PodClassIndex::weight(ScorePlugin plugin) const {
    return cluster_.configuration().weights[static_cast<std::size_t>(plugin)];
}

/// The weighted scores of a node that are not normalised by those of others, if it is feasible.
PodClassIndex::Number PodClassIndex::points(std::size_t position) {
    const NodeState& node = cluster_.nodes()[position];
    const Verdict verdict = filter(pod_, node, state_, cluster_.configuration());
    has_failed_ = has_failed_ || verdict.code == Code::error;
    if (!verdict.is_success()) {
        return std::nullopt;
    }
    std::int64_t sum =
        fixed_[position].images + scores_.fit(node) * weight(ScorePlugin::resources_fit);
    if (scores_.has_balance()) {
        sum += scores_.balance(node) * weight(ScorePlugin::balanced_allocation);
    }
    return sum;
}

PodClassIndex::Number PodClassIndex::total(std::size_t node, const View& view) const {
    if (!points_[node] || !domains_.has_all(view.open, node)) {
        return std::nullopt;
    }
    const RawScores& raw = fixed_[node].raw;
    return *points_[node] +
           points_for_few(raw.taints, view.greatest.taints) *
               weight(ScorePlugin::taint_toleration) +
           points_for_many(raw.preference, view.greatest.preference) *
               weight(ScorePlugin::node_affinity);
}

PodClassIndex::Number PodClassIndex::raw(std::size_t node,
                                         const View& view,
                                         std::int64_t RawScores::* plugin) const {
    return points_[node] && domains_.has_all(view.open, node) ? Number(fixed_[node].raw.*plugin)
                                                              : std::nullopt;
}

void PodClassIndex::look_at_all() {
    changes_seen_ = cluster_.changes().size();
    points_.resize(cluster_.nodes().size());
    for (std::size_t node = 0; node < points_.size(); ++node) {
        points_[node] = points(node);
        domains_.look_at(node);
        (void)company_.look_at(node);
    }
    views_.clear();
}

void PodClassIndex::look_at(std::size_t node) {
    points_[node] = points(node);
    domains_.look_at(node);
    const std::span<const std::size_t> others = company_.look_at(node);
    for (View& view : views_) {
        look_at(node, view);
        for (const std::size_t other : others) {
            look_at(other, view);
        }
    }
}

void PodClassIndex::look_at(std::size_t node, View& view) const {
    view.totals.set(node, total(node, view), company_.layer_of()[node]);
    if (view.taints) {
        view.taints->set(node, raw(node, view, &RawScores::taints));
    }
    if (view.preferences) {
        view.preferences->set(node, raw(node, view, &RawScores::preference));
    }
}

void PodClassIndex::catch_up() {
    const ChangeLog& changes = cluster_.changes();
    if (domains_.lacks_term(pod_) || company_.lacks_term(pod_)) {
        domains_ = OpenDomains(pod_, cluster_);
        company_ = CompanyScores(pod_, cluster_);
        look_at_all();
    } else if (changes.size() - changes_seen_ >= cluster_.nodes().size()) {
        look_at_all();
    }
    for (; changes_seen_ < changes.size(); ++changes_seen_) {
        look_at(changes.at(changes_seen_));
    }
}

/// The view of the nodes in domains that are open now. If there is none, one that differs in few
/// nodes is changed, or else the one that was used least recently is made anew.
PodClassIndex::View& PodClassIndex::view() {
    constexpr std::size_t most = 8;
    auto known = std::ranges::find(views_, domains_.open(), &View::open);
    if (known == views_.end()) {
        known = std::ranges::find_if(views_, [&](const View& other) { return is_near(other); });
        if (known != views_.end()) {
            open_and_close(*known);
        } else {
            known = views_.size() < most ? views_.emplace(views_.end()) : std::prev(views_.end());
            fill(*known);
        }
    }
    views_.splice(views_.begin(), views_, known);
    return views_.front();
}

void PodClassIndex::fill(View& view) const {
    view.open = domains_.open();
    const auto rank_raw = [&](std::int64_t RawScores::* plugin) {
        return rank(points_.size(), [&](std::size_t node) { return raw(node, view, plugin); });
    };
    view.totals = rank_totals(view);
    if (has_taints_) {
        view.taints = rank_raw(&RawScores::taints);
    }
    if (has_preferences_) {
        view.preferences = rank_raw(&RawScores::preference);
    }
}

/// Whether few nodes are in domains that opened or closed since the view was used.
bool PodClassIndex::is_near(const View& view) const {
    const OpenDomains::Set changed = view.open ^ domains_.open();
    std::size_t nodes = 0;
    for (std::size_t domain = changed.find_first();
         domain != OpenDomains::Set::npos && nodes <= points_.size() / 16;
         domain = changed.find_next(domain)) {
        nodes += domains_.nodes_of(domain).size();
    }
    return nodes <= points_.size() / 16;
}

void PodClassIndex::open_and_close(View& view) const {
    const OpenDomains::Set changed = view.open ^ domains_.open();
    view.open = domains_.open();
    for (std::size_t domain = changed.find_first(); domain != OpenDomains::Set::npos;
         domain = changed.find_next(domain)) {
        for (const std::size_t node : domains_.nodes_of(domain)) {
            look_at(node, view);
        }
    }
}

/// Computes the totals of all nodes anew if other raw scores are the greatest of an arc.
void PodClassIndex::normalise_for(RankedNumbers::Arc arc, View& view) const {
    const RawScores greatest{view.taints ? *view.taints->greatest(arc) : 0,
                             view.preferences ? *view.preferences->greatest(arc) : 0};
    if (greatest != view.greatest) {
        view.greatest = greatest;
        view.totals = rank_totals(view);
    }
}

RankedNumbers PodClassIndex::rank_totals(const View& view) const {
    return rank(
        points_.size(), [&](std::size_t node) { return total(node, view); }, company_.layer_of());
}

std::optional<Choice> PodClassIndex::choose() {
    catch_up();
    if (has_too_many_layers() || has_failed_) {
        return std::nullopt;
    }
    View& open = view();
    const std::size_t nodes = cluster_.nodes().size();
    const std::size_t feasible = open.totals.size();
    if (feasible == 0) {
        return std::nullopt;
    }
    const std::size_t enough =
        nodes_to_find(nodes, cluster_.configuration().percentage_of_nodes_to_score);
    const RankedNumbers::Arc found{open.totals.rank_of(cluster_.next_start) % feasible,
                                   std::min(enough, feasible)};
    normalise_for(found, open);
    const std::vector<RankedNumbers::Number> greatest = open.totals.greatest_of_layers(found);
    const std::size_t chosen =
        open.totals.choose(found, greatest, company_.points(greatest, found.count));
    Choice choice{open.totals.position_of(chosen), found.count, nodes};
    if (feasible > enough) {
        // The search ends at the first feasible node that is one too many.
        const std::size_t end = open.totals.position_of((found.first + found.count) % feasible);
        choice.evaluated = (end + nodes - cluster_.next_start) % nodes;
        cluster_.next_start = end;
    }
    return choice;
}

}  // namespace berth::core::kube
