#include "experiments/program/report/page_data.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "experiments/program/report/answer.hpp"
#include "experiments/program/report/device_page.hpp"
#include "experiments/program/report/failures_page.hpp"
#include "experiments/program/report/film_page.hpp"
#include "experiments/program/report/gantt_page.hpp"
#include "experiments/program/report/page_json.hpp"
#include "experiments/program/report/quota_page.hpp"
#include "experiments/program/report/run_parts.hpp"
#include "experiments/program/report/scheduler_page.hpp"
#include "experiments/program/results/claims_json.hpp"
#include "experiments/program/results/statistics.hpp"

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

std::vector<Is<"Distribution">> distributions(const RunDirectory& run) {
    std::vector<Is<"Distribution">> list;
    // A single value is not a distribution, and the metrics table has it.
    const auto add = [&](std::string_view of, const std::vector<Samples>& all) {
        for (const Samples& samples : all) {
            // If each replication has one group, both files have the same values.
            const bool again =
                of == "group" &&
                std::ranges::any_of(run.replication_samples, [&](const Samples& known) {
                    return known.name == samples.name && known.values == samples.values;
                });
            if (samples.values.size() > 1 && !again) {
                const Distribution d =
                    of == "replication" ? describe_replications(samples) : describe(samples);
                list.push_back(distribution_data(of, d, samples.going_on.size()));
                // The mean of pods or groups is a metric, which has it with its interval.
                if (of != "replication") {
                    list.back()["mean"] = nullptr;
                }
            }
        }
    };
    add("replication", run.replication_samples);
    add("group", run.group_samples);
    add("pod", run.pod_samples);
    return list;
}

using Counts = std::vector<std::pair<std::string, std::int64_t>>;

/// Counts in descending order; equal ones are sorted by name.
Counts ranked(const std::map<std::string, std::int64_t>& counts, std::size_t count_max) {
    Counts order(counts.begin(), counts.end());
    std::ranges::sort(order, [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    if (order.size() > count_max) {
        order.resize(count_max);
    }
    return order;
}

Maybe<"PodsData"> pods_data(const RunDirectory& run, const PageLimits& limits) {
    if (run.pods.outcomes.empty()) {
        return nullptr;
    }
    std::map<std::string, std::int64_t> causes;
    std::int64_t explained = 0;
    for (const auto& [message, count] : run.pods.reasons) {
        explained += count;
        std::vector<std::string> parts = causes_of(message);
        std::ranges::sort(parts);
        parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
        for (const std::string& part : parts) {
            causes[part] += count;
        }
    }
    return object<"PodsData">(field<"outcomes">(ranked(run.pods.outcomes, limits.reasons)),
                              field<"explained">(explained),
                              field<"causes">(ranked(causes, limits.reasons)),
                              field<"messages">(ranked(run.pods.reasons, limits.reasons)));
}

/// Whether all placed pods got their places at the same instant. If so, the experiment only asks
/// for a placement.
bool is_placement(const RunDirectory& run) {
    return run.cluster && std::ranges::all_of(run.cluster->pods, [&](const PodRow& pod) {
               return pod.start_s == run.cluster->pods.front().start_s;
           });
}

/// Adds the pictures of the cluster: at some instants, over time, and pod by pod.
void add_cluster(RunDirectory& run, const PageLimits& limits, std::size_t run_count, Json& out) {
    add_to<"WrittenRun">(out, field<"cluster">(Maybe<"Cluster">(nullptr)));
    if (!run.cluster) {
        return;
    }
    auto gantt = gantt_data(
        *run.cluster, run.devices ? &*run.devices : nullptr, limits.gantt_pods / run_count);
    Cluster joined = *run.cluster;
    auto film = film_data(joined, limits.film_values / run_count);
    aggregate(*run.cluster, std::max<std::size_t>(limits.cells / run_count, 500));
    out["cluster"] = cluster_data(*run.cluster);
    if (!film.is_null() && joined.cells.size() != run.cluster->cells.size()) {
        add_to_some<"Film">(film, field<"cluster">(cluster_shape(joined)));
    }
    add_to_some<"WrittenRun">(
        out, field<"gantt">(std::move(gantt)), field<"film">(std::move(film)));
}

Maybe<"MeasuringWindow"> window_data(const std::optional<MeasuringWindow>& window) {
    if (!window) {
        return nullptr;
    }
    return object<"MeasuringWindow">(field<"from">(rounded(window->from_s)),
                                     field<"to">(rounded_if_any(window->to_s)),
                                     field<"rule">(window->rule));
}

/// Adds what draws the quotas, and what schedulers have beside them.
void add_quotas(const RunDirectory& run,
                const PageLimits& limits,
                std::size_t run_count,
                Json& out) {
    QuotaPageLimits each{.values = limits.quota_values / run_count,
                         .quotas = limits.quotas_shown,
                         .marks = limits.quota_marks / run_count};
    add_to<"WrittenRun">(out, field<"quotas">(quotas_data(run, each)));
    each.values = limits.quota_values / 2 / run_count;  // of their columns, at most two change
    for (const auto& results : run.of_schedulers) {
        for (const SchedulerPage& page : scheduler_pages()) {
            Json data = page.data(*results, each);
            if (!data.is_null()) {
                out[std::string(page.key)] = std::move(data);
            }
        }
    }
    add_to<"WrittenRun">(out, field<"quotaMetrics">(quota_metrics_data(run.quota_metrics)));
}

Is<"WrittenRun"> run_data(RunDirectory& run, const PageLimits& limits, std::size_t run_count) {
    const std::size_t values_max = limits.series_values / run_count;
    auto out = object<"WrittenRun">(
        field<"experiment">(run.experiment),
        field<"directory">(run.directory),
        field<"replications">(run.replications),
        field<"origin">(run.origin),
        field<"machine">(run.machine),
        field<"answer">(run_answer(run)),
        field<"window">(window_data(run.window)),
        field<"claims">(claims_json(run.claims)),
        field<"metrics">(metrics_data(run)),
        field<"distributions">(distributions(run)),
        field<"cumulatives">(cumulatives_data(run, limits.cumulative_points)),
        field<"series">(series_data(run.series, values_max, limits.replications_shown)),
        field<"placement">(is_placement(run)),
        field<"course">(series_data(run.course, values_max, 0)),
        field<"pods">(pods_data(run, limits)),
        field<"groups">(object<"GroupTable">(field<"columns">(run.groups.columns),
                                             field<"rows">(run.groups.rows),
                                             field<"leftOut">(run.groups.left_out))));
    if (run.failures) {
        add_to_some<"WrittenRun">(
            out, field<"failures">(failures_data(run, limits.outage_hits / run_count)));
    }
    add_cluster(run, limits, run_count, out);
    add_quotas(run, limits, run_count, out);
    if (run.devices) {
        add_to_some<"WrittenRun">(
            out, field<"devices">(devices_data(run, limits.device_pods / run_count)));
    }
    add_to<"WrittenRun">(
        out, field<"arrival">(arrival_data(run)), field<"configuration">(run.configuration));
    return out;
}

/// For runs with an allocator of devices, adds which one it is, and which run is the same with the
/// exact solver.
void add_device_setups(const std::vector<RunDirectory>& runs, std::vector<Is<"WrittenRun">>& out) {
    std::vector<DeviceSetup> setups;
    for (const RunDirectory& run : runs) {
        setups.push_back(device_setup(run.configuration));
    }
    const auto partners = exact_partners(setups);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!setups[i].allocator.empty()) {
            add_to_some<"WrittenRun">(
                out[i], field<"allocator">(setups[i].allocator), field<"exactRun">(partners[i]));
        }
    }
}

/// The names of all metrics on the page, which it explains when the reader points at them.
std::vector<std::string> metric_names(const std::vector<RunDirectory>& runs) {
    std::set<std::string> names;
    for (const RunDirectory& run : runs) {
        for (const MetricSummary& metric : run.metrics) {
            names.insert(metric.name);
        }
    }
    return {names.begin(), names.end()};
}

}  // namespace

Is<"WrittenPage"> make_page_data(std::vector<RunDirectory> runs,
                                 const PageLimits& limits,
                                 const Json& comparison,
                                 bool index) {
    auto out = object<"WrittenPage">(field<"schema">("berth.page/v1"),
                                     field<"definitions">(definitions(metric_names(runs))));
    add_to_some<"WrittenPage">(out, field<"comparison">(of_type<"Comparison | null">(comparison)));
    const bool claimed = comparison.is_null() && runs.size() > 1 &&
                         std::ranges::any_of(runs, [](const RunDirectory& run) {
                             return !std::ranges::all_of(run.claims, &ClaimResult::is_expectation);
                         });
    if (index || claimed) {
        add_to_some<"WrittenPage">(out, field<"index">(true));
    } else if (runs.size() == 2 || !comparison.is_null()) {
        add_to_some<"WrittenPage">(out, field<"verdicts">(comparison_answer(runs, comparison)));
    }
    std::vector<Is<"WrittenRun">> written;
    for (RunDirectory& run : runs) {
        written.push_back(run_data(run, limits, runs.size()));
    }
    add_device_setups(runs, written);
    add_to<"WrittenPage">(out, field<"runs">(std::move(written)));
    return out;
}

Is<"WrittenPage"> page_without_runs() {
    auto out = object<"WrittenPage">(field<"schema">("berth.page/v1"),
                                     field<"definitions">(definitions({})));
    add_to<"WrittenPage">(out, field<"runs">(std::vector<Is<"WrittenRun">>()));
    return out;
}

}  // namespace berth::report
