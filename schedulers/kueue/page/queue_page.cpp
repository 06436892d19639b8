#include "schedulers/kueue/page/queue_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/report/page_json.hpp"

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

std::string_view kind_word(QueueKind kind) {
    constexpr std::array<std::string_view, 4> words{"", "Cohort", "ClusterQueue", "LocalQueue"};
    return words[static_cast<std::size_t>(kind)];
}

/// The place of each ClusterQueue among the quotas, by name.
std::map<std::string, std::uint32_t> cluster_queue_places(const Queues& queues) {
    std::map<std::string, std::uint32_t> places;
    for (std::uint32_t q = 0; q < queues.kinds.size(); ++q) {
        if (queues.kinds[q] == QueueKind::cluster_queue) {
            places[queues.quotas.quotas[q].name] = q;
        }
    }
    return places;
}

/// The tree, with preempted jobs as evictions, and with the changes of its objects.
Quotas marked_tree(const Queues& queues) {
    Quotas tree = queues.quotas;
    const std::map<std::string, std::uint32_t> places = cluster_queue_places(queues);
    for (const QueueStay& stay : queues.preempted) {
        const double at = stay.told_s.value_or(stay.until_s.value_or(0));
        tree.evictions.push_back({at,
                                  stay.job,
                                  places.at(stay.cluster_queue),
                                  stay.reason,
                                  at - stay.admitted_s.value_or(at),
                                  0});
    }
    return tree;
}

/// {"time", "value"}; null if the value is always 0. An infinite value is null.
Json steps_data(const std::vector<ValueStep>& steps, std::size_t points) {
    const auto is_nothing = [](const ValueStep& step) { return step.value == 0; };
    if (std::ranges::all_of(steps, is_nothing)) {
        return nullptr;
    }
    std::vector<QuotaStep> all;
    for (const ValueStep& step : steps) {
        QuotaStep one;
        one.time_s = step.time_s;
        one.used = step.value;
        all.push_back(one);
    }
    std::vector<double> times;
    std::vector<double> values;
    for (const QuotaStep& step : thinned(all, points)) {
        times.push_back(step.time_s);
        values.push_back(step.used);
    }
    return {{"time", rounded_list(times)}, {"value", rounded_list(values)}};
}

/// A row for each quota, with a list for each resource; null if no object has such a limit.
Json limits_data(const std::vector<std::vector<std::optional<double>>>& limits) {
    bool any = false;
    Json rows = Json::array();
    for (const std::vector<std::optional<double>>& of_quota : limits) {
        Json row = Json::array();
        for (const std::optional<double>& limit : of_quota) {
            row.push_back(rounded(limit));
            any = any || limit;
        }
        rows.push_back(std::move(row));
    }
    return any ? rows : Json(nullptr);
}

/// [admitted, preempted, not ready, waiting] of a queue.
Json counts_row(const std::map<std::string, QueueCounts>& counts, const std::string& name) {
    const auto found = counts.find(name);
    const QueueCounts own = found == counts.end() ? QueueCounts{} : found->second;
    return Json::array({own.admitted, own.preempted, own.not_ready, own.waiting});
}

/// The first preemptions, each as [time, job, its queue, preemptor, its queue, reason, how long it
/// held].
Json preemptions_data(const Queues& queues, std::size_t most) {
    const std::map<std::string, std::uint32_t> places = cluster_queue_places(queues);
    Json rows = Json::array();
    for (const QueueStay& stay : queues.preempted) {
        if (rows.size() == most) {
            break;
        }
        const double at = stay.told_s.value_or(stay.until_s.value_or(0));
        rows.push_back(Json::array({rounded(at),
                                    stay.job,
                                    places.at(stay.cluster_queue),
                                    stay.preemptor,
                                    places.at(stay.preemptor_queue),
                                    stay.reason,
                                    rounded(at - stay.admitted_s.value_or(at))}));
    }
    return {{"total", queues.preempted.size()}, {"rows", std::move(rows)}};
}

/// The loans within Cohorts: only the ClusterQueues and Cohorts of one Cohort lend to each other.
std::vector<Loans> loans_in_cohorts(const Queues& queues, const std::vector<double>& totals) {
    std::vector<Loans> loans = integrate_lending(queues.quotas, totals);
    std::erase_if(loans,
                  [&](const Loans& one) { return queues.kinds[one.parent] != QueueKind::cohort; });
    return loans;
}

/// Removes data that is not drawn but only used to compute the lending.
void leave_out_what_is_not_drawn(Quotas& tree) {
    for (Quota& quota : tree.quotas) {
        for (std::vector<QuotaStep>& steps : quota.steps) {
            for (QuotaStep& step : steps) {
                step.runtime = step.request = QuotaStep::not_stated;
            }
        }
    }
}

/// The ClusterQueue that borrowed most of a resource; the first one if none borrowed.
std::size_t usual_queue(const Queues& queues, std::size_t resource) {
    std::size_t chosen = 0;
    double most = -1;
    for (std::size_t q = 0; q < queues.kinds.size(); ++q) {
        const Quota& quota = queues.quotas.quotas[q];
        if (queues.kinds[q] != QueueKind::cluster_queue || quota.steps.empty()) {
            continue;
        }
        const double borrowed = figures_of(quota.steps[resource], queues.quotas.last_s).borrowed_h;
        if (borrowed > most) {
            most = borrowed;
            chosen = q;
        }
    }
    return chosen;
}

/// The rows with the greatest counts, in descending order.
template <class Counts, class Row>
Json ranked_rows(const Counts& counts, std::size_t most, const Row& row) {
    std::vector<std::pair<typename Counts::key_type, std::int64_t>> order(counts.begin(),
                                                                          counts.end());
    std::ranges::stable_sort(
        order, std::ranges::greater(), [](const auto& one) { return one.second; });
    Json rows = Json::array();
    for (const auto& [key, count] : order) {
        if (rows.size() < most) {
            rows.push_back(row(key, count));
        }
    }
    return rows;
}

}  // namespace

Json queues_data(const Queues& queues, const QuotaPageLimits& limits) {
    Quotas tree = marked_tree(queues);
    leave_out_what_is_not_drawn(tree);
    const std::vector<double> totals(tree.resources.size(), QuotaStep::not_stated);
    Json out = tree_data(tree, totals, loans_in_cohorts(queues, totals), limits);
    out["chosen"] = usual_queue(queues, out["resource"].get<std::size_t>());
    // The page lists preempted jobs below, so they are not repeated here.
    out["evictions"]["marks"] = Json::array();
    constexpr std::size_t points_most = 1'000;
    constexpr std::size_t points_least = 50;
    const std::size_t points =
        std::clamp(limits.values / 6 / std::max<std::size_t>(1, tree.quotas.size()),
                   points_least,
                   points_most);
    Json kinds = Json::array();
    Json weights = Json::array();
    Json stopped = Json::array();
    Json waiting = Json::array();
    Json shares = Json::array();
    Json counts = Json::array();
    for (std::size_t q = 0; q < tree.quotas.size(); ++q) {
        const bool is_local = queues.kinds[q] == QueueKind::local_queue;
        kinds.push_back(kind_word(queues.kinds[q]));
        weights.push_back(rounded(queues.weights[q]));
        stopped.push_back(queues.stop_policies[q] == "None" ? "" : queues.stop_policies[q]);
        waiting.push_back(steps_data(queues.waiting[q], points));
        shares.push_back(steps_data(queues.shares[q], points));
        counts.push_back(
            is_local || queues.kinds[q] == QueueKind::cluster_queue
                ? counts_row(is_local ? queues.tally.by_local_queue : queues.tally.by_cluster_queue,
                             tree.quotas[q].name)
                : Json(nullptr));
    }
    const QueueCounts& all = queues.tally.all;
    constexpr std::size_t pairs_most = 200;
    constexpr std::size_t messages_most = 60;
    out["kueue"] = {{"kinds", std::move(kinds)},
                    {"weights", std::move(weights)},
                    {"stopped", std::move(stopped)},
                    {"borrowingLimits", limits_data(queues.borrowing_limits)},
                    {"lendingLimits", limits_data(queues.lending_limits)},
                    {"waiting", std::move(waiting)},
                    {"shares", std::move(shares)},
                    {"replications", queues.tally.replications},
                    {"all", Json::array({all.admitted, all.preempted, all.not_ready, all.waiting})},
                    {"counts", std::move(counts)},
                    {"preempted",
                     ranked_rows(queues.tally.preempted,
                                 pairs_most,
                                 [](const auto& key, std::int64_t count) {
                                     const auto& [by, whom, reason] = key;
                                     return Json::array({by, whom, reason, count});
                                 })},
                    {"preemptedRows", queues.tally.preempted.size()},
                    {"reasons",
                     ranked_rows(queues.tally.preempted_by_reason(),
                                 pairs_most,
                                 [](const std::string& reason, std::int64_t count) {
                                     return Json::array({reason, count});
                                 })},
                    {"preemptions", preemptions_data(queues, limits.marks)},
                    {"inVain",
                     ranked_rows(queues.tally.in_vain,
                                 messages_most,
                                 [](const auto& key, std::int64_t count) {
                                     return Json::array({key.first, key.second, count});
                                 })},
                    {"inVainRows", queues.tally.in_vain.size()}};
    return out;
}

}  // namespace berth::report
