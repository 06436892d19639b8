#include <fmt/format.h>

#include <algorithm>

#include "core/support/source.hpp"
#include "experiments/program/plot/drawing.hpp"
#include "experiments/program/report/run_parts.hpp"

namespace berth::report {
namespace gpu_time {

constexpr std::string_view beginning = "gpu_time_";

/// The mean share of a cause over the replications; 0 if the run does not have the cause.
double share_of(const RunDirectory& run, const std::string& metric) {
    const auto found = std::ranges::find(run.metrics, metric, &MetricSummary::name);
    return found == run.metrics.end() ? 0 : found->mean.value_or(0);
}

/// The causes with a share in some run, in the order of metrics.md, with allocated time first.
std::vector<std::string> causes_of(const std::vector<RunDirectory>& runs) {
    std::vector<std::string> causes;
    causes.emplace_back("gpu_time_allocated");
    for (const RunDirectory& run : runs) {
        const auto known = std::ranges::find(run.metrics, causes[0], &MetricSummary::name);
        if (known == run.metrics.end()) {
            throw core::InputError(
                fmt::format("{}: error: the run has no GPU time: expected metrics gpu_time_... of "
                            "a cluster with GPUs",
                            run.directory));
        }
        for (const MetricSummary& metric : run.metrics) {
            if (metric.name.starts_with(beginning) && metric.mean.value_or(0) > 0 &&
                std::ranges::find(causes, metric.name) == causes.end()) {
                causes.push_back(metric.name);
            }
        }
    }
    return causes;
}

std::string text_of(std::string_view metric) {
    metric.remove_prefix(beginning.size());
    std::string text(metric);
    std::ranges::replace(text, '_', ' ');
    return text.starts_with("idle ") ? text.substr(5) : text;
}

}  // namespace gpu_time

Drawing gpu_time_figure(const std::vector<RunDirectory>& runs, std::string_view choice) {
    using namespace gpu_time;
    refuse_choice(choice);
    const std::vector<std::string> names = run_names(runs);
    FigureTable table({"run", "cause", "share"});
    for (const std::string& cause : causes_of(runs)) {
        for (std::size_t run = 0; run < runs.size(); ++run) {
            table.row({names[run], text_of(cause), cell(share_of(runs[run], cause))});
        }
    }
    return {std::move(table), data_of_runs(runs, [](const RunDirectory& run) {
                return nlohmann::ordered_json{{"metrics", metrics_data(run)}};
            })};
}

}  // namespace berth::report
