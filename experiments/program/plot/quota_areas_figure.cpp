#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/plot/script.hpp"

namespace berth::report {
namespace quota_areas {

constexpr double page_width = 504;
constexpr double left = 48;
constexpr double panel_height = 150;
constexpr double step_height = panel_height + 38;
constexpr std::size_t times_max = 800;
constexpr std::size_t named_max = 6;

/// The use of one quota, or of all quotas that the figure does not name, at each time.
struct Area {
    std::string name;
    std::vector<double> sure;      ///< The use within its min.
    std::vector<double> borrowed;  ///< The use beyond its min.
};

struct Panel {
    std::string parent;
    std::string resource;
    std::vector<double> time_s;
    std::vector<Area> areas;
};

/// Chooses the quota whose children the figure shows, and the resource.
QuotaChoice choose(const RunDirectory& run, const std::vector<std::string>& wanted) {
    if (!run.quotas) {
        throw core::InputError(fmt::format(
            "{}: error: the run has no quotas.csv: expected one for this figure", run.directory));
    }
    const Quotas& quotas = *run.quotas;
    QuotaChoice choice{0, usual_choice(quotas).resource};
    std::vector<std::string> parents;
    for (const Quota& quota : quotas.quotas) {
        if (quota.last_parent() != no_quota) {
            parents.push_back(quotas.quotas[quota.last_parent()].name);
        }
    }
    std::ranges::sort(parents);
    parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
    const auto unknown = [&](std::string_view what, const std::string& name, const auto& known) {
        return core::InputError(fmt::format("{}: error: unknown {} '{}'{}: expected {}",
                                            run.directory,
                                            what,
                                            name,
                                            core::suggestion(name, known),
                                            core::join(known, ", ")));
    };
    if (!wanted[0].empty()) {
        if (!std::ranges::binary_search(parents, wanted[0])) {
            parents.resize(std::min<std::size_t>(parents.size(), 12));
            throw unknown("parent", wanted[0], parents);
        }
        choice.quota = quotas.find(wanted[0]);
    }
    if (wanted.size() > 1) {
        const auto found = std::ranges::find(quotas.resources, wanted[1]);
        if (found == quotas.resources.end()) {
            throw unknown("resource", wanted[1], quotas.resources);
        }
        choice.resource = static_cast<std::size_t>(found - quotas.resources.begin());
    }
    return choice;
}

/// All instants at which something changes, or as many as are allowed at equal distances.
std::vector<double> times_of(const Quotas& quotas,
                             const std::vector<std::uint32_t>& children,
                             std::size_t resource) {
    std::set<double> times{quotas.first_s, quotas.last_s};
    for (const std::uint32_t q : children) {
        for (const QuotaStep& step : quotas.quotas[q].steps[resource]) {
            times.insert(step.time_s);
        }
    }
    if (times.size() <= times_max) {
        return {times.begin(), times.end()};
    }
    std::vector<double> even;
    for (std::size_t i = 0; i < times_max; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(times_max - 1);
        even.push_back(quotas.first_s + (quotas.last_s - quotas.first_s) * share);
    }
    return even;
}

Panel panel_of(const RunDirectory& run, const std::vector<std::string>& wanted) {
    const QuotaChoice choice = choose(run, wanted);
    const Quotas& quotas = *run.quotas;
    std::vector<std::pair<double, std::uint32_t>> ranked;
    for (std::uint32_t q = 0; q < quotas.quotas.size(); ++q) {
        const Quota& quota = quotas.quotas[q];
        const QuotaFigures figures = figures_of(quota.steps[choice.resource], quotas.last_s);
        // If the system and default quotas were never used, the picture leaves them out.
        const bool unused = quota.special() && figures.used_mean.value_or(0) <= 0;
        if (quota.last_parent() == choice.quota && !unused) {
            ranked.emplace_back(-figures.used_mean.value_or(0) * figures.there_s, q);
        }
    }
    if (ranked.empty()) {
        throw core::InputError(
            fmt::format("{}: error: no quotas below '{}': expected some for this figure",
                        run.directory,
                        quotas.quotas[choice.quota].name));
    }
    std::ranges::sort(ranked);
    std::vector<std::uint32_t> children;
    std::ranges::transform(
        ranked, std::back_inserter(children), [](const auto& entry) { return entry.second; });
    Panel panel;
    panel.parent = choice.quota == 0 ? "all quotas" : quotas.quotas[choice.quota].name;
    panel.resource = quotas.resources[choice.resource];
    panel.time_s = times_of(quotas, children, choice.resource);
    for (std::size_t i = 0; i < children.size(); ++i) {
        const Quota& quota = quotas.quotas[children[i]];
        if (i <= named_max) {
            const bool joined = i == named_max && children.size() > named_max + 1;
            const std::vector<double> none(panel.time_s.size());
            panel.areas.push_back(
                {joined ? fmt::format("{} others", children.size() - named_max) : quota.name,
                 none,
                 none});
        }
        Area& area = panel.areas.back();
        for (std::size_t k = 0; k < panel.time_s.size(); ++k) {
            const QuotaStep* step = step_at(quota.steps[choice.resource], panel.time_s[k]);
            if (step == nullptr || !step->there()) {
                continue;
            }
            const double borrowed = quota.special() ? 0 : step->borrowed();
            area.sure[k] += step->used - borrowed;
            area.borrowed[k] += borrowed;
        }
    }
    return panel;
}

/// The area between two curves that hold their values until the next time.
std::string area_rows(Script& script,
                      const Panel& panel,
                      const std::vector<double>& low,
                      const std::vector<double>& high,
                      double unit_s,
                      double unit) {
    std::vector<std::string> rows;
    for (std::size_t k = 0; k < low.size(); ++k) {
        const double x = panel.time_s[k] / unit_s;
        if (k > 0) {
            rows.push_back(
                fmt::format("{:.8g} {:.8g} {:.8g}", x, low[k - 1] / unit, high[k - 1] / unit));
        }
        rows.push_back(fmt::format("{:.8g} {:.8g} {:.8g}", x, low[k] / unit, high[k] / unit));
    }
    return script.data(rows);
}

/// Draws the areas on top of each other, and sets `most` to their height.
std::string stacked(Script& script, const Panel& panel, double unit_s, double unit, double& most) {
    std::vector<double> low(panel.time_s.size());
    std::string plot;
    for (std::size_t i = 0; i < panel.areas.size(); ++i) {
        for (const bool borrowed : {false, true}) {
            const std::vector<double>& values =
                borrowed ? panel.areas[i].borrowed : panel.areas[i].sure;
            std::vector<double> high = low;
            for (std::size_t k = 0; k < high.size(); ++k) {
                high[k] += values[k];
                most = std::max(most, high[k] / unit);
            }
            if (std::ranges::any_of(values, [](double v) { return v > 0; })) {
                const std::uint32_t colour = ink::series[i % std::size(ink::series)];
                plot += fmt::format(
                    "{} using 1:2:3 with filledcurves fillcolor rgb '{}' fillstyle solid 1 "
                    "noborder, ",
                    area_rows(script, panel, low, high, unit_s, unit),
                    hex(borrowed ? pale(colour) : colour));
            }
            low = std::move(high);
        }
    }
    plot.erase(plot.size() - std::min<std::size_t>(plot.size(), 2));
    return plot;
}

void add_rows(Script& script, const std::string& run, const Panel& panel) {
    for (const Area& area : panel.areas) {
        for (std::size_t k = 0; k < panel.time_s.size(); ++k) {
            script.row({run,
                        panel.parent,
                        area.name,
                        panel.resource,
                        cell(panel.time_s[k]),
                        cell(area.sure[k] + area.borrowed[k]),
                        cell(area.borrowed[k])});
        }
    }
}

}  // namespace quota_areas

Script quota_areas_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace quota_areas;
    const std::vector<std::string> wanted = split_choice(choice);
    std::vector<Panel> panels;
    std::vector<double> tops;
    std::vector<std::vector<Key>> keys;
    double height = 0;
    for (const RunDirectory& run : runs) {
        panels.push_back(panel_of(run, wanted));
        std::vector<Key> key;
        for (std::size_t i = 0; i < panels.back().areas.size(); ++i) {
            key.push_back({panels.back().areas[i].name, ink::series[i % std::size(ink::series)]});
        }
        key.push_back({"pale: beyond min", pale(ink::muted)});
        tops.push_back(height + place_keys(key, left, page_width) + 24);
        for (Key& one : key) {
            one.y += height;
        }
        keys.push_back(std::move(key));
        height = tops.back() + step_height;
    }
    Script script(page_width, height);
    script.columns({"run", "parent", "quota", "resource", "time_s", "used", "borrowed"});
    script.line("set grid ytics linestyle 2\nset format y '%g'\nset xtics auto offset 0,0.4");
    script.line("unset key");
    const std::vector<std::string> names = run_names(runs);
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const Panel& panel = panels[i];
        add_rows(script, names[i], panel);
        const auto [unit, unit_s] = time_unit(panel.time_s.back() - panel.time_s.front());
        const bool bytes = panel.resource.find("memory") != std::string::npos;
        const double scale = bytes ? 1024.0 * 1024 * 1024 : 1;
        for (const Key& key : keys[i]) {
            script.key(key.x, key.y, key.colour, key.text);
        }
        script.place(left, tops[i], page_width - left - 10, panel_height);
        script.title(left,
                     tops[i] - 8,
                     fmt::format("{}{}: {}{}",
                                 runs.size() > 1 ? names[i] + " – " : "",
                                 panel.parent,
                                 panel.resource,
                                 bytes ? " (GiB)" : ""));
        script.line(fmt::format("set xrange [{:.8g}:{:.8g}]",
                                panel.time_s.front() / unit_s,
                                panel.time_s.back() / unit_s));
        script.x_label(unit);
        double most = 0;
        const std::string plot = stacked(script, panel, unit_s, scale, most);
        most = most > 0 ? most * 1.05 : 1;
        script.line(fmt::format("set yrange [0:{:.8g}]\nset ytics {}", most, tic_step(most)));
        script.line(plot.empty() ? "plot 0 linestyle 2" : "plot " + plot);
        script.line("unset label");
    }
    return script;
}

}  // namespace berth::report
