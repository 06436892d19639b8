#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/text.hpp"
#include "experiments/program/results/headline.hpp"
#include "experiments/program/results/statistics.hpp"
#include "experiments/program/support/interval_text.hpp"
#include "schedulers/kueue/page/queue_page.hpp"

namespace berth::report {
namespace {

/// The meaning of Kueue's word for a preemption reason; empty for an unknown word.
std::string_view meaning(std::string_view reason) {
    if (reason == "InClusterQueue") {
        return "within their ClusterQueue";
    }
    if (reason == "InCohortReclamation") {
        return "to take back quota within the cohort";
    }
    if (reason == "InCohortFairSharing") {
        return "for fair sharing";
    }
    if (reason == "InCohortReclaimWhileBorrowing") {
        return "to take back quota within the cohort and borrow at once";
    }
    return "";
}

/// The average number per replication.
std::string each_replication(std::int64_t count, const QueueTally& tally) {
    const auto replications = static_cast<double>(std::max<std::size_t>(1, tally.replications));
    return value_text("", static_cast<double>(count) / replications).value;
}

std::string on_average(const QueueTally& tally) {
    return tally.replications > 1 ? "On average over the replications, " : "";
}

std::string capitalized(std::string text) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

std::string preempted_text(const QueueTally& tally) {
    const std::map<std::string, std::int64_t> by_reason = tally.preempted_by_reason();
    std::vector<std::pair<std::string, std::int64_t>> order(by_reason.begin(), by_reason.end());
    std::ranges::stable_sort(
        order, std::ranges::greater(), &std::pair<std::string, std::int64_t>::second);
    std::vector<std::string> parts;
    for (const auto& [reason, count] : order) {
        const std::string_view words = meaning(reason);
        parts.push_back(fmt::format("{} {}{}{}",
                                    each_replication(count, tally),
                                    words,
                                    words.empty() ? "" : " ",
                                    words.empty() ? reason : fmt::format("({})", reason)));
    }
    return core::join(parts, ", ");
}

std::string what_kueue_did(const QueueTally& tally) {
    const QueueCounts& all = tally.all;
    std::string out = fmt::format(
        "{}Kueue admitted jobs {} times", on_average(tally), each_replication(all.admitted, tally));
    if (all.preempted == 0) {
        out += " and preempted none";
    } else {
        out += fmt::format(
            " and preempted {}: {}", each_replication(all.preempted, tally), preempted_text(tally));
    }
    if (all.not_ready > 0) {
        out += fmt::format("; {} lost their quota because their pods were not ready in time",
                           each_replication(all.not_ready, tally));
    }
    return out + ".";
}

/// The ClusterQueue whose jobs waited for quota the longest on average.
std::string longest_wait(const RunDirectory& run, const QueueTally& tally) {
    const MetricSummary* longest = nullptr;
    std::string_view queue;
    const auto figure = [](const MetricSummary& metric) {
        return std::max(metric.mean.value_or(0), metric.at_least.value_or(0));
    };
    for (const auto& [name, counts] : tally.by_cluster_queue) {
        const auto metric = std::ranges::find(
            run.metrics, fmt::format("queue/{}/admission_wait_s_mean", name), &MetricSummary::name);
        if (metric != run.metrics.end() && figure(*metric) > 0 &&
            (longest == nullptr || figure(*metric) > figure(*longest))) {
            longest = &*metric;
            queue = name;
        }
    }
    return longest == nullptr
               ? ""
               : fmt::format(
                     "Of the ClusterQueues, jobs of {} waited longest for quota: {} on "
                     "average.",
                     queue,
                     with_interval(quoted(*longest, {})));
}

/// Kueue's message without the part that differs between jobs: how much more is needed.
std::string without_amount(const std::string& message) {
    constexpr std::string_view more_needed = " more needed";
    std::string out = message;
    for (std::size_t end = 0; (end = out.find(more_needed, end)) != std::string::npos;) {
        const std::size_t begin = out.rfind(", ", end);
        if (begin == std::string::npos) {
            break;
        }
        out.erase(begin, end + more_needed.size() - begin);
        end = begin;
    }
    while (out.ends_with('.')) {
        out.pop_back();
    }
    return out;
}

/// The most common message of jobs that wait for quota when the run ends, or were given up.
std::string common_message(const QueueTally& tally) {
    std::map<std::string, std::int64_t> by_message;
    std::int64_t all = 0;
    for (const auto& [key, count] : tally.in_vain) {
        by_message[without_amount(key.second)] += count;
        all += count;
    }
    const auto most =
        std::ranges::max_element(by_message, {}, [](const auto& one) { return one.second; });
    if (most == by_message.end() || most->first.empty()) {
        return {};
    }
    const std::string count = each_replication(all, tally);
    return fmt::format("{}{} {} got no quota in the end; Kueue says{}: {}.",
                       on_average(tally),
                       count,
                       count == "1" ? "job" : "jobs",
                       most->second == all
                           ? ""
                           : fmt::format(" of {} of them", each_replication(most->second, tally)),
                       most->first);
}

}  // namespace

std::vector<std::string> queue_limits(const RunDirectory& run, const Queues& queues) {
    std::vector<std::string> out;
    for (std::string sentence : {what_kueue_did(queues.tally),
                                 longest_wait(run, queues.tally),
                                 common_message(queues.tally)}) {
        if (!sentence.empty()) {
            out.push_back(capitalized(std::move(sentence)));
        }
    }
    return out;
}

extern constinit const SchedulerPage kueue_page;
constinit const SchedulerPage kueue_page{
    .key = "queues",
    .data =
        [](const SchedulerResults& results, const QuotaPageLimits& limits) {
            const auto* queues = dynamic_cast<const Queues*>(&results);
            return queues == nullptr || queues->quotas.resources.empty()
                       ? nlohmann::ordered_json()
                       : queues_data(*queues, limits);
        },
    .limits =
        [](const RunDirectory& run, const SchedulerResults& results) {
            const auto* queues = dynamic_cast<const Queues*>(&results);
            return queues == nullptr ? std::vector<std::string>() : queue_limits(run, *queues);
        },
    .says_why_jobs_wait =
        [](const SchedulerResults& results) {
            const auto* queues = dynamic_cast<const Queues*>(&results);
            return queues != nullptr && !queues->tally.in_vain.empty();
        }};

}  // namespace berth::report
