#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/support/source.hpp"
#include "experiments/program/plot/drawing.hpp"
#include "experiments/program/report/run_parts.hpp"

namespace berth::report {
namespace levels {

constexpr std::size_t bars_max = 60;

/// A stacked bar: the lower part is background, the upper part belongs to the view.
struct Bar {
    std::string name;
    double background = 0;
    double group = 0;
};

struct Panel {
    std::string title;
    std::string axis;  ///< What the bars stand for.
    std::vector<Bar> bars;
    bool shares = false;  ///< Whether heights are shares of a capacity; otherwise they are counts.
};

Panel level_panel(const Cluster& cluster,
                  std::size_t level,
                  std::size_t resource,
                  const ClusterView* view) {
    Panel panel;
    panel.title = fmt::format("{} in use", cluster.resources[resource]);
    panel.axis = cluster.levels[level];
    panel.shares = true;
    std::vector<std::string> names;
    std::ranges::transform(cluster.domains[level], std::back_inserter(names), &Domain::name);
    names = short_names(names);
    const std::vector<DomainUse> use = use_by_domain(cluster, level, resource, view);
    for (std::size_t d = 0; d < use.size(); ++d) {
        const double capacity = use[d].capacity > 0 ? use[d].capacity : 1;
        panel.bars.push_back({names[d], use[d].background / capacity, use[d].group / capacity});
    }
    return panel;
}

Panel use_panel(const Cluster& cluster, std::size_t resource, const ClusterView* view) {
    Panel panel;
    panel.title = fmt::format("number of {}s", cluster.leaf);
    panel.axis = fmt::format("{} in use", cluster.resources[resource]);
    panel.bars.resize(12);
    panel.bars[0].name = "idle";
    for (std::size_t i = 1; i <= 10; ++i) {
        panel.bars[i].name = i % 2 == 0 && i < 10 ? fmt::format("<{}%", i * 10) : "";
    }
    panel.bars[11].name = "full";
    for (const DomainUse& use : use_by_cell(cluster, resource, view)) {
        const double share = use.capacity > 0 ? (use.background + use.group) / use.capacity : 0;
        std::size_t at = 0;
        if (share >= 1 - 1e-9) {
            at = 11;
        } else if (share > 0) {
            at = 1 + std::min<std::size_t>(9, static_cast<std::size_t>(share * 10));
        }
        (use.members > 0 ? panel.bars[at].group : panel.bars[at].background) += 1;
    }
    return panel;
}

Panel members_panel(const Cluster& cluster, const ClusterView& view) {
    Panel panel;
    panel.title = fmt::format("number of {}s", cluster.leaf);
    panel.axis = fmt::format("{}s on them", cluster.member);
    std::vector<double> counts;
    for (const ClusterView::Members& at : view.members) {
        counts.push_back(at.count);
    }
    const double most = counts.empty() ? 1 : *std::ranges::max_element(counts);
    const double step = std::ceil(most / 20);
    panel.bars.resize(static_cast<std::size_t>(std::ceil(most / step)));
    for (std::size_t i = 0; i < panel.bars.size(); ++i) {
        const double from = static_cast<double>(i) * step + 1;
        panel.bars[i].name =
            step == 1 ? fmt::format("{}", from) : fmt::format("{}-{}", from, from + step - 1);
    }
    for (const double count : counts) {
        panel.bars[static_cast<std::size_t>((count - 1) / step)].group += 1;
    }
    return panel;
}

std::vector<Panel> panels_of(const RunDirectory& run, std::string_view choice) {
    if (!run.cluster) {
        throw core::InputError(fmt::format(
            "{}: error: the run has no nodes.csv: expected one for this figure", run.directory));
    }
    const Cluster& cluster = *run.cluster;
    const std::size_t resource = choose_resource(run, choice);
    const ClusterView* view = cluster.views.empty() ? nullptr : &cluster.views.front();
    std::vector<Panel> panels;
    for (std::size_t level = 0; level < cluster.levels.size(); ++level) {
        const std::size_t count = cluster.domains[level].size();
        if (count > 1 && count <= bars_max) {
            panels.push_back(level_panel(cluster, level, resource, view));
        }
    }
    panels.push_back(use_panel(cluster, resource, view));
    if (view != nullptr) {
        panels.push_back(members_panel(cluster, *view));
    }
    return panels;
}

}  // namespace levels

Drawing levels_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace levels;
    FigureTable table({"run", "measure", "axis", "bar", "background", "members"});
    const std::vector<std::string> names = run_names(runs);
    nlohmann::ordered_json resources = nlohmann::ordered_json::array();
    nlohmann::ordered_json data = data_of_runs(runs, [&](const RunDirectory& run) {
        for (const Panel& panel : panels_of(run, choice)) {
            for (const Bar& bar : panel.bars) {
                table.row({names[resources.size()],
                           panel.title,
                           panel.axis,
                           bar.name,
                           cell(bar.background),
                           cell(bar.group)});
            }
        }
        resources.push_back(choose_resource(run, choice));
        Cluster cluster = *run.cluster;
        cluster.views.resize(std::min<std::size_t>(cluster.views.size(), 1));
        return nlohmann::ordered_json{{"cluster", cluster_data(cluster)}};
    });
    data["resources"] = std::move(resources);
    return {std::move(table), std::move(data)};
}

}  // namespace berth::report
