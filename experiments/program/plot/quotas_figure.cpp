#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/plot/script.hpp"

namespace berth::report {
namespace quota_lines {

constexpr double page_width = 504;
constexpr double left = 44;
constexpr double panel_height = 150;
constexpr double step_height = panel_height + 40;
constexpr std::size_t points_max = 2'000;
constexpr std::uint32_t held = 0xD6E6F3;  // the colour of the first series, in a form for areas

struct Line {
    std::string_view name;
    double QuotaStep::* amount;
    std::string_view style;
    std::uint32_t colour;
};
constexpr Line lines[] = {
    {"used", &QuotaStep::used, "linewidth 1.3", ink::series[0]},
    {"runtime", &QuotaStep::runtime, "linewidth 1.2", ink::series[2]},
    {"request", &QuotaStep::request, "linewidth 1", ink::series[4]},
    {"min", &QuotaStep::min, "linewidth 1.1 dashtype 2", ink::text},
    {"max", &QuotaStep::max, "linewidth 1.1 dashtype 3", ink::series[3]},
};

/// The quota and resource of one run, with the unit of its axis.
struct Panel {
    const Quotas* quotas = nullptr;
    QuotaChoice choice;
    std::vector<QuotaStep> steps;
    double unit = 1;
    std::string title;
};

double greatest(const std::vector<QuotaStep>& steps, double QuotaStep::* amount) {
    double most = 0;
    for (const QuotaStep& step : steps) {
        most = std::fmax(most, step.*amount);
    }
    return most;
}

const Quotas& quotas_of(const RunDirectory& run) {
    if (!run.quotas) {
        throw core::InputError(fmt::format(
            "{}: error: the run has no quotas.csv: expected one for this figure", run.directory));
    }
    return *run.quotas;
}

/// Reads `QUOTA`, `QUOTA,RESOURCE` or `,RESOURCE`. Missing parts are the usual choice of the first
/// run.
QuotaChoice choose(const RunDirectory& run, std::string_view wanted, const RunDirectory& first) {
    const Quotas& quotas = quotas_of(run);
    const QuotaChoice usual = usual_choice(quotas_of(first));
    const std::size_t comma = std::min(wanted.find(','), wanted.size());
    std::string quota(wanted.substr(0, comma));
    std::string resource(wanted.substr(std::min(comma + 1, wanted.size())));
    if (quota.empty()) {
        quota = quotas_of(first).quotas[usual.quota].name;
    }
    if (resource.empty()) {
        resource = quotas_of(first).resources[usual.resource];
    }
    const auto unknown = [&](std::string_view what, const std::string& name, const auto& known) {
        const std::string guess = core::suggestion(name, known);
        std::vector<std::string> some(
            known.begin(), known.begin() + std::min<std::ptrdiff_t>(std::ssize(known), 12));
        return core::InputError(fmt::format("{}: error: unknown {} '{}'{}: expected {}{}",
                                            run.directory,
                                            what,
                                            name,
                                            guess,
                                            core::join(some, ", "),
                                            some.size() < known.size() ? ", ..." : ""));
    };
    QuotaChoice out;
    out.quota = quotas.find(quota);
    if (out.quota == no_quota) {
        std::vector<std::string> names;
        std::ranges::transform(quotas.quotas, std::back_inserter(names), &Quota::name);
        throw unknown("quota", quota, names);
    }
    const auto found = std::ranges::find(quotas.resources, resource);
    if (found == quotas.resources.end()) {
        throw unknown("resource", resource, quotas.resources);
    }
    out.resource = static_cast<std::size_t>(found - quotas.resources.begin());
    return out;
}

Panel panel_of(const RunDirectory& run, std::string_view wanted, const RunDirectory& first) {
    Panel panel;
    panel.quotas = &quotas_of(run);
    panel.choice = choose(run, wanted, first);
    const Quota& quota = panel.quotas->quotas[panel.choice.quota];
    const std::string& resource = panel.quotas->resources[panel.choice.resource];
    panel.steps = thinned(quota.steps[panel.choice.resource], points_max);
    if (panel.steps.empty()) {
        throw core::InputError(fmt::format("{}: error: the quota '{}' has no samples of '{}'",
                                           run.directory,
                                           quota.name,
                                           resource));
    }
    QuotaStep last = panel.steps.back();  // the current values hold until the end
    last.time_s = panel.quotas->last_s;
    panel.steps.push_back(last);
    const bool bytes = resource.find("memory") != std::string::npos ||
                       resource.find("storage") != std::string::npos;
    panel.unit = bytes ? 1024.0 * 1024 * 1024 : 1;
    panel.title = fmt::format("{}: {}{}", quota.name, resource, bytes ? " (GiB)" : "");
    return panel;
}

/// The quota and all quotas that are below it at the end.
std::set<std::uint32_t> with_descendants(const Quotas& quotas, std::uint32_t quota) {
    std::set<std::uint32_t> all{quota};
    for (bool more = true; more;) {
        more = false;
        for (std::uint32_t q = 0; q < quotas.quotas.size(); ++q) {
            more = (all.contains(quotas.quotas[q].last_parent()) && all.insert(q).second) || more;
        }
    }
    return all;
}

/// Draws changes as vertical lines, and evictions as triangles on the axis.
std::string marks_of(Script& script, const Panel& panel, double unit_s, double top) {
    const Quotas& quotas = *panel.quotas;
    const std::set<std::uint32_t> some = with_descendants(quotas, panel.choice.quota);
    std::vector<std::string> changes[2];
    for (const QuotaChange& change : quotas.changes) {
        if (panel.choice.quota == 0 || some.contains(quotas.find(change.quota))) {
            changes[change.accepted ? 1 : 0].push_back(
                fmt::format("{:.8g} 0 0 {:.8g}", change.time_s / unit_s, top));
        }
    }
    std::set<double> times;
    for (const Eviction& eviction : quotas.evictions) {
        if (some.contains(eviction.quota)) {
            times.insert(eviction.time_s);
        }
    }
    std::string plot;
    for (const bool accepted : {true, false}) {
        if (!changes[accepted ? 1 : 0].empty()) {
            plot += fmt::format(
                "{} using 1:2:3:4 with vectors nohead linecolor rgb '{}' linewidth 0.7 "
                "dashtype {}, ",
                script.data(changes[accepted ? 1 : 0]),
                hex(accepted ? ink::muted : ink::warning),
                accepted ? 3 : 1);
        }
    }
    std::vector<std::string> evictions;
    for (const double time_s : times) {
        evictions.push_back(fmt::format("{:.8g} {:.8g}", time_s / unit_s, top * 0.016));
    }
    if (!evictions.empty()) {
        plot +=
            fmt::format("{} using 1:2 with points pointtype 9 pointsize 0.5 linecolor rgb '{}', ",
                        script.data(evictions),
                        hex(ink::warning));
    }
    return plot;
}

/// The steps of one line. There is one only where the value changes, because a dash would otherwise
/// restart at each sample.
std::vector<std::string> rows_of(const Panel& panel, double QuotaStep::* amount, double unit_s) {
    std::vector<std::string> rows;
    double before = QuotaStep::not_stated;
    for (std::size_t i = 0; i < panel.steps.size(); ++i) {
        const QuotaStep& step = panel.steps[i];
        const double value = step.*amount;
        const bool gap = std::isnan(value);
        if (gap && !std::isnan(before)) {
            rows.push_back(fmt::format("{:.8g} {:.8g}", step.time_s / unit_s, before / panel.unit));
            rows.emplace_back();  // an empty line breaks the curve
        }
        if (!gap && (value != before || i + 1 == panel.steps.size())) {
            rows.push_back(fmt::format("{:.8g} {:.8g}", step.time_s / unit_s, value / panel.unit));
        }
        before = value;
    }
    return rows;
}

/// The boxes between runtime and use, where more is used.
std::vector<std::string> over_use_of(const Panel& panel, double unit_s) {
    // a small overlap, so that the boxes touch
    const double seam = (panel.quotas->last_s - panel.quotas->first_s) * 3e-4;
    std::vector<std::string> boxes;
    for (std::size_t i = 0; i + 1 < panel.steps.size(); ++i) {
        const QuotaStep& step = panel.steps[i];
        if (step.over_use() > 0) {
            boxes.push_back(fmt::format("{0:.8g} {1:.8g} {0:.8g} {2:.8g} {3:.8g} {1:.8g}",
                                        step.time_s / unit_s,
                                        step.used / panel.unit,
                                        (panel.steps[i + 1].time_s + seam) / unit_s,
                                        step.runtime / panel.unit));
        }
    }
    return boxes;
}

/// The area of what is used and, on it, of what is used beyond the runtime.
std::string area_of(Script& script, const Panel& panel, double unit_s) {
    const std::vector<std::string> used = rows_of(panel, &QuotaStep::used, unit_s);
    const std::vector<std::string> over = over_use_of(panel, unit_s);
    std::string plot;
    if (!used.empty()) {
        plot += fmt::format(
            "{} using 1:2 with fillsteps fillcolor rgb '{}' fillstyle solid 1 noborder, ",
            script.data(used),
            hex(held));
    }
    if (!over.empty()) {
        plot += fmt::format(
            "{} using 1:2:3:4:5:6 with boxxyerror fillcolor rgb '{}' fillstyle solid 0.6 "
            "noborder, ",
            script.data(over),
            hex(ink::warning));
    }
    return plot;
}

void draw_panel(Script& script, const Panel& panel, double unit_s, double top) {
    std::string plot = area_of(script, panel, unit_s);
    // Used comes last of the three, so that it is visible where they are equal.
    for (const std::size_t i : {2U, 1U, 0U, 3U, 4U}) {
        const std::vector<std::string> rows = rows_of(panel, lines[i].amount, unit_s);
        if (!rows.empty()) {
            plot += fmt::format("{} using 1:2 with steps {} linecolor rgb '{}', ",
                                script.data(rows),
                                lines[i].style,
                                hex(lines[i].colour));
        }
    }
    plot += marks_of(script, panel, unit_s, top);
    plot.resize(plot.size() - 2);  // removes the last comma
    script.line("plot " + plot);
}

void add_rows(Script& script, const std::string& run, const Panel& panel) {
    for (const QuotaStep& step : panel.steps) {
        script.row({run,
                    panel.quotas->quotas[panel.choice.quota].name,
                    panel.quotas->resources[panel.choice.resource],
                    cell(step.time_s),
                    cell(step.used),
                    cell(step.runtime),
                    cell(step.request),
                    cell(step.min),
                    cell(step.max)});
    }
}

/// The upper end of the axis: enough for used, runtime and min, and also for request and max if
/// these are not much larger.
double reach(const Panel& panel) {
    double most = 0;
    for (const auto amount : {&QuotaStep::used, &QuotaStep::runtime, &QuotaStep::min}) {
        most = std::max(most, greatest(panel.steps, amount));
    }
    double out = most;
    for (const auto amount : {&QuotaStep::request, &QuotaStep::max}) {
        const double far = greatest(panel.steps, amount);
        out = most == 0 || far <= 3 * most ? std::max(out, far) : out;
    }
    return out > 0 ? out * 1.06 / panel.unit : 1;
}

}  // namespace quota_lines

Script quotas_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace quota_lines;
    std::vector<Panel> panels;
    double first = std::numeric_limits<double>::infinity();
    double last = -first;
    for (const RunDirectory& run : runs) {
        panels.push_back(panel_of(run, choice, runs.front()));
        first = std::min(first, panels.back().quotas->first_s);
        last = std::max(last, panels.back().quotas->last_s);
    }
    const auto [unit, unit_s] = time_unit(last - first);
    Script script(page_width, 18 + step_height * static_cast<double>(panels.size()));
    double next = left;
    for (const Line& line : lines) {
        next = script.key(next, 8, line.colour, line.name);
    }
    next = script.key(next, 8, ink::warning, "over runtime, evictions (▲), refused changes");
    script.line("set grid ytics linestyle 2\nset format y '%g'\nset xtics auto offset 0,0.4");
    script.line("unset key\nset clip two");
    script.columns(
        {"run", "quota", "resource", "time_s", "used", "runtime", "request", "min", "max"});
    script.line(fmt::format(
        "set xrange [{:.8g}:{:.8g}]", first / unit_s, (last > first ? last : first + 1) / unit_s));
    script.x_label(unit);
    const std::vector<std::string> names = run_names(runs);
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const double top = 32 + step_height * static_cast<double>(i);
        script.place(left, top, page_width - left - 10, panel_height);
        const std::string title =
            panels.size() > 1 ? names[i] + " – " + panels[i].title : panels[i].title;
        script.title(left, top - 8, title);
        const double most = reach(panels[i]);
        script.line(fmt::format("set yrange [0:{:.8g}]\nset ytics {}", most, tic_step(most)));
        draw_panel(script, panels[i], unit_s, most);
        add_rows(script, names[i], panels[i]);
        script.line("unset label");
    }
    return script;
}

}  // namespace berth::report
