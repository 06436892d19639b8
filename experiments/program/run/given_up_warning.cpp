#include "experiments/program/run/given_up_warning.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace berth::experiments {

std::optional<std::string> given_up_warning(
    const ExperimentSpec& spec, std::span<const std::vector<sim::Metric>> replications) {
    // Otherwise jobs that find no place at once are dropped too.
    if (!spec.settings.retry) {
        return std::nullopt;
    }
    double pods = 0;
    for (const auto& metrics : replications) {
        const auto dropped = std::ranges::find(metrics, "pods_dropped", &sim::Metric::name);
        pods += dropped != metrics.end() ? dropped->value.value_or(0) : 0;
    }
    if (pods == 0) {
        return std::nullopt;
    }
    return fmt::format(
        "given up: {:.0f} {} of jobs that failures had interrupted {} times, with what they had "
        "done; jobs.csv says which: expected checkpoints that keep work between two "
        "interruptions, fewer failures, or a larger scheduler.onFailure.giveUpAfter",
        pods,
        pods == 1 ? "pod" : "pods",
        spec.settings.on_failure.give_up_after);
}

}  // namespace berth::experiments
