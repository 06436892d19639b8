#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/support/source.hpp"
#include "experiments/program/plot/script.hpp"
#include "experiments/program/results/pod_size.hpp"

namespace berth::report {
namespace gantt {

constexpr double page_width = 504;
constexpr std::size_t rows_max = 64;  // for each run
// for each run; with more, the file becomes too large to open
constexpr std::size_t bars_max = 20'000;
constexpr std::size_t named_max = 6;
constexpr double per_row = 6.5;

/// A part of a pod: the adjacent rows of its server that it occupies, from `row` on.
struct Bar {
    const PodRow* pod = nullptr;
    double row = 0;
    double height = 1;
};

/// The servers of one run, from top to bottom.
struct Panel {
    const Cluster* cluster = nullptr;
    /// The middle of each server, with its name.
    std::vector<std::pair<double, std::string>> names;
    /// The first row of each server, and its number of rows.
    std::vector<std::pair<double, double>> grounds;
    std::vector<Bar> bars;
    double rows = 0;
    double from_s = 0;
    double until_s = 0;
    std::size_t servers = 0;
    std::size_t servers_matched = 0;
};

/// Keeps track of when each of several rows becomes free.
class Lanes {
public:
    /// Takes the lowest free rows, in ascending order. Rows are added as they are needed.
    std::vector<std::size_t> take(const PodRow& pod, std::size_t count) {
        std::vector<std::size_t> taken;
        for (std::size_t lane = 0; taken.size() < count; ++lane) {
            if (lane == until_.size()) {
                until_.push_back(-std::numeric_limits<double>::infinity());
            }
            if (until_[lane] <= pod.start_s) {
                until_[lane] = std::max(pod.finish_s, std::nextafter(pod.start_s, 1e300));
                taken.push_back(lane);
            }
        }
        return taken;
    }
    [[nodiscard]] std::size_t size() const { return until_.size(); }

private:
    std::vector<double> until_;
};

/// The bars of one server from row 0 on: GPUs by their numbers, and below them the pods without
/// GPUs.
std::vector<Bar> bars_of(const std::vector<const PodRow*>& pods,
                         const PodSize& size,
                         bool sizes_are_gpus,
                         double& rows) {
    std::size_t gpus = 0;
    for (const PodRow* pod : pods) {
        gpus = std::max(gpus, static_cast<std::size_t>(std::bit_width(pod->gpus)));
    }
    std::vector<Lanes> lanes(gpus);
    Lanes rest;
    struct Taken {
        const PodRow* pod;
        std::size_t gpu;  ///< The GPU's number; `gpus` for a row below.
        std::size_t lane;
    };
    std::vector<Taken> taken;
    for (const PodRow* pod : pods) {
        for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
            if (((pod->gpus >> gpu) & 1U) != 0) {
                taken.push_back({pod, gpu, lanes[gpu].take(*pod, 1).front()});
            }
        }
        if (pod->gpus == 0) {
            const std::int64_t amount = sizes_are_gpus ? size.thousandths(*pod) : 1000;
            const bool whole = gpus == 0 && amount % 1000 == 0 && amount <= 64'000;
            const auto count = static_cast<std::size_t>(std::max<std::int64_t>(amount / 1000, 1));
            for (const std::size_t lane : rest.take(*pod, whole ? count : 1)) {
                taken.push_back({pod, gpus, lane});
            }
        }
    }
    const double below = static_cast<double>(std::min<std::size_t>(rest.size(), 8));
    std::vector<Bar> bars;
    for (const Taken& one : taken) {
        const bool of_gpu = one.gpu < gpus;
        const double parts = static_cast<double>(of_gpu ? lanes[one.gpu].size() : rest.size());
        const double height = (of_gpu ? 1 : below) / parts;
        const double row = static_cast<double>(one.gpu) + static_cast<double>(one.lane) * height;
        // Adjacent rows of one pod become one bar.
        if (!bars.empty() && bars.back().pod == one.pod &&
            std::abs(bars.back().row + bars.back().height - row) < 1e-9) {
            bars.back().height += height;
        } else {
            bars.push_back({one.pod, row, height});
        }
    }
    rows = std::max(1.0, static_cast<double>(gpus) + below);
    return bars;
}

struct Wanted {
    std::string servers;
    double from_s = 0;
    double until_s = std::numeric_limits<double>::infinity();
};

Wanted read_choice(std::string_view choice) {
    const std::vector<std::string> parts = split_choice(choice);
    Wanted wanted;
    wanted.servers = parts[0];
    if (parts.size() > 1 && !parts[1].empty()) {
        wanted.from_s = parse_time(parts[1]);
    }
    if (parts.size() > 2 && !parts[2].empty()) {
        wanted.until_s = parse_time(parts[2]);
    }
    if (parts.size() > 3 || !(wanted.from_s < wanted.until_s)) {
        throw core::InputError(fmt::format(
            "--figure: error: found '{}': expected SERVERS,FROM,TO, such as server-1,2h,6h",
            choice));
    }
    return wanted;
}

/// The pods of each server within the window, by start.
std::vector<std::vector<const PodRow*>> pods_by_cell(const Cluster& cluster, const Panel& panel) {
    std::vector<std::vector<const PodRow*>> pods(cluster.cells.size());
    for (const PodRow& pod : cluster.pods) {
        if (pod.start_s < panel.until_s && pod.finish_s >= panel.from_s) {
            pods[pod.node].push_back(&pod);
        }
    }
    for (std::vector<const PodRow*>& of_cell : pods) {
        std::ranges::stable_sort(of_cell, {}, [](const PodRow* pod) { return pod->start_s; });
    }
    return pods;
}

Panel panel_of(const RunDirectory& run, const Wanted& wanted, std::size_t rows) {
    if (!run.cluster || run.cluster->pods.empty()) {
        throw core::InputError(
            fmt::format("{}: error: the run has no pods with a place: expected nodes.csv and "
                        "pods.csv for this figure",
                        run.directory));
    }
    const Cluster& cluster = *run.cluster;
    if (!(cluster.last_s > 0)) {
        throw core::InputError(
            fmt::format("{}: error: no time passes in this run: expected a pod that starts or "
                        "finishes later than at 0 s",
                        run.directory));
    }
    Panel panel;
    panel.cluster = &cluster;
    panel.from_s = wanted.from_s;
    const double busy = busy_until(cluster);
    panel.until_s = std::min(wanted.until_s, std::max(busy, wanted.from_s + 1e-9));
    const PodSize size(cluster);
    const bool gpus = size.resource().find("gpu") != std::string::npos;
    const std::vector<std::vector<const PodRow*>> pods = pods_by_cell(cluster, panel);
    for (std::size_t c = 0; c < cluster.cells.size(); ++c) {
        const std::string& name = cluster.cells[c].name;
        if (pods[c].empty() || name.find(wanted.servers) == std::string::npos) {
            continue;
        }
        ++panel.servers_matched;
        double high = 0;
        const std::vector<Bar> bars = bars_of(pods[c], size, gpus, high);
        const bool fits = panel.rows + high <= static_cast<double>(rows) &&
                          panel.bars.size() + bars.size() <= bars_max;
        if (panel.servers + 1 < panel.servers_matched || (!fits && panel.servers > 0)) {
            continue;  // the remaining servers are left out
        }
        ++panel.servers;
        for (Bar bar : bars) {
            bar.row += panel.rows;
            panel.bars.push_back(bar);
        }
        panel.names.emplace_back(panel.rows + high / 2, name);
        panel.grounds.emplace_back(panel.rows, high);
        panel.rows += high + 0.3;
    }
    if (panel.servers == 0) {
        throw core::InputError(
            fmt::format("{}: error: no pod ran on a server named '{}' then: expected part of a "
                        "server's name, and a time in which one did",
                        run.directory,
                        wanted.servers));
    }
    return panel;
}

/// Colours bars by quota if there are several quotas, otherwise by size.
class Colours {
public:
    explicit Colours(const std::vector<Panel>& panels) {
        std::map<std::string, std::size_t> quotas;
        std::set<std::int64_t> sizes;
        for (const Panel& panel : panels) {
            const PodSize size(*panel.cluster);
            for (const Bar& bar : panel.bars) {
                ++quotas[quota_of(panel, *bar.pod)];
                sizes.insert(size.thousandths(*bar.pod));
            }
        }
        if (quotas.size() > 1) {
            std::vector<std::pair<std::size_t, std::string>> order;
            for (const auto& [name, count] : quotas) {
                order.emplace_back(count, name);
            }
            std::ranges::stable_sort(
                order, std::greater<>(), [](const auto& e) { return e.first; });
            for (const auto& [count, name] : order) {
                const std::size_t at = std::min(by_quota_.size(), named_max);
                by_quota_[name] = ink::series[at];
                if (at < named_max || order.size() == named_max + 1) {
                    keys.push_back({name.empty() ? "no quota" : name, ink::series[at]});
                }
            }
            if (order.size() > named_max + 1) {
                keys.push_back({"others", ink::series[named_max]});
            }
            return;
        }
        const std::string& resource = PodSize(*panels.front().cluster).resource();
        const bool bytes = resource.find("memory") != std::string::npos;
        for (const std::int64_t size : sizes) {
            const double rank = static_cast<double>(by_size_.size());
            const double share =
                sizes.size() > 1 ? rank / static_cast<double>(sizes.size() - 1) : 1;
            by_size_[size] = ramp(0.4 + 0.6 * share);
            const bool end = size == *sizes.begin() || size == *sizes.rbegin();
            if ((sizes.size() <= 8 || end) && !bytes) {
                const std::string unit = resource.find("gpu") == std::string::npos ? resource
                                         : size == 1000                            ? "GPU"
                                                                                   : "GPUs";
                keys.push_back({fmt::format("{:.12g} {}", static_cast<double>(size) / 1000, unit),
                                by_size_[size]});
            }
        }
    }

    [[nodiscard]] std::uint32_t of(const Panel& panel, const PodRow& pod) const {
        return by_quota_.empty() ? by_size_.at(PodSize(*panel.cluster).thousandths(pod))
                                 : by_quota_.at(quota_of(panel, pod));
    }
    static const std::string& quota_of(const Panel& panel, const PodRow& pod) {
        return panel.cluster->names.quotas[pod.quota];
    }

    std::vector<Key> keys;

private:
    std::map<std::string, std::uint32_t> by_quota_;
    std::map<std::int64_t, std::uint32_t> by_size_;
};

std::string name_of(const Cluster& cluster, const PodRow& pod) {
    const std::string& stem = cluster.names.stems[pod.stem];
    return pod.number == no_number ? stem : fmt::format("{}{}", stem, pod.number);
}

std::string gpus_of(const PodRow& pod) {
    std::string text;
    for (std::size_t gpu = 0; gpu < 64; ++gpu) {
        if (((pod.gpus >> gpu) & 1U) != 0) {
            text += fmt::format("{}{}", text.empty() ? "" : "-", gpu);
        }
    }
    return text;
}

void add_rows(Script& script, const std::string& run, const Panel& panel) {
    const PodSize size(*panel.cluster);
    std::set<const PodRow*> known;
    for (const Bar& bar : panel.bars) {
        const PodRow& pod = *bar.pod;
        if (!known.insert(&pod).second) {
            continue;
        }
        const PodNames& names = panel.cluster->names;
        script.row({run,
                    name_of(*panel.cluster, pod),
                    names.quotas[pod.quota],
                    pod.group == no_group ? "" : names.groups[pod.group],
                    panel.cluster->cells[pod.node].name,
                    gpus_of(pod),
                    cell(static_cast<double>(size.thousandths(pod)) / 1000),
                    cell(pod.submit_s),
                    cell(pod.start_s),
                    cell(pod.finish_s)});
    }
}

/// Draws the axes of a panel, with as many names of servers as there is room for.
void place_panel(
    Script& script, const Panel& panel, const std::string& title, double left, double top) {
    const auto [unit, unit_s] = time_unit(panel.until_s - panel.from_s);
    std::string tics;
    double last = -2;
    for (const auto& [row, name] : panel.names) {
        if ((row - last) * per_row >= 8.5) {
            tics += fmt::format("{}{} {:.6g}", tics.empty() ? "" : ", ", single_quoted(name), row);
            last = row;
        }
    }
    script.place(left, top, page_width - left - 12, panel.rows * per_row);
    const std::string of = panel.servers < panel.servers_matched
                               ? fmt::format("{} of {}", panel.servers, panel.servers_matched)
                               : fmt::format("{}", panel.servers);
    const std::string& leaf = panel.cluster->leaf;
    script.title(left,
                 top - 8,
                 fmt::format("{}{} {}{}", title, of, leaf, panel.servers_matched == 1 ? "" : "s"));
    script.line(fmt::format("set xrange [{:.8g}:{:.8g}]\nset yrange [{:.6g}:0]\nset ytics ({})",
                            panel.from_s / unit_s,
                            panel.until_s / unit_s,
                            panel.rows,
                            tics));
    script.x_label(unit);
}

void draw_panel(Script& script, const Panel& panel, const Colours& colours) {
    const double unit_s = time_unit(panel.until_s - panel.from_s).second;
    std::vector<std::string> boxes;
    const double span = (panel.until_s - panel.from_s) / unit_s;
    const auto box = [&](double x0, double x1, double y0, double y1, std::uint32_t colour) {
        boxes.push_back(fmt::format("{:.8g} {:.6g} {:.8g} {:.8g} {:.6g} {:.6g} {}",
                                    (x0 + x1) / 2,
                                    (y0 + y1) / 2,
                                    x0,
                                    x1,
                                    y0,
                                    y1,
                                    colour));
    };
    const double first = panel.from_s / unit_s;
    for (const auto& [row, rows] : panel.grounds) {
        box(first, first + span, row, row + rows, ink::idle);
    }
    for (const Bar& bar : panel.bars) {
        const double x0 = std::max(bar.pod->start_s / unit_s, first);
        const double x1 = std::min(bar.pod->finish_s / unit_s, first + span);
        const double space = x1 - x0 > span * 0.004 ? span * 0.0008 : 0;
        box(x0,
            std::max(x1 - space, x0 + span * 0.0004),
            bar.row,
            bar.row + bar.height - std::min(0.12, bar.height * 0.2),
            colours.of(panel, *bar.pod));
    }
    script.line("plot " + script.data(boxes) +
                " using 1:2:3:4:5:6:7 with boxxyerror linecolor rgb variable");
}

}  // namespace gantt

Script gantt_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace gantt;
    const Wanted wanted = read_choice(choice);
    std::vector<Panel> panels;
    double longest = 0;
    for (const RunDirectory& run : runs) {
        panels.push_back(panel_of(run, wanted, std::max<std::size_t>(rows_max / runs.size(), 8)));
        for (const auto& [row, name] : panels.back().names) {
            longest = std::max(longest, text_width(name));
        }
    }
    Colours colours(panels);
    const double left = std::min(120.0, 12 + longest);
    double top = (colours.keys.empty() ? 0 : place_keys(colours.keys, left, page_width)) + 24;
    double height = top;
    for (const Panel& panel : panels) {
        height += panel.rows * per_row + 44;
    }
    Script script(page_width, height);
    script.columns({"run",
                    "pod",
                    "quota",
                    "group",
                    "node",
                    "gpus",
                    PodSize(*panels.front().cluster).resource(),
                    "submit_s",
                    "start_s",
                    "finish_s"});
    for (const Key& key : colours.keys) {
        script.key(key.x, key.y, key.colour, key.text);
    }
    script.line("unset key\nset style fill solid 1 noborder\nset format x '%g'");
    script.line("set xtics auto offset 0,0.4");
    const std::vector<std::string> names = run_names(runs);
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const Panel& panel = panels[i];
        add_rows(script, names[i], panel);
        const std::string title = runs.size() > 1 ? names[i] + ": " : "";
        place_panel(script, panel, title, left, top);
        draw_panel(script, panel, colours);
        script.line("unset label");
        top += panel.rows * per_row + 44;
    }
    return script;
}

}  // namespace berth::report
