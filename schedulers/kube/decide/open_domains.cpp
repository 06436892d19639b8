#include "schedulers/kube/decide/open_domains.hpp"

#include <algorithm>
#include <utility>

#include "schedulers/kube/decide/pod_affinity.hpp"
#include "schedulers/kube/decide/topology_spread.hpp"

namespace berth::core::kube {

std::int64_t OpenDomains::Domains::least() const {
    return size < min_domains ? 0 : values_with.begin()->first;
}

OpenDomains::OpenDomains(const Pod& pod, Cluster& cluster) : cluster_(&cluster) {
    add_constraints(pod);
    add_terms(pod);
    nodes_.resize(open_.size());
    for (Domains& domains : constraints_) {
        count_values(domains);
        open_or_close_all(domains);
    }
}

OpenDomains::Domains& OpenDomains::add(std::shared_ptr<const NodeLabel> label,
                                       DomainCounts::Pods pods,
                                       std::vector<bool> counts_node) {
    Domains& domains = constraints_.emplace_back(
        DomainCounts(std::move(label), std::move(pods), std::move(counts_node), *cluster_),
        open_.size());
    open_.resize(open_.size() + domains.counts.label().count);
    return domains;
}

void OpenDomains::add_constraints(const Pod& pod) {
    const std::vector<SpreadConstraint> constraints = spread_constraints(pod, *cluster_, true);
    std::vector<std::shared_ptr<const NodeLabel>> labels;
    for (const SpreadConstraint& constraint : constraints) {
        labels.push_back(cluster_->label(constraint.topology_key));
    }
    for (std::size_t i = 0; i < constraints.size(); ++i) {
        const SpreadConstraint& constraint = constraints[i];
        std::vector<bool> counts_node;
        for (std::size_t node = 0; node < cluster_->nodes().size(); ++node) {
            counts_node.push_back(std::ranges::all_of(labels,
                                                      [&](const auto& label) {
                                                          return label->of_node[node] !=
                                                                 NodeLabel::missing;
                                                      }) &&
                                  is_counted(constraint, pod, cluster_->nodes()[node].node()));
        }
        Domains& domains =
            add(labels[i], {query_of(constraint.pods, pod.name_space)}, std::move(counts_node));
        domains.needs_label = true;
        domains.most = constraint.max_skew - (constraint.pods.matches(pod.labels) ? 1 : 0);
        domains.min_domains = std::max<std::int64_t>(1, constraint.min_domains);
    }
}

void OpenDomains::add_terms(const Pod& pod) {
    const auto add_term = [&](const std::string& key, DomainCounts::Pods pods) {
        const std::shared_ptr<const NodeLabel> label = cluster_->label(key);
        add(label, std::move(pods), nodes_with(*label));
    };
    for (const PodTerm& term : pod.required_anti_affinity) {
        add_term(term.topology_key, {query_of(term, *cluster_)});
    }
    const RunningTerms& others = cluster_->repelling_terms();
    while (const std::optional<std::size_t> place = next_term(pod)) {
        add_term(others.all()[*place].term->topology_key, {std::nullopt, &others, *place});
    }
}

/// The place of the next term of running pods that matches the pod.
std::optional<std::size_t> OpenDomains::next_term(const Pod& pod) {
    if (!has_terms(pod)) {
        return std::nullopt;
    }
    const Labels& labels = cluster_->namespace_labels(pod.name_space);
    const auto& others = cluster_->repelling_terms().all();
    while (terms_tried_ < others.size()) {
        const std::size_t place = terms_tried_++;
        if (others[place].term->matches(pod.name_space, labels, pod.labels)) {
            return place;
        }
    }
    return std::nullopt;
}

void OpenDomains::count_values(Domains& domains) {
    const DomainCounts& counts = domains.counts;
    std::vector<bool> is_counted_value(counts.label().count);
    for (std::size_t node = 0; node < counts.label().of_node.size(); ++node) {
        const std::uint32_t value = counts.label().of_node[node];
        nodes_[domains.first + value].push_back(node);
        is_counted_value[value] = is_counted_value[value] || counts.counts_node(node);
    }
    for (std::uint32_t value = 0; value < counts.label().count; ++value) {
        if (is_counted_value[value]) {
            ++domains.values_with[counts.of_value(value)];
            ++domains.size;
        }
    }
}

void OpenDomains::look_at(std::size_t node) {
    for (Domains& domains : constraints_) {
        const std::int64_t change = domains.counts.look_at(node, *cluster_);
        if (change == 0) {
            continue;
        }
        const std::int64_t least_before = domains.least();
        const std::int64_t count = domains.counts.of_node(node);
        const auto before = domains.values_with.find(count - change);
        if (--before->second == 0) {
            domains.values_with.erase(before);
        }
        ++domains.values_with[count];
        if (domains.least() == least_before) {
            open_or_close(domains, domains.counts.label().of_node[node], least_before);
        } else {
            open_or_close_all(domains);
        }
    }
}

void OpenDomains::open_or_close(const Domains& domains, std::uint32_t value, std::int64_t least) {
    open_[domains.first + value] = value == NodeLabel::missing
                                       ? !domains.needs_label
                                       : domains.counts.of_value(value) - least <= domains.most;
}

void OpenDomains::open_or_close_all(const Domains& domains) {
    const std::int64_t least = domains.least();
    for (std::uint32_t value = 0; value < domains.counts.label().count; ++value) {
        open_or_close(domains, value, least);
    }
}

bool OpenDomains::has_all(const Set& set, std::size_t node) const {
    return std::ranges::all_of(constraints_, [&](const Domains& domains) {
        return set[domains.first + domains.counts.label().of_node[node]];
    });
}

}  // namespace berth::core::kube
