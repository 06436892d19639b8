#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/support/source.hpp"
#include "experiments/program/plot/script.hpp"

namespace berth::report {
namespace cluster_map {

constexpr double page_width = 504;  // seven inches: the width of a page
constexpr double left = 30;
constexpr double right = 4;
constexpr double label_height = 11;
constexpr std::size_t rows_max = 40;

/// The cells of one domain of the lowest level, or some of them.
struct Column {
    std::size_t first = 0;
    std::size_t count = 0;
    std::vector<std::uint32_t> path;  ///< The domain at each level.
    double x = 0;                     ///< The left end, in cells.
};

std::vector<std::uint32_t> path_of(const Cluster& cluster, const Cell& cell) {
    std::vector<std::uint32_t> path(cluster.levels.size());
    std::uint32_t domain = cell.parent;
    for (std::size_t level = path.size(); level-- > 0;) {
        path[level] = domain;
        domain = cluster.domains[level][domain].parent;
    }
    return path;
}

/// The places of the cells of one cluster: bands of columns, as on the report's page.
struct Layout {
    std::vector<std::vector<Column>> bands;
    std::size_t rows = 1;
    double width = 1;  ///< The width of the widest band, in cells.
    double cell_height = 9;

    [[nodiscard]] double band_height(std::size_t levels) const {
        return static_cast<double>(levels) * label_height +
               static_cast<double>(rows) * cell_height + 8;
    }
};

Layout lay_out(const Cluster& cluster) {
    const std::size_t depth = cluster.levels.size();
    std::vector<Column> blocks;
    std::size_t tallest = 0;
    for (std::size_t c = 0; c < cluster.cells.size(); ++c) {
        if (c == 0 || (depth > 0 && cluster.cells[c].parent != cluster.cells[c - 1].parent)) {
            blocks.push_back({c, 0, path_of(cluster, cluster.cells[c]), 0});
        }
        tallest = std::max(tallest, ++blocks.back().count);
    }
    Layout layout;
    const double cells = static_cast<double>(cluster.cells.size());
    const auto few = static_cast<std::size_t>(std::max(4.0, std::ceil(std::sqrt(cells / 2.5))));
    const std::size_t most = std::min(tallest, blocks.size() < 6 ? few : rows_max);
    const std::size_t parts = (tallest + most - 1) / most;
    layout.rows = (tallest + parts - 1) / parts;
    layout.cell_height = layout.rows > 24 ? 6 : 9;
    const double columns_max = cluster.cells.size() > 4000 ? 150 : 64;
    double x = 0;
    const Column* before = nullptr;
    layout.bands.emplace_back();
    for (const Column& block : blocks) {
        for (std::size_t i = 0; i < block.count; i += layout.rows) {
            Column column = block;
            column.first = block.first + i;
            column.count = std::min(layout.rows, block.count - i);
            if (before != nullptr) {
                const auto parting = std::ranges::mismatch(before->path, column.path);
                const auto level = static_cast<std::size_t>(parting.in1 - before->path.begin());
                if (level < depth) {
                    x += 0.22 + 0.5 * static_cast<double>(depth - 1 - level);
                }
            }
            if (x + 1 > columns_max) {
                layout.bands.emplace_back();
                x = 0;
            }
            column.x = x;
            x += 1;
            layout.width = std::max(layout.width, x);
            layout.bands.back().push_back(column);
            before = &block;
        }
    }
    return layout;
}

/// The boxes and texts of one picture, gathered for one plot command.
struct Drawing {
    std::vector<std::string> boxes;    ///< x y x0 x1 y0 y1 colour
    std::vector<std::string> lines;    ///< x y dx dy
    std::vector<std::string> edges;    ///< x y dx dy, between domains of the highest level
    std::vector<std::string> names;    ///< x y "text"
    std::vector<std::string> heads;    ///< x y "text", dark
    std::vector<std::string> middles;  ///< x y "text", centred
    std::vector<std::string> counts;   ///< x y "text", on a member's box

    void box(double x0, double x1, double y0, double y1, std::uint32_t colour) {
        boxes.push_back(fmt::format("{:.2f} {:.2f} {:.2f} {:.2f} {:.2f} {:.2f} {}",
                                    (x0 + x1) / 2,
                                    (y0 + y1) / 2,
                                    x0,
                                    x1,
                                    y0,
                                    y1,
                                    colour));
    }
    static std::string text(double x, double y, std::string_view what) {
        return fmt::format("{:.2f} {:.2f} \"{}\"", x, y, plain_text(what));
    }
};

void draw_labels(const Cluster& cluster,
                 const Layout& layout,
                 const std::vector<Column>& band,
                 double top,
                 double unit,
                 Drawing& drawing) {
    const std::size_t depth = cluster.levels.size();
    for (std::size_t level = 0; level < depth; ++level) {
        std::vector<std::string> names;
        std::ranges::transform(cluster.domains[level], std::back_inserter(names), &Domain::name);
        const std::vector<std::string> shorter = short_names(names);
        double longest = 0;
        for (const std::string& name : shorter) {
            longest = std::max(longest, text_width(name));
        }
        // If the names of the lowest level do not all fit, only every second, third, ... is drawn.
        const auto every = [&](double width) {
            return static_cast<std::uint32_t>(std::max(1.0, std::ceil((longest - 1) / width)));
        };
        const double y = top + static_cast<double>(level) * label_height;
        drawing.names.push_back(Drawing::text(0, y + 5, cluster.levels[level]));
        for (std::size_t i = 0; i < band.size();) {
            std::size_t j = i;
            while (j + 1 < band.size() && band[j + 1].path[level] == band[i].path[level]) {
                ++j;
            }
            const double x0 = left + band[i].x * unit;
            const double x1 = left + (band[j].x + 1) * unit;
            const std::uint32_t domain = band[i].path[level];
            std::string name = names[domain];
            const auto too_wide = [&] { return text_width(name) > x1 - x0 + 1; };
            if (too_wide()) {
                name = shorter[domain];
            }
            if (level + 1 < depth) {
                drawing.lines.push_back(
                    fmt::format("{:.2f} {:.2f} {:.2f} 0", x0, y + 10, x1 - x0 - 1));
            }
            if (level == 0 && depth > 1 && band[i].x > 0) {
                // The boundary between two domains of the highest level.
                const double edge = x0 - 0.11 * unit - 0.25 * unit * static_cast<double>(depth - 1);
                const double height = layout.band_height(depth) - 8;
                drawing.edges.push_back(fmt::format("{:.2f} {:.2f} 0 {:.2f}", edge, y, height));
            }
            if (level + 1 < depth && !too_wide()) {
                drawing.heads.push_back(Drawing::text(x0, y + 4.5, name));
            }
            if (level + 1 == depth && domain % every(x1 - x0) == 0) {
                drawing.middles.push_back(Drawing::text((x0 + x1) / 2, y + 5, name));
            }
            i = j + 1;
        }
    }
}

void draw_cells(const std::vector<DomainUse>& use,
                bool amounts_known,
                const Layout& layout,
                const std::vector<Column>& band,
                double top,
                double unit,
                Drawing& drawing) {
    const double space = std::min(1.0, unit * 0.12);
    for (const Column& column : band) {
        for (std::size_t row = 0; row < column.count; ++row) {
            const DomainUse& cell = use[column.first + row];
            const double x0 = left + column.x * unit;
            const double x1 = x0 + unit - space;
            const double y0 = top + static_cast<double>(row) * layout.cell_height;
            const double y1 = y0 + layout.cell_height - space;
            const double share = cell.capacity > 0 ? cell.background / cell.capacity : 0;
            drawing.box(x0, x1, y0, y1, ramp(share));
            if (cell.members == 0) {
                continue;
            }
            const std::string count = fmt::format("{}", cell.members);
            const double text_width = static_cast<double>(count.size()) * 4.0 + 2.5;
            const bool fits = text_width <= x1 - x0 && layout.cell_height >= 7;
            const double taken =
                amounts_known && cell.capacity > 0 ? (x1 - x0) * cell.group / cell.capacity : 0;
            const double least = fits ? text_width : std::min(x1 - x0, 2.5);
            drawing.box(x0, std::min(x1, x0 + std::max(taken, least)), y0, y1, ink::group);
            if (fits) {
                drawing.counts.push_back(Drawing::text(x0 + 1.4, (y0 + y1) / 2 + 0.2, count));
            }
        }
    }
}

void draw_legend(const Cluster& cluster, bool view, bool known, double y, Drawing& drawing) {
    drawing.names.push_back(Drawing::text(left, y + 4, "background: idle"));
    const double ramp_left = left + 70;
    for (int i = 0; i < 24; ++i) {
        drawing.box(ramp_left + i * 2.5, ramp_left + (i + 1) * 2.5, y, y + 8, ramp(i / 23.0));
    }
    drawing.names.push_back(Drawing::text(ramp_left + 64, y + 4, "full"));
    if (view) {
        const double at = ramp_left + 100;
        drawing.box(at, at + 18, y, y + 8, ink::half);
        drawing.box(at, at + 9, y, y + 8, ink::group);
        drawing.counts.push_back(Drawing::text(at + 1.4, y + 4.2, "3"));
        const std::string what =
            known ? fmt::format("{}s: how many, as wide as their share of the {}",
                                cluster.member,
                                cluster.leaf)
                  : fmt::format("how many {}s", cluster.member);
        drawing.names.push_back(Drawing::text(at + 22, y + 4, what));
    }
}

/// Adds a row for each cell, with the names above it joined by slashes.
void add_rows(Script& script,
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
        script.row({run,
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

}  // namespace cluster_map

Script cluster_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace cluster_map;
    const std::vector<std::string> wanted = split_choice(choice);
    const bool at_time = wanted.size() > 1;
    const double time_s = at_time ? parse_time(wanted[1]) : 0;
    std::vector<Cluster> clusters;
    std::vector<Layout> layouts;
    double height = 16;
    for (const RunDirectory& run : runs) {
        if (!run.cluster) {
            throw core::InputError(
                fmt::format("{}: error: the run has no nodes.csv: expected one for this figure",
                            run.directory));
        }
        clusters.push_back(*run.cluster);
        aggregate(clusters.back(), 20'000);
        if (at_time) {
            clusters.back().views = {view_at(clusters.back(), time_s)};
            clusters.back().member = "pod";
        }
        layouts.push_back(lay_out(clusters.back()));
        height += (runs.size() > 1 ? 14 : 4) +
                  static_cast<double>(layouts.back().bands.size()) *
                      layouts.back().band_height(clusters.back().levels.size());
    }
    Script script(page_width, height);
    script.columns({"run",
                    "place",
                    "node",
                    "servers",
                    "resource",
                    "capacity",
                    "background",
                    "members",
                    "members_amount"});
    Drawing drawing;
    const std::vector<std::string> names = run_names(runs);
    double top = 4;
    bool any_view = false;
    bool all_known = true;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const Cluster& cluster = clusters[i];
        const ClusterView* view = cluster.views.empty() ? nullptr : &cluster.views.front();
        const bool known =
            view != nullptr && !view->members.empty() && !view->members.front().amount.empty();
        any_view = any_view || view != nullptr;
        all_known = all_known && (view == nullptr || known);
        const std::vector<DomainUse> use =
            use_by_cell(cluster, choose_resource(runs[i], wanted[0]), view);
        if (runs.size() > 1) {
            drawing.heads.push_back(Drawing::text(left, top + 4, names[i]));
            top += 14;
        }
        add_rows(script, names[i], cluster, choose_resource(runs[i], wanted[0]), use, known);
        const double unit = (page_width - left - right) / layouts[i].width;
        for (const std::vector<Column>& band : layouts[i].bands) {
            draw_labels(cluster, layouts[i], band, top, unit, drawing);
            const double cells_top =
                top + static_cast<double>(cluster.levels.size()) * label_height + 1;
            draw_cells(use, known, layouts[i], band, cells_top, unit, drawing);
            top += layouts[i].band_height(cluster.levels.size());
        }
    }
    draw_legend(clusters.front(), any_view, all_known, top, drawing);
    script.page_coordinates();
    script.line("set style fill solid 1 noborder");
    const std::string boxes = script.data(drawing.boxes);
    std::string plot =
        fmt::format("plot {} using 1:2:3:4:5:6:7 with boxxyerror linecolor rgb variable", boxes);
    const auto texts =
        [&](const std::vector<std::string>& rows, std::string_view how, std::uint32_t colour) {
            if (!rows.empty()) {
                plot += fmt::format(", {} using 1:2:3 with labels {} textcolor rgb '{}'",
                                    script.data(rows),
                                    how,
                                    hex(colour));
            }
        };
    texts(drawing.names, "left", ink::muted);
    texts(drawing.heads, "left", ink::text);
    texts(drawing.middles, "center", ink::muted);
    texts(drawing.counts, "left font 'sans-serif,6.5'", 0xFFFFFF);
    const auto vectors = [&](const std::vector<std::string>& rows, std::uint32_t colour) {
        if (!rows.empty()) {
            plot += fmt::format(
                ", {} using 1:2:3:4 with vectors nohead linecolor rgb '{}' linewidth 0.8",
                script.data(rows),
                hex(colour));
        }
    };
    vectors(drawing.lines, ink::muted);
    vectors(drawing.edges, ink::edge);
    script.line(plot);
    return script;
}

}  // namespace berth::report
