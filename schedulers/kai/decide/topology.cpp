#include "schedulers/kai/decide/topology.hpp"

#include <algorithm>
#include <cmath>

namespace berth::core::kai {
namespace {

constexpr std::size_t no_level = SIZE_MAX;

std::int64_t pods_with_room(const Node& node, const Vector& largest, std::int64_t count) {
    if (fits_in(largest, {0, 0, 0, 1})) {
        return count;
    }
    if (!fits_in(largest, node.free)) {
        return 0;
    }
    double least = HUGE_VAL;
    for (std::size_t i = 0; i < largest.size(); ++i) {
        if (largest[i] > 0) {
            least = std::min(least, std::trunc(node.free[i] / largest[i]));
        }
    }
    return static_cast<std::int64_t>(std::min(least, 1e15));
}

}  // namespace

Topology::Topology(const TopologySpec& spec, const std::vector<NodeSpec>& nodes)
    : spec_(spec),
      domains_(1),
      domain_of_(spec.levels.size() + 1, std::vector<std::size_t>(nodes.size())),
      value_of_(spec.levels.size() + 1, std::vector<std::string>(nodes.size())),
      belongs_(nodes.size()) {
    domains_[0].id = "root";
    for (NodeIndex node = 0; node < nodes.size(); ++node) {
        belongs_[node] = std::ranges::all_of(spec.levels, [&](const std::string& level) {
            return nodes[node].labels.contains(level);
        });
        if (belongs_[node]) {
            add_node(node, nodes[node]);
        }
    }
}

void Topology::add_node(NodeIndex node, const NodeSpec& spec) {
    std::size_t at = 0;
    std::string id;
    domains_[at].nodes.push_back(node);
    for (std::size_t level = 1; level <= spec_.levels.size(); ++level) {
        const std::string& value = spec.labels.at(spec_.levels[level - 1]);
        id += (level > 1 ? "." : "") + value;
        value_of_[level][node] = value;
        const std::vector<std::size_t>& siblings = domains_[at].children;
        const auto found = std::ranges::find_if(
            siblings, [&](std::size_t child) { return domains_[child].id == id; });
        const std::size_t child = found == siblings.end() ? domains_.size() : *found;
        if (child == domains_.size()) {
            domains_[at].children.push_back(child);
            domains_.emplace_back();
            domains_[child].id = id;
            domains_[child].level = level;
        }
        at = child;
        domains_[at].nodes.push_back(node);
        domain_of_[level][node] = at;
    }
}

std::size_t Topology::find_level(const std::string& level) const {
    const auto found = std::ranges::find(spec_.levels, level);
    return found == spec_.levels.end() ? no_level
                                       : static_cast<std::size_t>(found - spec_.levels.begin()) + 1;
}

std::size_t Topology::common_domain(const NodeSet& valid, std::size_t preferred) const {
    std::size_t at = 0;
    for (std::size_t level = 1; level <= spec_.levels.size() && !valid.empty(); ++level) {
        const std::string& value = value_of_[level][valid.front()];
        if (value.empty() || !std::ranges::all_of(valid, [&](NodeIndex node) {
                return value_of_[level][node] == value;
            })) {
            break;
        }
        at = domain_of_[level][valid.front()];
        if (level == preferred) {
            break;
        }
    }
    return at;
}

const Vector& Topology::sum_free(std::size_t domain, const std::vector<Node>& nodes) {
    Vector sum{};
    for (const std::size_t child : domains_[domain].children) {
        add_to(sum, sum_free(child, nodes));
    }
    if (domains_[domain].children.empty()) {
        for (const NodeIndex node : domains_[domain].nodes) {
            add_to(sum, nodes[node].free);
        }
    }
    return domains_[domain].free = sum;
}

std::int64_t Topology::count_pods(std::size_t domain,
                                  const Vector& largest,
                                  std::int64_t count,
                                  const std::vector<Node>& nodes) {
    std::int64_t sum = 0;
    for (const std::size_t child : domains_[domain].children) {
        sum += count_pods(child, largest, count, nodes);
    }
    if (domains_[domain].children.empty()) {
        for (const NodeIndex node : domains_[domain].nodes) {
            sum += pods_with_room(nodes[node], largest, count);
        }
    }
    return domains_[domain].pods = sum;
}

void Topology::measure(std::size_t start,
                       const TogetherRequest& request,
                       const std::vector<Node>& nodes) {
    for (Domain& domain : domains_) {
        domain.pods = not_counted;
        domain.free = {};
        domain.may_be_tried = false;
    }
    sum_free(start, nodes);
    total_ = {};
    Vector largest = request.pods.front();
    for (const Vector& pod : request.pods) {
        add_to(total_, pod);
        for (std::size_t i = 0; i < pod.size(); ++i) {
            largest[i] = std::max(largest[i], pod[i]);
        }
    }
    pod_count_ = static_cast<std::int64_t>(request.pods.size());
    const auto with_gpus =
        std::ranges::count_if(request.pods, [](const Vector& pod) { return pod[gpu] > 0; });
    if (with_gpus == 0 || with_gpus == pod_count_) {
        count_pods(start, largest, pod_count_, nodes);
    }
}

double Topology::fullness(const Domain& domain) const {
    double most = 0;
    for (std::size_t i = 0; i < resource_count; ++i) {
        if (total_[i] > 0) {
            most = std::max(most, domain.free[i] <= 0 ? 1000.0 : total_[i] / domain.free[i]);
        }
    }
    return most;
}

bool Topology::may_fit(const Domain& domain) const {
    return domain.pods != not_counted ? domain.pods >= pod_count_ : fullness(domain) <= 1;
}

void Topology::sort_below(std::size_t domain, std::size_t until) {
    std::vector<std::size_t> children = domains_[domain].children;
    std::ranges::stable_sort(children, [&](std::size_t a, std::size_t b) {
        const double full_a = fullness(domains_[a]);
        const double full_b = fullness(domains_[b]);
        return full_a != full_b ? full_a > full_b : domains_[a].id < domains_[b].id;
    });
    domains_[domain].children = children;
    if (domains_[domain].level != until) {
        for (const std::size_t child : children) {
            sort_below(child, until);
        }
    }
}

void Topology::score(std::size_t start, std::size_t preferred, std::vector<double>& scores) const {
    std::vector<std::size_t> of_level;
    std::vector<std::size_t> open{start};
    while (!open.empty()) {
        const std::size_t domain = open.back();
        open.pop_back();
        if (domains_[domain].level == preferred) {
            of_level.push_back(domain);
            continue;
        }
        const std::vector<std::size_t>& children = domains_[domain].children;
        open.insert(open.end(), children.rbegin(), children.rend());
    }
    const auto count = static_cast<double>(of_level.size());
    for (std::size_t i = 0; i < of_level.size(); ++i) {
        for (const NodeIndex node : domains_[of_level[i]].nodes) {
            scores[node] = std::floor(static_cast<double>(i + 1) / count * 10) * 100000.0;
        }
    }
}

void Topology::allow_below(std::size_t domain) {
    domains_[domain].may_be_tried = true;
    for (const std::size_t child : domains_[domain].children) {
        allow_below(child);
    }
}

/// Marks the domains that may be tried as far as pods of the group are there already.
bool Topology::allow(std::size_t required, std::size_t preferred, const TogetherRequest& request) {
    const bool is_wrong = (required == 0 && preferred == 0) || required == no_level ||
                          preferred == no_level || (preferred != 0 && preferred < required);
    if (required == 0 || !request.has_active) {
        allow_below(0);
        return !is_wrong;
    }
    for (std::size_t domain = 0; domain < domains_.size(); ++domain) {
        if (domains_[domain].level == required &&
            std::ranges::any_of(domains_[domain].nodes, [&](NodeIndex node) {
                return std::ranges::find(request.occupied, node) != request.occupied.end();
            })) {
            allow_below(domain);
        }
    }
    return !is_wrong;
}

std::vector<NodeSet> Topology::sets_of(std::size_t lowest,
                                       std::size_t highest,
                                       const std::vector<bool>& valid) const {
    std::vector<std::vector<std::size_t>> rows{{0}};
    while (!rows.back().empty()) {
        std::vector<std::size_t> below;
        for (const std::size_t domain : rows.back()) {
            const std::vector<std::size_t>& children = domains_[domain].children;
            below.insert(below.end(), children.begin(), children.end());
        }
        rows.push_back(std::move(below));
    }
    std::vector<NodeSet> sets;
    for (std::size_t level = std::min(lowest + 1, rows.size()); level-- > highest;) {
        for (const std::size_t domain : rows[level]) {
            if (domains_[domain].may_be_tried && may_fit(domains_[domain])) {
                NodeSet& nodes = sets.emplace_back();
                for (const NodeIndex node : domains_[domain].nodes) {
                    if (valid[node]) {
                        nodes.push_back(node);
                    }
                }
            }
        }
    }
    return sets;
}

std::vector<NodeSet> Topology::node_sets(const TopologyConstraint& constraint,
                                         const TogetherRequest& request,
                                         const NodeSet& among,
                                         const std::vector<Node>& nodes,
                                         std::optional<std::vector<double>>& scores) {
    const auto level_of = [&](const std::string& level) {
        return level.empty() ? 0 : find_level(level);
    };
    const std::size_t required = level_of(constraint.required);
    const std::size_t preferred = level_of(constraint.preferred);
    NodeSet members;
    std::vector<bool> valid(nodes.size());
    for (const NodeIndex node : among) {
        if (belongs_[node]) {
            members.push_back(node);
            valid[node] = true;
        }
    }
    const std::size_t start = common_domain(members, preferred);
    measure(start, request, nodes);
    if (!may_fit(domains_[start])) {
        return {};
    }
    sort_below(start, preferred != 0 ? preferred : required != 0 ? required : no_level);
    if (preferred != 0) {
        scores.emplace(nodes.size(), -1.0);
        score(start, preferred, *scores);
    }
    if (!allow(required, preferred, request)) {
        return {};
    }
    return sets_of(std::max(required, preferred), required, valid);
}

}  // namespace berth::core::kai
