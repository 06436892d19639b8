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
#include "experiments/program/report/scheduler_page.hpp"
#include "experiments/program/results/arrival_series.hpp"
#include "experiments/program/results/claim.hpp"
#include "experiments/program/results/paid_resource.hpp"
#include "experiments/program/results/statistics.hpp"

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

Json facts(const std::vector<std::pair<std::string, std::string>>& pairs) {
    Json list = Json::array();
    for (const auto& [key, value] : pairs) {
        list.push_back(Json::array({key, value}));
    }
    return list;
}

Json metrics(const RunDirectory& run) {
    Json list = Json::array();
    for (const MetricSummary& metric : run.metrics) {
        list.push_back({{"name", metric.name},
                        {"mean", rounded(metric.mean)},
                        {"ci95", rounded(metric.ci95)},
                        {"sd", rounded(metric.sd)},
                        {"min", rounded(metric.min)},
                        {"max", rounded(metric.max)},
                        {"atLeast", rounded(metric.at_least)},
                        {"n", metric.count}});
        if (metric.never_started.value_or(0) > 0) {
            list.back()["neverStarted"] = rounded(metric.never_started);
        }
    }
    return list;
}

/// For pods and groups, the distribution has neither a mean nor an interval: the mean of a metric,
/// and its interval over the replications, come only from the summary.
Json distribution(std::string_view of, const Samples& samples) {
    const bool of_replications = of == "replication";
    const Distribution d = of_replications ? describe_replications(samples) : describe(samples);
    return {{"of", of},
            {"name", d.name},
            {"n", d.count},
            {"goingOn", samples.going_on.size()},
            {"mean", of_replications ? Json(rounded(d.mean)) : Json(nullptr)},
            {"sd", rounded(d.sd)},
            {"ci95", rounded(d.ci95)},
            {"box", rounded_list({d.min, d.lower_quartile, d.median, d.upper_quartile, d.max})},
            {"p95", rounded(d.p95)},
            {"from", rounded(d.histogram.from)},
            {"width", rounded(d.histogram.width)},
            {"whole", d.histogram.whole},
            {"counts", d.histogram.counts}};
}

Json distributions(const RunDirectory& run) {
    Json list = Json::array();
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
                list.push_back(distribution(of, samples));
            }
        }
    };
    add("replication", run.replication_samples);
    add("group", run.group_samples);
    add("pod", run.pod_samples);
    return list;
}

/// The cumulative distributions of the pods of all replications together.
Json cumulatives(const RunDirectory& run, std::size_t points) {
    Json list = Json::array();
    for (const Samples& samples : run.pod_samples) {
        const Cumulative curve = make_cumulative(samples, points);
        list.push_back({{"name", samples.name},
                        {"n", samples.values.size() + samples.going_on.size()},
                        {"goingOn", samples.going_on.size()},
                        {"neverStarted", rounded(samples.never_started_share())},
                        {"value", rounded_list(curve.value)},
                        {"share", rounded_list(curve.share)}});
    }
    return list;
}

/// A series in which at most `shown_max` replications are shown one by one. If it is 0, a single
/// replication is shown all the same, and several only by their mean and range.
Json series(const TimeSeries& all, std::size_t values_max, std::size_t shown_max) {
    if (all.replications.empty() || all.columns.empty()) {
        return nullptr;
    }
    const bool several = all.replications.size() > 1;
    const std::size_t shown =
        std::min(several ? shown_max : std::size_t{1}, all.replications.size());
    const std::size_t lines = all.columns.size() * (shown + (several ? 3 : 0));
    const std::size_t points = std::clamp<std::size_t>(values_max / lines, 100, 2000);
    Json out = {{"columns", all.columns}, {"count", all.replications.size()}};
    out["runs"] = Json::array();
    for (std::size_t i = 0; i < shown; ++i) {
        const ReplicationSeries kept = downsample(all.replications[i], points / 2 - 1);
        out["runs"].push_back({{"replication", kept.replication},
                               {"rows", all.replications[i].time_s.size()},
                               {"points", kept.time_s.size()},
                               {"time", packed_numbers(kept.time_s)},
                               {"values", packed_columns(kept.values)}});
    }
    if (several) {
        const SeriesBand band = join_replications(all, std::min<std::size_t>(points, 1000));
        out["band"] = {{"points", band.time_s.size()},
                       {"time", packed_numbers(band.time_s)},
                       {"mean", packed_columns(band.mean)},
                       {"low", packed_columns(band.low)},
                       {"high", packed_columns(band.high)}};
    }
    return out;
}

/// {"cells", "counts", "amounts"}, without amounts if they are not known.
Json members_data(const std::vector<ClusterView::Members>& members, std::size_t resource_count) {
    Json cells = Json::array();
    Json counts = Json::array();
    bool known = !members.empty();
    for (const ClusterView::Members& at : members) {
        cells.push_back(at.cell);
        counts.push_back(at.count);
        known = known && !at.amount.empty();
    }
    Json out = {{"cells", std::move(cells)}, {"counts", std::move(counts)}};
    if (known) {
        out["amounts"] = Json::array();
        for (std::size_t r = 0; r < resource_count; ++r) {
            std::vector<double> amount;
            for (const ClusterView::Members& at : members) {
                amount.push_back(at.amount[r]);
            }
            out["amounts"].push_back(folded(amount));
        }
    }
    return out;
}

Json view_data(const ClusterView& view, std::size_t resource_count) {
    return {{"label", view.label},
            {"time", rounded(view.time_s)},
            {"count", view.count},
            {"members", members_data(view.members, resource_count)},
            {"others", members_data(view.others, resource_count)}};
}

/// The parts of the cluster and their places, without any data about pods.
Json cluster_shape(const Cluster& cluster) {
    Json out = {{"levels", cluster.levels},
                {"leaf", cluster.leaf},
                {"servers", cluster.servers},
                {"resources", cluster.resources},
                {"paid", paid_resource(cluster.resources)}};
    out["domains"] = Json::array();
    for (const std::vector<Domain>& level : cluster.domains) {
        Json names = Json::array();
        Json parents = Json::array();
        for (const Domain& domain : level) {
            names.push_back(domain.name);
            parents.push_back(domain.parent);
        }
        out["domains"].push_back({{"names", std::move(names)}, {"parents", std::move(parents)}});
    }
    Json names = Json::array();
    Json parents = Json::array();
    Json servers = Json::array();
    for (const Cell& cell : cluster.cells) {
        names.push_back(cell.name);
        parents.push_back(cell.parent);
        servers.push_back(cell.servers);
    }
    Json capacity = Json::array();
    Json background = Json::array();
    for (std::size_t r = 0; r < cluster.resources.size(); ++r) {
        std::vector<double> capacities;
        std::vector<double> backgrounds;
        for (const Cell& cell : cluster.cells) {
            capacities.push_back(cell.capacity[r]);
            backgrounds.push_back(cell.background[r]);
        }
        capacity.push_back(folded(capacities));
        background.push_back(folded(backgrounds));
    }
    out["names"] = std::move(names);
    out["parents"] = std::move(parents);
    if (cluster.servers != cluster.cells.size()) {
        out["serversPerCell"] = std::move(servers);
    }
    out["capacity"] = std::move(capacity);
    out["background"] = std::move(background);
    return out;
}

Json cluster_data(const Cluster& cluster) {
    Json out = cluster_shape(cluster);
    out["member"] = cluster.member;
    out["views"] = Json::array();
    for (const ClusterView& view : cluster.views) {
        out["views"].push_back(view_data(view, cluster.resources.size()));
    }
    return out;
}

/// Counts in descending order; equal ones are sorted by name.
Json ranked(const std::map<std::string, std::int64_t>& counts, std::size_t count_max) {
    std::vector<std::pair<std::string, std::int64_t>> order(counts.begin(), counts.end());
    std::ranges::sort(order, [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    if (order.size() > count_max) {
        order.resize(count_max);
    }
    Json list = Json::array();
    for (const auto& [text, count] : order) {
        list.push_back(Json::array({text, count}));
    }
    return list;
}

Json pods_data(const RunDirectory& run, const PageLimits& limits) {
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
    return {{"outcomes", ranked(run.pods.outcomes, limits.reasons)},
            {"explained", explained},
            {"causes", ranked(causes, limits.reasons)},
            {"messages", ranked(run.pods.reasons, limits.reasons)}};
}

/// The GPUs that were left while the workload arrived; null if this was not measured.
Json arrival_data(const RunDirectory& run) {
    const auto series = arrival_series(run.series);
    if (!series) {
        return nullptr;
    }
    const auto band = [](const MiddleBand& of) {
        return Json{{"median", rounded_list(of.median)},
                    {"low", rounded_list(of.low)},
                    {"high", rounded_list(of.high)}};
    };
    Json out = {{"arrived", series->arrived_pct},
                {"unallocated", band(series->unallocated_pct)},
                {"ratio", band(series->frag_ratio_pct)}};
    for (std::size_t part = 0; part < fragment_columns.size(); ++part) {
        out["classes"][fragment_columns[part]] = rounded_list(series->class_pct[part]);
    }
    return out;
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
    out["cluster"] = nullptr;
    if (!run.cluster) {
        return;
    }
    out["gantt"] = gantt_data(
        *run.cluster, run.devices ? &*run.devices : nullptr, limits.gantt_pods / run_count);
    Cluster film = *run.cluster;
    out["film"] = film_data(film, limits.film_values / run_count);
    aggregate(*run.cluster, std::max<std::size_t>(limits.cells / run_count, 500));
    out["cluster"] = cluster_data(*run.cluster);
    if (!out["film"].is_null() && film.cells.size() != run.cluster->cells.size()) {
        out["film"]["cluster"] = cluster_shape(film);
    }
}

Json run_data(RunDirectory& run, const PageLimits& limits, std::size_t run_count) {
    Json out = {
        {"experiment", run.experiment},
        {"directory", run.directory},
        {"replications", run.replications},
        {"origin", facts(run.origin)},
        {"machine", facts(run.machine)},
        {"answer", run_answer(run)},
        {"window",
         run.window ? Json{{"from", rounded(run.window->from_s)},
                           {"to", rounded(run.window->to_s)},
                           {"rule", run.window->rule}}
                    : Json(nullptr)},
        {"claims", claims_json(run.claims)},
        {"metrics", metrics(run)},
        {"distributions", distributions(run)},
        {"cumulatives", cumulatives(run, limits.cumulative_points)},
        {"series", series(run.series, limits.series_values / run_count, limits.replications_shown)},
        {"placement", is_placement(run)},
        {"course", series(run.course, limits.series_values / run_count, 0)},
        {"pods", pods_data(run, limits)}};
    out["groups"] = {{"columns", run.groups.columns},
                     {"rows", run.groups.rows},
                     {"leftOut", run.groups.left_out}};
    if (run.failures) {
        out["failures"] = failures_data(run, limits.outage_hits / run_count);
    }
    add_cluster(run, limits, run_count, out);
    out["quotas"] = quotas_data(run,
                                {.values = limits.quota_values / run_count,
                                 .quotas = limits.quotas_shown,
                                 .marks = limits.quota_marks / run_count});
    for (const auto& results : run.of_schedulers) {
        for (const SchedulerPage& page : scheduler_pages()) {
            // Of the columns of a series, at most two change from step to step.
            Json data = page.data(*results,
                                  {.values = limits.quota_values / 2 / run_count,
                                   .quotas = limits.quotas_shown,
                                   .marks = limits.quota_marks / run_count});
            if (!data.is_null()) {
                out[std::string(page.key)] = std::move(data);
            }
        }
    }
    out["quotaMetrics"] = quota_metrics_data(run.quota_metrics);
    if (run.devices) {
        out["devices"] = devices_data(run, limits.device_pods / run_count);
    }
    out["arrival"] = arrival_data(run);
    out["configuration"] = run.configuration;
    return out;
}

/// For runs with an allocator of devices, adds which one it is, and which run is the same with the
/// exact solver.
void add_device_setups(const std::vector<RunDirectory>& runs, Json& out) {
    std::vector<DeviceSetup> setups;
    for (const RunDirectory& run : runs) {
        setups.push_back(device_setup(run.configuration));
    }
    const auto partners = exact_partners(setups);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!setups[i].allocator.empty()) {
            out[i]["allocator"] = setups[i].allocator;
            out[i]["exactRun"] = partners[i] ? Json(*partners[i]) : Json(nullptr);
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

Json make_page_data(std::vector<RunDirectory> runs,
                    const PageLimits& limits,
                    const Json& comparison,
                    bool index) {
    Json out = {{"schema", "berth.page/v1"}};
    out["definitions"] = definitions(metric_names(runs));
    out["comparison"] = comparison;
    const bool claimed = comparison.is_null() && runs.size() > 1 &&
                         std::ranges::any_of(runs, [](const RunDirectory& run) {
                             return !std::ranges::all_of(run.claims, &ClaimResult::is_expectation);
                         });
    if (index || claimed) {
        out["index"] = true;
    } else if (runs.size() == 2 || !comparison.is_null()) {
        out["verdicts"] = comparison_answer(runs, comparison);
    }
    out["runs"] = Json::array();
    for (RunDirectory& run : runs) {
        out["runs"].push_back(run_data(run, limits, runs.size()));
    }
    add_device_setups(runs, out["runs"]);
    return out;
}

}  // namespace berth::report
