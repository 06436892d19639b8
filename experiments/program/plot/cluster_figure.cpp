#include <fmt/format.h>

#include <algorithm>

#include "core/support/source.hpp"
#include "experiments/program/plot/drawing.hpp"
#include "experiments/program/report/run_parts.hpp"

namespace berth::report {
namespace cluster_map {

std::vector<std::uint32_t> path_of(const Cluster& cluster, const Cell& cell) {
    std::vector<std::uint32_t> path(cluster.levels.size());
    std::uint32_t domain = cell.parent;
    for (std::size_t level = path.size(); level-- > 0;) {
        path[level] = domain;
        domain = cluster.domains[level][domain].parent;
    }
    return path;
}

/// Adds a row for each cell, with the names above it joined by slashes.
void add_rows(FigureTable& table,
              const std::string& run,
              const Cluster& cluster,
              std::size_t resource,
              const std::vector<DomainUse>& use,
              bool known) {
    for (std::size_t c = 0; c < use.size(); ++c) {
        const std::vector<std::uint32_t> path = path_of(cluster, cluster.cells[c]);
        std::string place;
        for (std::size_t level = 0; level < path.size(); ++level) {
            place += (level == 0 ? "" : "/") + cluster.domains[level][path[level]].name;
        }
        table.row({run,
                   place,
                   cluster.cells[c].name,
                   fmt::format("{}", cluster.cells[c].servers),
                   cluster.resources[resource],
                   cell(use[c].capacity),
                   cell(use[c].background),
                   fmt::format("{}", use[c].members),
                   known ? cell(use[c].group) : ""});
    }
}

/// The cluster as the figure shows it: with one view, of the chosen time if there is one.
Cluster shown(const RunDirectory& run, const std::vector<std::string>& wanted) {
    if (!run.cluster) {
        throw core::InputError(fmt::format(
            "{}: error: the run has no nodes.csv: expected one for this figure", run.directory));
    }
    constexpr std::size_t cells_max = 20'000;
    Cluster cluster = *run.cluster;
    aggregate(cluster, cells_max);
    if (wanted.size() > 1) {
        cluster.views = {view_at(cluster, parse_time(wanted[1]))};
        cluster.member = "pod";
    }
    cluster.views.resize(std::min<std::size_t>(cluster.views.size(), 1));
    return cluster;
}

}  // namespace cluster_map

Drawing cluster_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace cluster_map;
    const std::vector<std::string> wanted = split_choice(choice);
    if (wanted.size() > 2) {
        throw core::InputError(fmt::format(
            "--figure: error: found '{}': expected RESOURCE,TIME, such as cpu,2h", choice));
    }
    if (wanted.size() > 1) {
        (void)parse_time(wanted[1]);
    }
    FigureTable table({"run",
                       "place",
                       "node",
                       "servers",
                       "resource",
                       "capacity",
                       "background",
                       "members",
                       "members_amount"});
    const std::vector<std::string> names = run_names(runs);
    nlohmann::ordered_json resources = nlohmann::ordered_json::array();
    nlohmann::ordered_json data = data_of_runs(runs, [&](const RunDirectory& run) {
        const Cluster cluster = shown(run, wanted);
        const ClusterView* view = cluster.views.empty() ? nullptr : &cluster.views.front();
        const bool known =
            view != nullptr && !view->members.empty() && !view->members.front().amount.empty();
        const std::size_t resource = choose_resource(run, wanted[0]);
        add_rows(table,
                 names[resources.size()],
                 cluster,
                 resource,
                 use_by_cell(cluster, resource, view),
                 known);
        resources.push_back(resource);
        return nlohmann::ordered_json{{"cluster", cluster_data(cluster)}};
    });
    data["resources"] = std::move(resources);
    return {std::move(table), std::move(data)};
}

}  // namespace berth::report
