#include "experiments/program/compare/compare_page.hpp"

#include <algorithm>
#include <cmath>

#include "core/support/assert.hpp"
#include "experiments/program/compare/compare_json.hpp"
#include "experiments/program/results/replication_table.hpp"
#include "experiments/program/results/sweep_directory.hpp"

namespace berth::experiments {
namespace {

using report::Maybe;

/// Puts real differences first, and sorts by the size of the effect.
void put_largest_first(RunComparison& run) {
    using report::MetricComparison;
    std::erase_if(run.metrics,
                  [](const MetricComparison& m) { return m.verdict == report::Verdict::equal; });
    const auto size = [](const MetricComparison& metric) {
        const report::PairedDifference& difference = metric.difference;
        const double effect = std::abs(difference.effect.value_or(difference.p ? HUGE_VAL : 0));
        return std::pair(!is_real(metric.verdict), -effect);
    };
    std::ranges::stable_sort(run.metrics, {}, size);
}

/// The name of a run on the page. If two runs have the same name, it is the path.
std::string label_of(const std::filesystem::path& directory,
                     const std::vector<std::filesystem::path>& all) {
    const std::string name = report::run_name(directory);
    const auto same = std::ranges::count_if(
        all, [&](const std::filesystem::path& other) { return report::run_name(other) == name; });
    return same == 1 ? name : directory.string();
}

}  // namespace

Maybe<"Comparison"> comparison_page(const Comparison& comparison,
                                    const std::vector<std::size_t>& places) {
    BERTH_ASSERT(places.size() == comparison.runs.size(), "each run has its place on the page");
    Comparison shown = comparison;
    shown.runs.clear();
    std::vector<std::size_t> metrics;
    std::vector<std::size_t> shown_places;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (comparison.runs[i].pairs == 0 || !comparison.runs[i].has_common_work()) {
            continue;
        }
        shown.runs.push_back(comparison.runs[i]);
        shown_places.push_back(places[i]);
        metrics.push_back(shown.runs.back().metrics.size());
        put_largest_first(shown.runs.back());
        shown.runs.back().inputs.doubts.clear();  // the page has each run's own warnings
    }
    if (shown.runs.empty()) {
        return nullptr;
    }
    auto out = comparison_json(shown);
    for (std::size_t i = 0; i < shown.runs.size(); ++i) {
        report::add_to<"RunComparison">(out["comparisons"][i],
                                        report::field<"metrics_compared">(metrics[i]),
                                        report::field<"place">(shown_places[i]));
    }
    return out;
}

Maybe<"Comparison"> comparison_of_two(const std::filesystem::path& first,
                                      const std::filesystem::path& second) {
    if (!report::has_seeds(first) || !report::has_seeds(second)) {
        return nullptr;
    }
    const std::vector both{first, second};
    CompareOptions options;
    options.fates_max = page_fates_max;
    return comparison_page(
        compare_runs({{label_of(first, both), first}, {label_of(second, both), second}}, options),
        {1});
}

}  // namespace berth::experiments
