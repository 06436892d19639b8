#include "experiments/program/results/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>

#include "experiments/program/results/paid_resource.hpp"

namespace berth::report {
namespace {

/// A node's place in the tree: its domain at each level, top-down.
using Path = std::vector<std::uint32_t>;

/// Numbers the domains in the order in which they first appear under their parents, then renumbers
/// them so that each level is in tree order.
std::vector<Path> number_domains(const std::vector<NodeRow>& nodes, Cluster& cluster) {
    const std::size_t level_count = cluster.levels.size();
    std::vector<std::map<std::pair<std::uint32_t, std::string>, std::uint32_t>> known(level_count);
    std::vector<std::vector<Domain>> found(level_count);
    std::vector<Path> paths(nodes.size(), Path(level_count));
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        std::uint32_t parent = 0;
        for (std::size_t level = 0; level < level_count; ++level) {
            const std::string& name = nodes[n].path[level];
            const auto next = static_cast<std::uint32_t>(found[level].size());
            const auto [at, is_new] = known[level].try_emplace({parent, name}, next);
            if (is_new) {
                found[level].push_back({name, parent});
            }
            parent = at->second;
            paths[n][level] = parent;
        }
    }
    std::vector<std::uint32_t> renumbered_parents{0};
    for (std::size_t level = 0; level < level_count; ++level) {
        std::vector<std::uint32_t> order(found[level].size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::sort(order, {}, [&](std::uint32_t domain) {
            return std::pair(renumbered_parents[found[level][domain].parent], domain);
        });
        std::vector<std::uint32_t> renumbered(order.size());
        std::vector<Domain> sorted;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const Domain& domain = found[level][order[i]];
            renumbered[order[i]] = static_cast<std::uint32_t>(i);
            sorted.push_back({domain.name, renumbered_parents[domain.parent]});
        }
        for (Path& path : paths) {
            path[level] = renumbered[path[level]];
        }
        cluster.domains.push_back(std::move(sorted));
        renumbered_parents = std::move(renumbered);
    }
    return paths;
}

/// The first instant at which the sum of the running pods' weights is greatest.
double busiest_time(const std::vector<PodRow>& pods,
                    const std::function<double(const PodRow&)>& weight) {
    constexpr double never = std::numeric_limits<double>::infinity();
    std::vector<std::pair<double, double>> changes;
    for (const PodRow& pod : pods) {
        changes.emplace_back(pod.start_s, weight(pod));
        // A pod that runs for no time counts at the instant of its start.
        changes.emplace_back(std::max(pod.finish_s, std::nextafter(pod.start_s, never)),
                             -weight(pod));
    }
    std::ranges::sort(changes);  // at one instant, ends come before starts
    double best_time = 0;
    double best = 0;
    double running = 0;
    for (const auto& [time_s, change] : changes) {
        running += change;
        if (running > best * (1 + 1e-12)) {
            best = running;
            best_time = time_s;
        }
    }
    return best_time;
}

/// Sums what the members of a view take, or the other pods, by cell.
class MemberSum {
public:
    void add(std::uint32_t cell, const std::vector<double>& demand, std::size_t resource_count) {
        ClusterView::Members& at = by_cell_[cell];
        at.cell = cell;
        at.amount.resize(resource_count);
        ++at.count;
        known_ = known_ && !demand.empty();
        for (std::size_t r = 0; known_ && r < resource_count; ++r) {
            at.amount[r] += demand[r];
        }
    }

    /// The sums by ascending cell, without amounts if any pod's demand is not known.
    std::vector<ClusterView::Members> take() {
        std::vector<ClusterView::Members> out;
        for (auto& [cell, at] : by_cell_) {
            if (!known_) {
                at.amount.clear();
            }
            out.push_back(std::move(at));
        }
        return out;
    }

private:
    std::map<std::uint32_t, ClusterView::Members> by_cell_;
    bool known_ = true;
};

/// The view of one instant: the pods that `belongs` chooses, and the others beside them.
ClusterView make_view(const Cluster& cluster,
                      std::string label,
                      double time_s,
                      const std::function<bool(const PodRow&)>& belongs) {
    ClusterView view;
    view.label = std::move(label);
    view.time_s = time_s;
    MemberSum members;
    MemberSum others;
    for (const PodRow& pod : cluster.pods) {
        // A pod that runs for no time counts at the instant of its start.
        const bool brief = pod.finish_s <= pod.start_s && pod.start_s == time_s;
        if (pod.start_s > time_s || (pod.finish_s <= time_s && !brief)) {
            continue;
        }
        const bool member = belongs(pod);
        view.count += member ? 1 : 0;
        (member ? members : others)
            .add(pod.node, cluster.demands[pod.demand], cluster.resources.size());
    }
    view.members = members.take();
    view.others = others.take();
    return view;
}

void add_views(Cluster& cluster, std::size_t views_max) {
    const std::vector<std::string>& groups = cluster.names.groups;
    std::vector<std::size_t> sizes(groups.size());
    for (const PodRow& pod : cluster.pods) {
        if (pod.group != no_group) {
            ++sizes[pod.group];
        }
    }
    std::vector<std::uint32_t> order(groups.size());
    std::iota(order.begin(), order.end(), 0U);
    std::erase_if(order, [&](std::uint32_t group) { return sizes[group] == 0; });
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
        return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b;
    });
    cluster.member = order.empty() ? "pod" : "member";
    const auto add_view = [&](std::string label,
                              const std::function<bool(const PodRow&)>& belongs) {
        std::vector<PodRow> chosen;
        std::ranges::copy_if(cluster.pods, std::back_inserter(chosen), belongs);
        const double time_s = busiest_time(chosen, [](const PodRow&) { return 1.0; });
        cluster.views.push_back(make_view(cluster, std::move(label), time_s, belongs));
    };
    // The view of all pods is at the instant at which most of the paid resource is in use.
    const std::size_t paid = paid_resource(cluster.resources);
    const bool known = std::ranges::all_of(
        cluster.pods, [&](const PodRow& pod) { return !cluster.demands[pod.demand].empty(); });
    const auto fullest = [&] {
        return busiest_time(cluster.pods, [&](const PodRow& pod) {
            return known ? cluster.demands[pod.demand][paid] : 1.0;
        });
    };
    if (order.empty()) {
        if (!cluster.pods.empty()) {
            const auto all = [](const PodRow&) { return true; };
            cluster.views.push_back(make_view(cluster, "all pods", fullest(), all));
        }
        return;
    }
    if (order.size() > 1) {
        const auto grouped = [](const PodRow& pod) { return pod.group != no_group; };
        cluster.views.push_back(make_view(cluster, "all groups", fullest(), grouped));
    }
    order.resize(std::min(order.size(), views_max));
    for (const std::uint32_t group : order) {
        add_view(groups[group], [&](const PodRow& pod) { return pod.group == group; });
    }
}

void add(std::vector<double>& sum, const std::vector<double>& more) {
    sum.resize(std::max(sum.size(), more.size()));
    for (std::size_t i = 0; i < more.size(); ++i) {
        sum[i] += more[i];
    }
}

std::vector<ClusterView::Members> join_members(std::vector<ClusterView::Members> old,
                                               const std::vector<std::uint32_t>& to) {
    std::vector<ClusterView::Members> members;
    for (ClusterView::Members& at : old) {
        at.cell = to[at.cell];
        if (members.empty() || members.back().cell != at.cell) {
            members.push_back(std::move(at));
        } else {
            members.back().count += at.count;
            add(members.back().amount, at.amount);
        }
    }
    return members;
}

/// Replaces the cells by `joined`; to[c] is the new cell of the old cell c.
void join_cells(Cluster& cluster, std::vector<Cell> joined, const std::vector<std::uint32_t>& to) {
    for (std::size_t c = 0; c < cluster.cells.size(); ++c) {
        Cell& cell = joined[to[c]];
        cell.servers += cluster.cells[c].servers;
        add(cell.capacity, cluster.cells[c].capacity);
        add(cell.background, cluster.cells[c].background);
    }
    for (ClusterView& view : cluster.views) {
        view.members = join_members(std::move(view.members), to);
        view.others = join_members(std::move(view.others), to);
    }
    for (PodRow& pod : cluster.pods) {
        pod.node = to[pod.node];
    }
    cluster.cells = std::move(joined);
}

}  // namespace

Cluster build_cluster(std::vector<std::string> levels,
                      std::string leaf,
                      std::vector<std::string> resources,
                      const std::vector<NodeRow>& nodes,
                      std::vector<PodRow> pods,
                      PodNames names,
                      Demands demands,
                      std::size_t views_max) {
    Cluster cluster;
    cluster.levels = std::move(levels);
    cluster.leaf = std::move(leaf);
    cluster.resources = std::move(resources);
    cluster.servers = nodes.size();
    const std::vector<Path> paths = number_domains(nodes, cluster);
    std::vector<std::uint32_t> order(nodes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t n) {
        return std::pair(paths[n].empty() ? 0U : paths[n].back(), n);
    });
    std::vector<std::uint32_t> cell_of(nodes.size());
    for (const std::uint32_t n : order) {
        cell_of[n] = static_cast<std::uint32_t>(cluster.cells.size());
        Cell cell;
        cell.name = nodes[n].name;
        cell.parent = paths[n].empty() ? 0U : paths[n].back();
        cell.capacity = nodes[n].capacity;
        cell.background = nodes[n].background;
        cluster.cells.push_back(std::move(cell));
    }
    for (PodRow& pod : pods) {
        pod.node = cell_of[pod.node];
        cluster.last_s = std::max(cluster.last_s, pod.start_s);
        cluster.last_s =
            std::isfinite(pod.finish_s) ? std::max(cluster.last_s, pod.finish_s) : cluster.last_s;
    }
    cluster.pods = std::move(pods);
    cluster.names = std::move(names);
    cluster.demands = std::move(demands);
    add_views(cluster, views_max);
    return cluster;
}

double busy_until(const Cluster& cluster) {
    std::vector<double> times;
    for (const PodRow& pod : cluster.pods) {
        times.push_back(std::isfinite(pod.finish_s) ? pod.finish_s : cluster.last_s);
    }
    if (times.empty()) {
        return 0;
    }
    std::ranges::sort(times);
    const double most = times[times.size() - 1 - times.size() / 500];
    return most < 0.7 * cluster.last_s ? most : cluster.last_s;
}

ClusterView view_at(const Cluster& cluster, double time_s) {
    return make_view(cluster, "all pods", time_s, [](const PodRow&) { return true; });
}

void aggregate(Cluster& cluster, std::size_t cells_max) {
    while (cluster.cells.size() > cells_max) {
        std::vector<Cell> joined;
        std::vector<std::uint32_t> to(cluster.cells.size());
        if (!cluster.levels.empty()) {
            for (const Domain& domain : cluster.domains.back()) {
                Cell cell;
                cell.name = domain.name;
                cell.parent = domain.parent;
                cell.servers = 0;
                joined.push_back(std::move(cell));
            }
            std::ranges::transform(cluster.cells, to.begin(), &Cell::parent);
            cluster.leaf = cluster.levels.back();
            cluster.levels.pop_back();
            cluster.domains.pop_back();
        } else {
            const std::size_t block = (cluster.cells.size() + cells_max - 1) / cells_max;
            for (std::size_t c = 0; c < cluster.cells.size(); c += block) {
                const std::size_t last = std::min(c + block, cluster.cells.size()) - 1;
                Cell cell;
                cell.name =
                    fmt::format("{} to {}", cluster.cells[c].name, cluster.cells[last].name);
                cell.servers = 0;
                joined.push_back(std::move(cell));
            }
            for (std::size_t c = 0; c < cluster.cells.size(); ++c) {
                to[c] = static_cast<std::uint32_t>(c / block);
            }
        }
        join_cells(cluster, std::move(joined), to);
    }
}

std::vector<DomainUse> use_by_cell(const Cluster& cluster,
                                   std::size_t resource,
                                   const ClusterView* view) {
    std::vector<DomainUse> use(cluster.cells.size());
    for (std::size_t c = 0; c < use.size(); ++c) {
        use[c].capacity = cluster.cells[c].capacity[resource];
        use[c].background = cluster.cells[c].background[resource];
    }
    if (view != nullptr) {
        for (const ClusterView::Members& at : view->members) {
            use[at.cell].members = at.count;
            use[at.cell].group = at.amount.empty() ? 0 : at.amount[resource];
        }
        for (const ClusterView::Members& at : view->others) {
            use[at.cell].background += at.amount.empty() ? 0 : at.amount[resource];
        }
    }
    return use;
}

std::vector<DomainUse> use_by_domain(const Cluster& cluster,
                                     std::size_t level,
                                     std::size_t resource,
                                     const ClusterView* view) {
    const std::vector<DomainUse> cells = use_by_cell(cluster, resource, view);
    std::vector<DomainUse> use(cluster.domains[level].size());
    for (std::size_t c = 0; c < cells.size(); ++c) {
        std::uint32_t domain = cluster.cells[c].parent;
        for (std::size_t at = cluster.levels.size() - 1; at > level; --at) {
            domain = cluster.domains[at][domain].parent;
        }
        use[domain].capacity += cells[c].capacity;
        use[domain].background += cells[c].background;
        use[domain].group += cells[c].group;
        use[domain].members += cells[c].members;
    }
    return use;
}

}  // namespace berth::report
