#include "schedulers/kueue/page/queue_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/report/page_json.hpp"

namespace berth::report {
namespace {

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

/// Null if the value is always 0. An infinite value is null.
Maybe<"ValueSteps"> steps_data(const std::vector<ValueStep>& steps, std::size_t points) {
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
    const std::vector<QuotaStep> kept = thinned(all, points);
    return object<"ValueSteps">(field<"time">(rounded_list(list_of(kept, &QuotaStep::time_s))),
                                field<"value">(rounded_if_any(list_of(kept, &QuotaStep::used))));
}

using Limits = std::vector<std::vector<Is<"Value">>>;

/// A row for each quota, with a list for each resource; null if no object has such a limit.
std::optional<Limits> limits_data(const std::vector<std::vector<std::optional<double>>>& limits) {
    bool any = false;
    Limits rows = list_of(limits, [&](const std::vector<std::optional<double>>& of_quota) {
        return list_of(of_quota, [&](const std::optional<double>& limit) {
            any = any || limit;
            return rounded(limit);
        });
    });
    return any ? std::optional(std::move(rows)) : std::nullopt;
}

/// Sums over all replications.
Is<"QueueCounts"> counts_row(const QueueCounts& counts) {
    return row<"QueueCounts">(field<"admitted">(counts.admitted),
                              field<"preempted">(counts.preempted),
                              field<"notReady">(counts.not_ready),
                              field<"waiting">(counts.waiting));
}

/// The counts of a ClusterQueue or a LocalQueue.
Maybe<"QueueCounts"> counts_of(const Queues& queues, std::size_t quota) {
    const bool is_local = queues.kinds[quota] == QueueKind::local_queue;
    if (!is_local && queues.kinds[quota] != QueueKind::cluster_queue) {
        return nullptr;
    }
    const auto& counts = is_local ? queues.tally.by_local_queue : queues.tally.by_cluster_queue;
    const auto found = counts.find(queues.quotas.quotas[quota].name);
    return counts_row(found == counts.end() ? QueueCounts{} : found->second);
}

/// The first preemptions of replication 0; queues are quotas.
Is<"QueuePreemptions"> preemptions_data(const Queues& queues, std::size_t most) {
    const std::map<std::string, std::uint32_t> places = cluster_queue_places(queues);
    const auto shown = std::views::take(queues.preempted, static_cast<std::ptrdiff_t>(most));
    auto rows = list_of(shown, [&](const QueueStay& stay) {
        const double at = stay.told_s.value_or(stay.until_s.value_or(0));
        return row<"QueuePreemption">(field<"time">(rounded(at)),
                                      field<"job">(stay.job),
                                      field<"queue">(places.at(stay.cluster_queue)),
                                      field<"by">(stay.preemptor),
                                      field<"byQueue">(places.at(stay.preemptor_queue)),
                                      field<"reason">(stay.reason),
                                      field<"held">(rounded(at - stay.admitted_s.value_or(at))));
    });
    return object<"QueuePreemptions">(field<"total">(queues.preempted.size()),
                                      field<"rows">(std::move(rows)));
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

/// The entries with the greatest counts, in descending order.
template <class Counts>
auto ranked(const Counts& counts, std::size_t most) {
    std::vector<std::pair<typename Counts::key_type, std::int64_t>> order(counts.begin(),
                                                                          counts.end());
    std::ranges::stable_sort(
        order, std::ranges::greater(), [](const auto& one) { return one.second; });
    order.resize(std::min(order.size(), most));
    return order;
}

/// What only queues have. All lists are by quota.
Is<"Kueue"> kueue_data(const Queues& queues, std::size_t points, std::size_t marks) {
    constexpr std::size_t pairs_most = 200;
    constexpr std::size_t messages_most = 60;
    const auto steps = [&](const std::vector<ValueStep>& of_quota) {
        return steps_data(of_quota, points);
    };
    const auto stopped = [](const std::string& policy) { return policy == "None" ? "" : policy; };
    const auto preempted = [](const auto& entry) {
        const auto& [by, whom, reason] = entry.first;
        return row<"QueuePreempted">(field<"preemptor">(by),
                                     field<"preempted">(whom),
                                     field<"reason">(reason),
                                     field<"times">(entry.second));
    };
    const auto in_vain = [](const auto& entry) {
        return row<"QueueInVain">(field<"queue">(entry.first.first),
                                  field<"message">(entry.first.second),
                                  field<"jobs">(entry.second));
    };
    const QueueTally& tally = queues.tally;
    return object<"Kueue">(
        field<"kinds">(list_of(queues.kinds, kind_word)),
        field<"weights">(list_of(queues.weights, [](auto weight) { return rounded(weight); })),
        field<"stopped">(list_of(queues.stop_policies, stopped)),
        field<"borrowingLimits">(limits_data(queues.borrowing_limits)),
        field<"lendingLimits">(limits_data(queues.lending_limits)),
        field<"waiting">(list_of(queues.waiting, steps)),  // the jobs that wait for quota
        // The dominant share divided by the weight, if fair sharing is on; a null value: borrows
        // with a weight of 0.
        field<"shares">(list_of(queues.shares, steps)),
        field<"replications">(tally.replications),
        field<"all">(counts_row(tally.all)),
        field<"counts">(list_of(std::views::iota(std::size_t{0}, queues.kinds.size()),
                                [&](std::size_t q) { return counts_of(queues, q); })),
        field<"preempted">(list_of(ranked(tally.preempted, pairs_most), preempted)),
        field<"preemptedRows">(tally.preempted.size()),
        field<"reasons">(ranked(tally.preempted_by_reason(), pairs_most)),
        field<"preemptions">(preemptions_data(queues, marks)),
        field<"inVain">(list_of(ranked(tally.in_vain, messages_most), in_vain)),
        field<"inVainRows">(tally.in_vain.size()));
}

}  // namespace

Is<"Quotas"> queues_data(const Queues& queues, const QuotaPageLimits& limits) {
    Quotas tree = marked_tree(queues);
    leave_out_what_is_not_drawn(tree);
    const std::vector<double> totals(tree.resources.size(), QuotaStep::not_stated);
    auto out = tree_data(tree, totals, loans_in_cohorts(queues, totals), limits);
    out["chosen"] = usual_queue(queues, out["resource"].get<std::size_t>());
    // The page lists preempted jobs below, so they are not repeated here.
    out["evictions"]["marks"] = nlohmann::ordered_json::array();
    constexpr std::size_t points_most = 1'000;
    constexpr std::size_t points_least = 50;
    const std::size_t points =
        std::clamp(limits.values / 6 / std::max<std::size_t>(1, tree.quotas.size()),
                   points_least,
                   points_most);
    add_to_some<"Quotas">(out, field<"kueue">(kueue_data(queues, points, limits.marks)));
    return out;
}

}  // namespace berth::report
