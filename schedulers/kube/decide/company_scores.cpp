#include "schedulers/kube/decide/company_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "schedulers/kube/decide/pod_affinity.hpp"
#include "schedulers/kube/decide/topology_spread.hpp"

namespace berth::core::kube {
namespace {

/// So few values that each may have layers of its own.
bool has_few_values(const NodeLabel& label) {
    constexpr std::uint32_t few = 16;
    return label.count <= few + 2;  // two numbers stand for a label that is missing or empty
}

/// How many nodes have each value.
std::vector<std::size_t> sizes_of(const NodeLabel& label) {
    std::vector<std::size_t> sizes(label.count);
    for (const std::uint32_t value : label.of_node) {
        ++sizes[value];
    }
    return sizes;
}

/// The least and the greatest of the raw scores of layers whose nodes are scored.
std::pair<std::int64_t, std::int64_t> range_of(
    const std::vector<std::int64_t>& raw, const std::vector<std::optional<std::int64_t>>& scored) {
    std::pair range{std::numeric_limits<std::int64_t>::max(),
                    std::numeric_limits<std::int64_t>::min()};
    for (std::size_t layer = 0; layer < scored.size(); ++layer) {
        if (scored[layer]) {
            range = {std::min(range.first, raw[layer]), std::max(range.second, raw[layer])};
        }
    }
    return range;
}

}  // namespace

bool CompanyScores::are_few_layers(const Pod& pod, const Cluster& cluster) {
    return std::ranges::all_of(
        spread_constraints(pod, cluster, false), [&](const auto& constraint) {
            const auto label = cluster.label(constraint.topology_key);
            const std::vector<std::size_t> sizes = sizes_of(*label);
            const bool is_everywhere = sizes[NodeLabel::missing] == 0;
            if (is_by_host(constraint)) {
                return is_everywhere && std::ranges::max(sizes) == 1;
            }
            // Pods of nodes without the label count for the empty value.
            return has_few_values(*label) && (is_everywhere || (!needs_all_keys(pod, cluster) &&
                                                                sizes[NodeLabel::empty] == 0));
        });
}

CompanyScores::CompanyScores(const Pod& pod, Cluster& cluster)
    : cluster_(&cluster),
      has_terms_(has_terms(pod) && has_affinity_scores(pod, cluster)),
      layer_of_(cluster.nodes().size()) {
    add_constraints(pod);
    add_terms(pod);
    for (Part& part : parts_) {
        if (!part.by_value) {
            part.nodes.resize(part.counts.label().count);
            for (std::size_t node = 0; node < layer_of_.size(); ++node) {
                part.nodes[part.counts.label().of_node[node]].push_back(node);
            }
        }
    }
    for (std::size_t node = 0; node < layer_of_.size(); ++node) {
        enter(node, key_of(node));
    }
}

void CompanyScores::add_constraints(const Pod& pod) {
    for (const SpreadConstraint& constraint : spread_constraints(pod, *cluster_, false)) {
        const auto label = cluster_->label(constraint.topology_key);
        const bool by_host = is_by_host(constraint);
        std::vector<bool> counts_node(layer_of_.size(), true);
        for (std::size_t node = 0; !by_host && node < layer_of_.size(); ++node) {
            counts_node[node] = is_counted(constraint, pod, cluster_->nodes()[node].node());
        }
        parts_.push_back({DomainCounts(label,
                                       {query_of(constraint.pods, pod.name_space)},
                                       std::move(counts_node),
                                       *cluster_),
                          !by_host,
                          constraint.max_skew,
                          by_host,
                          {}});
    }
    constraints_ = parts_.size();
}

void CompanyScores::add_terms(const Pod& pod) {
    for (const auto& [term, weight] : pod.preferred_affinity) {
        add_term(term, {query_of(term, *cluster_)}, weight);
    }
    for (const auto& [term, weight] : pod.preferred_anti_affinity) {
        add_term(term, {query_of(term, *cluster_)}, -weight);
    }
    const RunningTerms& others = cluster_->scoring_terms();
    const Labels& labels = cluster_->namespace_labels(pod.name_space);
    for (; has_terms_ && terms_tried_ < others.all().size(); ++terms_tried_) {
        const PodTerm& term = *others.all()[terms_tried_].term;
        if (term.matches(pod.name_space, labels, pod.labels)) {
            add_term(term, {std::nullopt, &others, terms_tried_}, 1);
        }
    }
}

void CompanyScores::add_term(const PodTerm& term, DomainCounts::Pods pods, std::int64_t factor) {
    const auto label = cluster_->label(term.topology_key);
    parts_.push_back({DomainCounts(label, std::move(pods), nodes_with(*label), *cluster_),
                      has_few_values(*label),
                      factor,
                      false,
                      {}});
}

bool CompanyScores::lacks_term(const Pod& pod) {
    const auto& others = cluster_->scoring_terms().all();
    const Labels& labels = cluster_->namespace_labels(pod.name_space);
    while (has_terms_ && terms_tried_ < others.size()) {
        if (others[terms_tried_++].term->matches(pod.name_space, labels, pod.labels)) {
            return true;
        }
    }
    return false;
}

CompanyScores::Key CompanyScores::key_of(std::size_t node) const {
    Key key;
    key.reserve(parts_.size());
    for (const Part& part : parts_) {
        key.push_back(part.by_value ? std::int64_t{part.counts.label().of_node[node]}
                                    : part.counts.of_node(node));
    }
    return key;
}

void CompanyScores::enter(std::size_t node, const Key& key) {
    auto known = numbers_.find(key);
    if (known == numbers_.end()) {
        const auto unused = std::ranges::find(layers_, std::size_t{0}, &LayerState::nodes);
        known = numbers_.emplace(key, static_cast<Layer>(unused - layers_.begin())).first;
        if (unused == layers_.end()) {
            layers_.push_back({key, 0});
        } else {
            unused->key = key;
        }
    }
    ++layers_[known->second].nodes;
    layer_of_[node] = known->second;
}

void CompanyScores::change_layer(std::size_t node) {
    LayerState& before = layers_[layer_of_[node]];
    if (--before.nodes == 0) {
        numbers_.erase(before.key);
    }
    enter(node, key_of(node));
}

std::span<const std::size_t> CompanyScores::look_at(std::size_t node) {
    moved_.clear();
    for (Part& part : parts_) {
        if (part.counts.look_at(node, *cluster_) != 0 && !part.by_value) {
            const auto& changed = part.nodes[part.counts.label().of_node[node]];
            moved_.insert(moved_.end(), changed.begin(), changed.end());
        }
    }
    for (const std::size_t other : moved_) {
        change_layer(other);
    }
    return moved_;
}

/// The weights of the constraints.
std::vector<double> CompanyScores::weights(const Scored& scored, std::size_t nodes) const {
    std::vector<double> weights;
    for (std::size_t i = 0; i < constraints_; ++i) {
        std::set<std::int64_t> values;
        for (std::size_t layer = 0; !parts_[i].by_host && layer < scored.size(); ++layer) {
            if (scored[layer]) {
                values.insert(std::max<std::int64_t>(layers_[layer].key[i], NodeLabel::empty));
            }
        }
        weights.push_back(spread_weight(parts_[i].by_host ? nodes : values.size()));
    }
    return weights;
}

std::int64_t CompanyScores::raw_of_spread(const Key& key,
                                          const std::vector<double>& weights) const {
    double score = 0;
    for (std::size_t i = 0; i < constraints_; ++i) {
        const Part& part = parts_[i];
        if (!part.by_value) {
            score += spread_share(key[i], weights[i], part.factor);
        } else if (key[i] != NodeLabel::missing) {
            score += spread_share(
                part.counts.of_value(static_cast<std::uint32_t>(key[i])), weights[i], part.factor);
        }
    }
    return std::llround(score);
}

std::int64_t CompanyScores::raw_of_terms(const Key& key) const {
    std::int64_t sum = 0;
    for (std::size_t i = constraints_; i < parts_.size(); ++i) {
        const Part& part = parts_[i];
        sum += part.factor *
               (part.by_value ? part.counts.of_value(static_cast<std::uint32_t>(key[i])) : key[i]);
    }
    return sum;
}

std::vector<std::int64_t> CompanyScores::points(const Scored& scored, std::size_t nodes) const {
    const auto weight_of = [&](ScorePlugin plugin) {
        return cluster_->configuration().weights[static_cast<std::size_t>(plugin)];
    };
    std::vector<std::int64_t> points(layers_.size());
    std::vector<std::int64_t> raw(layers_.size());
    if (constraints_ > 0) {
        const std::vector<double> of_constraints = weights(scored, nodes);
        std::ranges::transform(layers_, raw.begin(), [&](const LayerState& layer) {
            return raw_of_spread(layer.key, of_constraints);
        });
        const auto [least, most] = range_of(raw, scored);
        for (std::size_t layer = 0; layer < raw.size(); ++layer) {
            points[layer] +=
                spread_points(raw[layer], least, most) * weight_of(ScorePlugin::topology_spread);
        }
    }
    if (constraints_ < parts_.size()) {
        std::ranges::transform(
            layers_, raw.begin(), [&](const LayerState& layer) { return raw_of_terms(layer.key); });
        const auto [least, most] = range_of(raw, scored);
        for (std::size_t layer = 0; layer < raw.size(); ++layer) {
            points[layer] +=
                affinity_points(raw[layer], least, most) * weight_of(ScorePlugin::pod_affinity);
        }
    }
    return points;
}

}  // namespace berth::core::kube
