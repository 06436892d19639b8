#include "schedulers/kube/decide/spread_domains.hpp"

#include <algorithm>

#include "schedulers/kube/decide/topology_spread.hpp"

namespace berth::core::kube {

std::int64_t SpreadDomains::Domains::least() const {
    return size < min_domains ? 0 : values_with.begin()->first;
}

SpreadDomains::SpreadDomains(const Pod& pod, Cluster& cluster) : cluster_(cluster) {
    for (const SpreadConstraint& constraint : pod.spread) {
        Domains& domains = constraints_.emplace_back();
        domains.label = cluster.label(constraint.topology_key);
        domains.first = open_.size();
        domains.most = constraint.max_skew - (constraint.pods.matches(pod.labels) ? 1 : 0);
        domains.min_domains = std::max<std::int64_t>(1, constraint.min_domains);
        domains.query = query_of(constraint.pods, pod.name_space);
        open_.resize(open_.size() + domains.label->count);
    }
    nodes_.resize(open_.size());
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
        count_nodes(constraints_[i], pod.spread[i], pod);
        open_or_close_all(constraints_[i]);
    }
}

void SpreadDomains::count_nodes(Domains& domains,
                                const SpreadConstraint& constraint,
                                const Pod& pod) {
    const std::size_t nodes = cluster_.nodes().size();
    domains.pods =
        domains.query ? cluster_.count(*domains.query) : std::vector<std::int64_t>(nodes);
    domains.counts.resize(domains.label->count);
    std::vector<bool> is_counted_value(domains.label->count);
    domains.is_counted.resize(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
        const std::uint32_t value = domains.label->of_node[node];
        nodes_[domains.first + value].push_back(node);
        if (has_all_keys(node) && is_counted(constraint, pod, cluster_.nodes()[node].node())) {
            domains.is_counted[node] = true;
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

void SpreadDomains::look_at(std::size_t node) {
    for (Domains& domains : constraints_) {
        if (!domains.query || !domains.is_counted[node]) {
            continue;
        }
        const std::int64_t pods = cluster_.count(*domains.query)[node];
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

void SpreadDomains::open_or_close(const Domains& domains, std::uint32_t value, std::int64_t least) {
    open_[domains.first + value] =
        value != NodeLabel::missing && domains.counts[value] - least <= domains.most;
}

void SpreadDomains::open_or_close_all(const Domains& domains) {
    const std::int64_t least = domains.least();
    for (std::uint32_t value = 0; value < domains.label->count; ++value) {
        open_or_close(domains, value, least);
    }
}

bool SpreadDomains::has_all(const Set& set, std::size_t node) const {
    return std::ranges::all_of(constraints_, [&](const Domains& domains) {
        return set[domains.first + domains.label->of_node[node]];
    });
}

bool SpreadDomains::has_all_keys(std::size_t node) const {
    return std::ranges::all_of(constraints_, [&](const Domains& domains) {
        return domains.label->of_node[node] != NodeLabel::missing;
    });
}

}  // namespace berth::core::kube
