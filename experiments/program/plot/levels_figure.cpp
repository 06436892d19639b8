#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/support/source.hpp"
#include "experiments/program/plot/script.hpp"

namespace berth::report {
namespace levels {

constexpr double page_width = 504;
constexpr double panel_height = 92;
constexpr double gap = 34;  // between panels, with room for the axis of the next one
constexpr double head = 18;
constexpr double foot = 26;
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
    double weight = 1;    ///< The panel's share of the width.
    std::string run;
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
    panel.weight = std::clamp(static_cast<double>(use.size()) / 6, 1.0, 3.0);
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
    panel.weight = 1.5;
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

/// The text of a tic, escaped because gnuplot takes it as a format.
std::string tic(const std::string& name, std::size_t at) {
    std::string text;
    for (const char c : name) {
        text += c == '%' ? "%%" : std::string(1, c);
    }
    return fmt::format("{} {}", single_quoted(text), at);
}

void draw_panel(Script& script, const Panel& panel, double left, double top, double width) {
    std::vector<std::string> lower;
    std::vector<std::string> upper;
    std::string tics;
    const std::size_t every = panel.bars.size() > 30 ? 4 : panel.bars.size() > 14 ? 2 : 1;
    for (std::size_t i = 0; i < panel.bars.size(); ++i) {
        const Bar& bar = panel.bars[i];
        const double x0 = static_cast<double>(i) - 0.4;
        const double x1 = static_cast<double>(i) + 0.4;
        const double sum = bar.background + bar.group;
        lower.push_back(fmt::format("{} 0 {} {} 0 {:.6g}", i, x0, x1, bar.background));
        upper.push_back(fmt::format("{} 0 {} {} {:.6g} {:.6g}", i, x0, x1, bar.background, sum));
        if (i % every == 0 || !panel.shares) {
            tics += (tics.empty() ? "" : ", ") + tic(bar.name, i);
        }
    }
    script.place(left, top, width, panel_height);
    script.title(left, top - 9, panel.title);
    script.line("set border 1 linestyle 1");
    script.line(fmt::format("set xrange [-0.6:{}]", static_cast<double>(panel.bars.size()) - 0.4));
    script.line(fmt::format("set xtics ({}) offset 0,0.4", tics));
    script.x_label(panel.axis, 1);
    script.line("set grid ytics linestyle 2");
    double most = 0;
    for (const Bar& bar : panel.bars) {
        most = std::max(most, bar.background + bar.group);
    }
    script.line(panel.shares
                    ? "set yrange [0:1]\nset format y '%.0f%%'\n"
                      "set ytics ('0%%' 0, '25%%' 0.25, '50%%' 0.5, '75%%' 0.75, '100%%' 1)"
                    : fmt::format("set yrange [0:{}]\nset format y '%.0f'\n"
                                  "unset ytics\nset ytics {} scale 0 nomirror textcolor rgb '{}'",
                                  std::max(most, 1.0) * 1.06,
                                  std::max(tic_step(most), 1.0),
                                  hex(ink::muted)));
    script.line(
        fmt::format("plot {} using 1:2:3:4:5:6 with boxxyerror linecolor rgb '{}', "
                    "{} using 1:2:3:4:5:6 with boxxyerror linecolor rgb '{}'",
                    script.data(lower),
                    hex(ink::bar),
                    script.data(upper),
                    hex(ink::group)));
    script.line("unset label");
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

Script levels_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace levels;
    // A run has one or two lines of panels: the levels, and the histograms of the servers.
    struct Line {
        std::vector<Panel> panels;
        std::string title;
    };
    std::vector<Line> lines;
    const std::vector<std::string> names = run_names(runs);
    bool members = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        std::vector<Panel> panels = panels_of(runs[i], choice);
        const std::string title = runs.size() > 1 ? names[i] : "";
        members = members || !runs[i].cluster->views.empty();
        lines.push_back({{}, title});
        double weight = 0;
        for (Panel& panel : panels) {
            const bool histogram = !panel.shares;
            const bool first_histogram =
                histogram && !lines.back().panels.empty() && lines.back().panels.back().shares;
            if (!lines.back().panels.empty() && (first_histogram || weight + panel.weight > 5)) {
                lines.push_back({{}, ""});
                weight = 0;
            }
            weight += panel.weight;
            panel.run = names[i];
            lines.back().panels.push_back(std::move(panel));
        }
    }
    double height = 14;
    for (const Line& line : lines) {
        height += head + panel_height + foot + (line.title.empty() ? 0 : 14);
    }
    Script script(page_width, height);
    script.line("set style fill solid 1 noborder\nunset key");
    script.columns({"run", "measure", "axis", "bar", "background", "members"});
    double top = 4;
    if (members) {
        const double next = script.key(gap, top + 4, ink::bar, "background");
        const std::string& member = runs.front().cluster->member;
        script.key(next,
                   top + 4,
                   ink::group,
                   fmt::format("{}s; {}s that hold some", member, runs.front().cluster->leaf));
        top += 10;
    }
    for (const Line& line : lines) {
        if (!line.title.empty()) {
            script.label(
                4,
                top + 8,
                line.title,
                fmt::format("left font 'sans-serif,9' textcolor rgb '{}'", hex(ink::text)));
            top += 14;
        }
        double weights = 0;
        for (const Panel& panel : line.panels) {
            weights += panel.weight;
        }
        const double count = static_cast<double>(line.panels.size());
        const double space = page_width - 6 - count * gap;
        double left = 0;
        for (const Panel& panel : line.panels) {
            const double width = space * panel.weight / weights;
            draw_panel(script, panel, left + gap, top + head, width);
            for (const Bar& bar : panel.bars) {
                script.row({panel.run,
                            panel.title,
                            panel.axis,
                            bar.name,
                            cell(bar.background),
                            cell(bar.group)});
            }
            left += gap + width;
        }
        top += head + panel_height + foot;
    }
    return script;
}

}  // namespace berth::report
