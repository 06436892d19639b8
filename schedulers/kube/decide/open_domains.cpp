#include "schedulers/kube/decide/open_domains.hpp"

#include <algorithm>

#include "schedulers/kube/decide/pod_affinity.hpp"
#include "schedulers/kube/decide/topology_spread.hpp"

namespace berth::core::kube {

std::int64_t OpenDomains::Domains::least() const {
    return size < min_domains ? 0 : values_with.begin()->first;
}

OpenDomains::OpenDomains(const Pod& pod, Cluster& cluster) : cluster_(&cluster) {
    for (const SpreadConstraint& constraint : pod.spread) {
        Domains& domains = add(constraint.topology_key);
        domains.needs_label = true;
        domains.most = constraint.max_skew - (constraint.pods.matches(pod.labels) ? 1 : 0);
        domains.min_domains = std::max<std::int64_t>(1, constraint.min_domains);
        domains.query = query_of(constraint.pods, pod.name_space);
    }
    const std::size_t nodes = cluster.nodes().size();
    for (std::size_t i = 0; i < pod.spread.size(); ++i) {
        for (std::size_t node = 0; node < nodes; ++node) {
            constraints_[i].is_counted.push_back(
                has_all_keys(node) && is_counted(pod.spread[i], pod, cluster.nodes()[node].node()));
        }
    }
    add_terms(pod);
    nodes_.resize(open_.size());
    for (Domains& domains : constraints_) {
        count_nodes(domains);
        open_or_close_all(domains);
    }
}

OpenDomains::Domains& OpenDomains::add(const std::string& key) {
    Domains& domains = constraints_.emplace_back();
    domains.label = cluster_->label(key);
    domains.first = open_.size();
    open_.resize(open_.size() + domains.label->count);
    return domains;
}

void OpenDomains::add_terms(const Pod& pod) {
    const auto add_term = [&](const std::string& key) -> Domains& {
        Domains& domains = add(key);
        for (const std::uint32_t value : domains.label->of_node) {
            domains.is_counted.push_back(value != NodeLabel::missing);
        }
        return domains;
    };
    for (const PodTerm& term : pod.required_anti_affinity) {
        add_term(term.topology_key).query = query_of(term, *cluster_);
    }
    while (const std::optional<std::size_t> place = next_term(pod)) {
        add_term(cluster_->repelling_terms().all()[*place].term->topology_key).term = place;
    }
}

/// The place of the next term of running pods that matches the pod.
std::optional<std::size_t> OpenDomains::next_term(const Pod& pod) {
    if (pod.required_anti_affinity.empty()) {
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

std::int64_t OpenDomains::pods_on(std::size_t node, const Domains& domains) {
    if (domains.term) {
        const auto& pods = cluster_->repelling_terms().all()[*domains.term].weights;
        const auto found = pods.find(node);
        return found == pods.end() ? 0 : found->second;
    }
    return domains.query ? cluster_->count(*domains.query)[node] : 0;
}

void OpenDomains::count_nodes(Domains& domains) {
    domains.counts.resize(domains.label->count);
    std::vector<bool> is_counted_value(domains.label->count);
    for (std::size_t node = 0; node < domains.label->of_node.size(); ++node) {
        const std::uint32_t value = domains.label->of_node[node];
        nodes_[domains.first + value].push_back(node);
        domains.pods.push_back(pods_on(node, domains));
        if (domains.is_counted[node]) {
            is_counted_value[value] = true;
            domains.counts[value] += domains.pods[node];
        }
    }
    for (std::uint32_t value = 0; value < domains.label->count; ++value) {
        if (is_counted_value[value]) {
            ++domains.values_with[domains.counts[value]];
            ++domains.size;
        }
    }
}

void OpenDomains::look_at(std::size_t node) {
    for (Domains& domains : constraints_) {
        if (!domains.is_counted[node]) {
            continue;
        }
        const std::int64_t pods = pods_on(node, domains);
        const std::int64_t change = pods - domains.pods[node];
        if (change == 0) {
            continue;
        }
        domains.pods[node] = pods;
        const std::int64_t least_before = domains.least();
        const std::uint32_t value = domains.label->of_node[node];
        std::int64_t& count = domains.counts[value];
        if (const auto before = domains.values_with.find(count); --before->second == 0) {
            domains.values_with.erase(before);
        }
        count += change;
        ++domains.values_with[count];
        if (domains.least() == least_before) {
            open_or_close(domains, value, least_before);
        } else {
            open_or_close_all(domains);
        }
    }
}

void OpenDomains::open_or_close(const Domains& domains, std::uint32_t value, std::int64_t least) {
    open_[domains.first + value] = value == NodeLabel::missing
                                       ? !domains.needs_label
                                       : domains.counts[value] - least <= domains.most;
}

void OpenDomains::open_or_close_all(const Domains& domains) {
    const std::int64_t least = domains.least();
    for (std::uint32_t value = 0; value < domains.label->count; ++value) {
        open_or_close(domains, value, least);
    }
}

bool OpenDomains::has_all(const Set& set, std::size_t node) const {
    return std::ranges::all_of(constraints_, [&](const Domains& domains) {
        return set[domains.first + domains.label->of_node[node]];
    });
}

bool OpenDomains::has_all_keys(std::size_t node) const {
    return std::ranges::all_of(constraints_, [&](const Domains& domains) {
        return domains.label->of_node[node] != NodeLabel::missing;
    });
}

}  // namespace berth::core::kube
