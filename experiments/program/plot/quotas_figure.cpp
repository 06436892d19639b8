#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/plot/drawing.hpp"
#include "experiments/program/plot/quota_drawing.hpp"

namespace berth::report {
namespace quota_lines {

constexpr std::size_t points_max = 2'000;

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

/// The steps of the chosen quota, and the last one once more at the end.
std::vector<QuotaStep> steps_of(const RunDirectory& run, QuotaChoice choice) {
    const Quotas& quotas = *run.quotas;
    const Quota& quota = quotas.quotas[choice.quota];
    std::vector<QuotaStep> steps = thinned(quota.steps[choice.resource], points_max);
    if (steps.empty()) {
        throw core::InputError(fmt::format("{}: error: the quota '{}' has no samples of '{}'",
                                           run.directory,
                                           quota.name,
                                           quotas.resources[choice.resource]));
    }
    QuotaStep last = steps.back();  // the current values hold until the end
    last.time_s = quotas.last_s;
    steps.push_back(last);
    return steps;
}

void add_rows(FigureTable& table,
              const std::string& name,
              const RunDirectory& run,
              QuotaChoice choice) {
    for (const QuotaStep& step : steps_of(run, choice)) {
        table.row({name,
                   run.quotas->quotas[choice.quota].name,
                   run.quotas->resources[choice.resource],
                   cell(step.time_s),
                   cell(step.used),
                   cell(step.runtime),
                   cell(step.request),
                   cell(step.min),
                   cell(step.max)});
    }
}

}  // namespace quota_lines

Drawing quotas_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace quota_lines;
    FigureTable table(
        {"run", "quota", "resource", "time_s", "used", "runtime", "request", "min", "max"});
    const std::vector<std::string> names = run_names(runs);
    std::vector<ShownQuotas> shown;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const QuotaChoice of_run = choose(runs[run], choice, runs.front());
        add_rows(table, names[run], runs[run], of_run);
        shown.push_back({of_run, {of_run.quota}});
    }
    return {std::move(table), quotas_drawing(runs, shown)};
}

}  // namespace berth::report
