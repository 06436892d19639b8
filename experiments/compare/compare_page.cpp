#include "experiments/compare/compare_page.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/compare/compare_json.hpp"
#include "experiments/compare/replication_table.hpp"
#include "experiments/report/run_name.hpp"

namespace berth::experiments {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t metrics_max = 200;

/// Real differences first, then by the size of the effect.
void keep_largest(RunComparison& run) {
    std::erase_if(run.metrics,
                  [](const MetricComparison& m) { return m.verdict == Verdict::equal; });
    const auto size = [](const MetricComparison& metric) {
        const PairedDifference& difference = metric.difference;
        const double effect = std::abs(difference.effect.value_or(difference.p ? HUGE_VAL : 0));
        return std::pair(!is_real(metric.verdict), -effect);
    };
    std::ranges::stable_sort(run.metrics, {}, size);
    run.metrics.resize(std::min(run.metrics.size(), metrics_max));
}

/// As the page names runs; more of the path where two have one name.
std::string label_of(const std::filesystem::path& directory,
                     const std::vector<std::filesystem::path>& all) {
    const std::string name = report::run_name(directory);
    const auto same = std::ranges::count_if(
        all, [&](const std::filesystem::path& other) { return report::run_name(other) == name; });
    return same == 1 ? name : directory.string();
}

}  // namespace

Json comparison_page(const Comparison& comparison) {
    Comparison shown = comparison;
    std::erase_if(shown.runs,
                  [](const RunComparison& run) { return run.pairs < 2 || !run.has_common_work(); });
    if (shown.runs.empty()) {
        return nullptr;
    }
    std::vector<std::size_t> metrics;
    for (RunComparison& run : shown.runs) {
        metrics.push_back(run.metrics.size());
        keep_largest(run);
    }
    Json out = comparison_json(shown);
    for (std::size_t i = 0; i < shown.runs.size(); ++i) {
        out["comparisons"][i]["metrics_compared"] = metrics[i];
    }
    return out;
}

Json comparison_of_runs(const std::vector<std::filesystem::path>& directories) {
    std::vector<RunArgument> runs;
    for (const std::filesystem::path& directory : directories) {
        if (has_seeds(directory)) {
            runs.push_back({label_of(directory, directories), directory});
        } else if (runs.empty()) {
            return nullptr;  // the baseline
        }
    }
    return runs.size() > 1 ? comparison_page(compare_runs(runs, {})) : Json(nullptr);
}

}  // namespace berth::experiments
