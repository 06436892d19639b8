#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/plot/drawing.hpp"
#include "experiments/program/plot/quota_drawing.hpp"

namespace berth::report {
namespace quota_areas {

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

/// Whether this is the system's or the default quota, and was never used.
bool unused(const Quotas& quotas, const Quota& quota, std::size_t resource) {
    return quota.special() &&
           figures_of(quota.steps[resource], quotas.last_s).used_mean.value_or(0) <= 0;
}

Panel panel_of(const RunDirectory& run, const std::vector<std::string>& wanted) {
    const QuotaChoice choice = choose(run, wanted);
    const Quotas& quotas = *run.quotas;
    std::vector<std::pair<double, std::uint32_t>> ranked;
    for (std::uint32_t q = 0; q < quotas.quotas.size(); ++q) {
        const Quota& quota = quotas.quotas[q];
        const QuotaFigures figures = figures_of(quota.steps[choice.resource], quotas.last_s);
        if (quota.last_parent() == choice.quota && !unused(quotas, quota, choice.resource)) {
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

void add_rows(FigureTable& table, const std::string& run, const Panel& panel) {
    for (const Area& area : panel.areas) {
        for (std::size_t k = 0; k < panel.time_s.size(); ++k) {
            table.row({run,
                       panel.parent,
                       area.name,
                       panel.resource,
                       cell(panel.time_s[k]),
                       cell(area.sure[k] + area.borrowed[k]),
                       cell(area.borrowed[k])});
        }
    }
}

/// The chosen quota and all that were ever below it, without special quotas that no pod used.
std::set<std::uint32_t> family(const Quotas& quotas, const QuotaChoice& choice) {
    std::set<std::uint32_t> all{choice.quota};
    for (std::uint32_t q = 0; q < quotas.quotas.size(); ++q) {
        const Quota& quota = quotas.quotas[q];
        const bool below = std::ranges::any_of(
            quota.parents, [&](const auto& at) { return at.parent == choice.quota; });
        if (below && !unused(quotas, quota, choice.resource)) {
            all.insert(q);
        }
    }
    return all;
}

}  // namespace quota_areas

Drawing quota_areas_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace quota_areas;
    const std::vector<std::string> wanted = split_choice(choice);
    FigureTable table({"run", "parent", "quota", "resource", "time_s", "used", "borrowed"});
    const std::vector<std::string> names = run_names(runs);
    std::vector<ShownQuotas> shown;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        add_rows(table, names[run], panel_of(runs[run], wanted));
        const QuotaChoice of_run = choose(runs[run], wanted);
        shown.push_back({of_run, family(*runs[run].quotas, of_run)});
    }
    return {std::move(table), quotas_drawing(runs, shown)};
}

}  // namespace berth::report
