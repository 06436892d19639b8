#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/plot/script.hpp"
#include "experiments/program/results/device_figures.hpp"

namespace berth::report {
namespace locality {

constexpr double page_width = 504;
constexpr double panel_width = 204;
constexpr double panel_height = 96;
constexpr double left = 40;
constexpr double between = 44;
constexpr double head = 24;                 // the title of a panel, below the keys
constexpr double line = panel_height + 46;  // with the panel's axis and the title of the next one

/// The titles, in the order of nearness_kinds.
constexpr std::array<std::string_view, 4> titles{
    "one PCIe switch", "one NVLink island", "one NUMA node", "a NIC beside each GPU"};

/// The shares of one kind of nearness in all runs.
struct Panel {
    std::size_t kind = 0;
    std::vector<std::size_t> sizes;  ///< The numbers of GPUs; 0 stands for all pods.
};

using Sizes = std::vector<std::vector<NearnessOfSize>>;  // one entry for each run

Sizes sizes_of(const std::vector<RunDirectory>& runs) {
    Sizes sizes;
    for (const RunDirectory& run : runs) {
        if (!run.devices) {
            throw core::InputError(
                fmt::format("{}: error: the run has no devices.csv: expected one for this figure",
                            run.directory));
        }
        sizes.push_back(nearness_by_size(*run.devices));
    }
    return sizes;
}

/// The counts of a size; nullptr if the run has no pods of that size for which the kind is counted.
const NearnessCount* find(const std::vector<NearnessOfSize>& sizes,
                          std::size_t gpus,
                          std::size_t kind) {
    const auto found = std::ranges::find(sizes, gpus, &NearnessOfSize::gpus);
    const bool there = found != sizes.end() && found->kinds[kind].pods > 0;
    return there ? &found->kinds[kind] : nullptr;
}

std::vector<Panel> panels_of(const Sizes& runs, std::string_view choice) {
    if (!choice.empty() && std::ranges::count(nearness_kinds, choice) == 0) {
        const std::string wanted(choice);
        const std::vector<std::string> known(nearness_kinds.begin(), nearness_kinds.end());
        throw core::InputError(fmt::format("--figure: error: unknown kind '{}'{}: expected {}",
                                           wanted,
                                           core::suggestion(wanted, known),
                                           core::join(known, ", ")));
    }
    std::vector<Panel> panels;
    for (std::size_t kind = 0; kind < nearness_kinds.size(); ++kind) {
        std::set<std::size_t> sizes;
        for (const std::vector<NearnessOfSize>& run : runs) {
            for (const NearnessOfSize& of_size : run) {
                if (of_size.kinds[kind].pods > 0) {
                    sizes.insert(of_size.gpus);
                }
            }
        }
        if (!sizes.empty() && (choice.empty() || nearness_kinds[kind] == choice)) {
            panels.push_back({kind, {sizes.begin(), sizes.end()}});
        }
    }
    if (panels.empty()) {
        throw core::InputError(
            "--figure: error: no pod has devices to keep together: expected one for this figure");
    }
    return panels;
}

std::uint32_t run_colour(std::size_t run) {
    return ink::series[run % std::size(ink::series)];
}

/// A rectangle in a row of data: middle, bottom, left, right, bottom, top.
std::string box(double middle, double half, double share) {
    return fmt::format(
        "{0:.6g} 0 {1:.6g} {2:.6g} 0 {3:.6g}", middle, middle - half, middle + half, share);
}

void draw_panel(Script& script, const Sizes& runs, const Panel& panel, double x, double y) {
    const double each = 0.8 / static_cast<double>(runs.size());
    std::string tics;
    for (std::size_t s = 0; s < panel.sizes.size(); ++s) {
        const std::string name = panel.sizes[s] == 0 ? "all" : fmt::format("{}", panel.sizes[s]);
        tics += fmt::format("{}{} {}", s == 0 ? "" : ", ", single_quoted(name), s);
    }
    script.place(x, y, panel_width, panel_height);
    script.title(x, y - 9, std::string(titles[panel.kind]));
    script.line("set border 1 linestyle 1\nset grid ytics linestyle 2");
    script.line("set style fill solid 1 noborder");
    script.line(fmt::format("set xrange [-0.6:{}]", static_cast<double>(panel.sizes.size()) - 0.4));
    script.line(fmt::format("set xtics ({}) offset 0,0.4", tics));
    script.x_label("GPUs of a pod", 1);
    script.line(
        "set yrange [0:1]\nset format y '%.0f%%'\n"
        "set ytics ('0%%' 0, '25%%' 0.25, '50%%' 0.5, '75%%' 0.75, '100%%' 1)");
    std::string plots;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        std::vector<std::string> possible;
        std::vector<std::string> reached;
        for (std::size_t s = 0; s < panel.sizes.size(); ++s) {
            const NearnessCount* count = find(runs[run], panel.sizes[s], panel.kind);
            if (count == nullptr) {
                continue;
            }
            const auto pods = static_cast<double>(count->pods);
            const double middle =
                static_cast<double>(s) - 0.4 + each * (static_cast<double>(run) + 0.5);
            possible.push_back(
                box(middle, each * 0.45, static_cast<double>(count->attainable) / pods));
            reached.push_back(box(middle, each * 0.25, static_cast<double>(count->reached) / pods));
        }
        if (possible.empty()) {
            continue;
        }
        for (const auto& [rows, colour] :
             {std::pair(&possible, pale(run_colour(run))), std::pair(&reached, run_colour(run))}) {
            plots += fmt::format("{}{} using 1:2:3:4:5:6 with boxxyerror linecolor rgb '{}'",
                                 plots.empty() ? "plot " : ", ",
                                 script.data(*rows),
                                 hex(colour));
        }
    }
    script.line(plots);
    script.line("unset label");
}

/// Adds rows by size; `all` stands for all pods together.
void add_rows(Script& script,
              const std::vector<std::string>& names,
              const Sizes& runs,
              const Panel& panel) {
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (const std::size_t gpus : panel.sizes) {
            if (const NearnessCount* count = find(runs[run], gpus, panel.kind)) {
                script.row({names[run],
                            std::string(nearness_kinds[panel.kind]),
                            gpus == 0 ? "all" : fmt::format("{}", gpus),
                            fmt::format("{}", count->pods),
                            fmt::format("{}", count->reached),
                            fmt::format("{}", count->attainable)});
            }
        }
    }
}

}  // namespace locality

Script locality_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace locality;
    const Sizes sizes = sizes_of(runs);
    const std::vector<Panel> panels = panels_of(sizes, choice);
    const std::size_t across = std::min<std::size_t>(panels.size(), 2);
    const std::size_t down = (panels.size() + across - 1) / across;
    const double width = across == 1 ? left + panel_width + 20 : page_width;
    std::vector<Key> keys;
    const std::vector<std::string> names = run_names(runs);
    for (std::size_t run = 0; run < runs.size(); ++run) {
        keys.push_back({names[run], run_colour(run)});
    }
    keys.push_back({"possible", pale(ink::muted)});
    const double top = place_keys(keys, left, width) + head;
    Script script(width, top + static_cast<double>(down) * line);
    script.line("unset key");
    script.columns({"run", "kind", "gpus", "pods", "reached", "possible"});
    for (const Key& key : keys) {
        script.key(key.x, key.y, key.colour, key.text);
    }
    for (std::size_t p = 0; p < panels.size(); ++p) {
        add_rows(script, names, sizes, panels[p]);
        const std::size_t row = p / across;
        draw_panel(script,
                   sizes,
                   panels[p],
                   left + static_cast<double>(p % across) * (panel_width + between),
                   top + static_cast<double>(row) * line);
    }
    return script;
}

}  // namespace berth::report
