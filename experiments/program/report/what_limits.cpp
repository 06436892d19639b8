#include "experiments/program/report/what_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "core/support/text.hpp"
#include "experiments/program/report/scheduler_page.hpp"
#include "experiments/program/results/headline.hpp"
#include "experiments/program/results/paid_resource.hpp"
#include "experiments/program/results/statistics.hpp"
#include "experiments/program/support/interval_text.hpp"

namespace berth::report {
namespace {

/// For how long a limit held back a quota in a resource, and the last limiting amount.
struct Binding {
    std::string_view quota;
    std::string_view resource;
    double time_s = 0;
    double amount = 0;
};

/// Whether a quota asks for more than `limit`, beyond rounding errors.
bool asks_for_more(const QuotaStep& step, double limit) {
    constexpr double rounding = 1e-9;
    return step.there() && step.request > limit * (1 + rounding);
}

/// For how long a quota asked for more of a resource than the amount that `limit_of` returns.
template <typename LimitOf>
Binding held_back(const std::vector<QuotaStep>& steps, double end_s, const LimitOf& limit_of) {
    Binding out;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const double limit = limit_of(steps[i]);
        if (!std::isnan(limit) && asks_for_more(steps[i], limit)) {
            out.time_s += (i + 1 < steps.size() ? steps[i + 1].time_s : end_s) - steps[i].time_s;
            out.amount = limit;
        }
    }
    return out;
}

/// The quota that was held back for the longest time; of equal ones the first, and of its resources
/// preferably the paid one. The root is left out, since no user sets it.
template <typename LimitOf>
Binding longest(const Quotas& quotas, const LimitOf& limit_of) {
    const std::size_t paid = paid_resource(quotas.resources);
    Binding most;
    for (std::size_t q = 1; q < quotas.quotas.size(); ++q) {
        const Quota& quota = quotas.quotas[q];
        for (std::size_t i = 0; i < quota.steps.size(); ++i) {
            // The paid resource comes first, so that it is the one that is named.
            const std::size_t r = i == 0 ? paid : i <= paid ? i - 1 : i;
            Binding one = held_back(quota.steps[r], quotas.last_s, limit_of);
            if (one.time_s > most.time_s) {
                one.quota = quota.name;
                one.resource = quotas.resources[r];
                most = one;
            }
        }
    }
    return most;
}

std::string share_of_time(const Binding& binding, const Quotas& quotas) {
    return value_text("share", binding.time_s / (quotas.last_s - quotas.first_s)).value;
}

struct Cause {
    std::string_view metric;
    std::string_view sentence;
};
constexpr std::array idle_causes{
    Cause{"gpu_time_idle_no_demand", "no job that waits asks for them"},
    Cause{"gpu_time_idle_quota", "the quota of the jobs that wait does not admit them"},
    Cause{"gpu_time_idle_gang_waiting",
          "a group waits until there are places for all of its members"},
    Cause{"gpu_time_idle_split", ""},  // not_together
    Cause{"gpu_time_idle_nic_mismatch", "their servers lack the NICs that the waiting jobs want"},
    Cause{"gpu_time_idle_cpu_or_memory",
          "their servers have too little CPU or memory left for the jobs that wait"},
    Cause{"gpu_time_idle_model_mismatch", "the jobs that wait want another GPU model"},
    Cause{"gpu_time_idle_fragmented",
          "too few of them are left on any one server, or too little of each, for the jobs that "
          "wait"},
    Cause{"gpu_time_idle_scheduler",
          "the policy holds back jobs that could start, or its next cycle is still to come"},
    Cause{"gpu_time_idle_failed", "their servers are down, or not there yet"},
    Cause{"gpu_time_drained",
          "their servers are drained, or would be before the jobs that wait had ended"},
    Cause{"gpu_time_spare", "they are kept free for jobs that lose servers"}};

double value_of(const std::vector<MetricSummary>& metrics, std::string_view name) {
    const auto found = std::ranges::find(metrics, name, &MetricSummary::name);
    return found == metrics.end() ? 0 : found->mean.value_or(0);
}

std::string percent(double share) {
    return value_text("share", share).value;
}

/// For a run without time: what the GPUs that are free at its end lack.
std::string fragment_cause(const std::vector<MetricSummary>& metrics) {
    constexpr std::array classes{
        Cause{"q2_lack_gpu_pct_of_total", "too little is left of each GPU, or too few on a server"},
        Cause{"q4_lack_cpu_pct_of_total", "their servers have too little CPU left"},
        Cause{"q1_lack_both_pct_of_total", "too little of GPUs and of CPU is left"},
        Cause{"xr_lack_cpu_pct_of_total", "their servers have too little CPU left for any pod"},
        Cause{"no_access_pct_of_total", "pods do not accept their model"}};
    const Cause* largest = nullptr;
    for (const Cause& cause : classes) {
        const double share = value_of(metrics, cause.metric);
        if (share > (largest != nullptr ? value_of(metrics, largest->metric) : 0)) {
            largest = &cause;
        }
    }
    if (largest == nullptr) {
        return {};
    }
    return fmt::format(
        "At the end {} of the GPUs are free; most of what typical pods cannot use of them, {} "
        "of all GPUs, is of no "
        "use because {}.",
        percent(1 - value_of(metrics, "gpu_allocated_pct") / 100),
        percent(value_of(metrics, largest->metric) / 100),
        largest->sentence);
}

/// Such as `not in one rack or one zone`, if the experiment says at which levels jobs must be
/// together.
std::string not_together(const std::vector<std::string>& levels) {
    if (levels.empty()) {
        return "there are enough of them, but not as close together inside a server as a waiting "
               "job demands";
    }
    return fmt::format(
        "there are enough of them, but not in one {}, as a hard constraint of the "
        "waiting jobs demands",
        core::join(levels, " or one "));
}

/// The largest cause of idle GPUs, and its share of the GPU time.
std::string idle_cause(const std::vector<MetricSummary>& metrics, const Setup& setup) {
    if (!takes_time(metrics)) {
        return fragment_cause(metrics);
    }
    const Cause* largest = nullptr;
    double most = 0;
    double idle = 0;
    for (const Cause& cause : idle_causes) {
        const double share = value_of(metrics, cause.metric);
        idle += share;
        if (share > most) {
            most = share;
            largest = &cause;
        }
    }
    constexpr double shown_least = 0.0005;
    if (largest == nullptr || idle < shown_least) {
        return {};
    }
    return fmt::format(
        "GPUs are idle {} of the time; for the largest part of it ({} of all GPU time) {}.",
        percent(idle),
        percent(most),
        largest->metric == "gpu_time_idle_split" ? not_together(setup.hard_levels)
                                                 : std::string(largest->sentence));
}

/// Whether nothing more fits: nearly all GPU time is used, and pods still wait at the end.
std::string full_cluster(const RunDirectory& run) {
    constexpr double nearly_all = 0.95;
    double used = 0;
    for (const char* use : {"allocated", "redone", "checkpoint", "restart"}) {
        used += value_of(run.metrics, fmt::format("gpu_time_{}", use));
    }
    const auto waiting = run.pods.outcomes.find("waiting");
    if (used < nearly_all || waiting == run.pods.outcomes.end()) {
        return {};
    }
    return fmt::format("The cluster is full: {} of all GPU time is used while pods wait.",
                       percent(used));
}

/// The name in `quota/NAME/FIGURE`, if the figure is this one.
std::string_view quota_of(std::string_view metric, std::string_view figure) {
    constexpr std::string_view beginning = "quota/";
    if (!metric.starts_with(beginning) || !metric.ends_with(figure) ||
        metric.size() <= beginning.size() + figure.size() ||
        metric[metric.size() - figure.size() - 1] != '/') {
        return {};
    }
    return metric.substr(beginning.size(), metric.size() - beginning.size() - figure.size() - 1);
}

/// The quota that was kept below its min for the longest time, or whose pods waited the longest.
std::string suffering_quota(const RunDirectory& run) {
    const auto most = [&](std::string_view figure) {
        const MetricSummary* found = nullptr;
        for (const MetricSummary& metric : run.quota_metrics) {
            if (!quota_of(metric.name, figure).empty() && metric.mean.value_or(0) > 0 &&
                (found == nullptr || *metric.mean > *found->mean)) {
                found = &metric;
            }
        }
        return found;
    };
    std::string out;
    if (const MetricSummary* wait = most("wait_s_mean")) {
        out = fmt::format("Of the quotas, pods of {} waited longest: {} on average",
                          quota_of(wait->name, "wait_s_mean"),
                          with_interval(quoted(*wait, {})));
    }
    if (const MetricSummary* below = most("min_violation_s")) {
        out += fmt::format("{} {} was kept below its min for longest, {} in all",
                           out.empty() ? "Of the quotas," : ";",
                           quota_of(below->name, "min_violation_s"),
                           with_interval(quoted(*below, {})));
    }
    return out.empty() ? out : out + ".";
}

/// The cause that most pods without a place have.
std::string common_reason(const RunDirectory& run) {
    std::map<std::string, std::int64_t> pods_by_cause;
    std::int64_t explained = 0;
    for (const auto& [message, count] : run.pods.reasons) {
        explained += count;
        std::vector<std::string> causes = causes_of(message);
        std::ranges::sort(causes);
        causes.erase(std::unique(causes.begin(), causes.end()), causes.end());
        for (const std::string& cause : causes) {
            pods_by_cause[cause] += count;
        }
    }
    const auto most = std::ranges::max_element(
        pods_by_cause, [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == pods_by_cause.end()) {
        return {};
    }
    std::string_view cause = most->first;
    while (cause.ends_with('.')) {
        cause.remove_suffix(1);
    }
    std::int64_t all = 0;
    for (const auto& [outcome, count] : run.pods.outcomes) {
        all += count;
    }
    return fmt::format("{} of {} pods did not run; the most common reason, of {} of them: {}.",
                       explained,
                       all,
                       most->second,
                       cause);
}

}  // namespace

std::string binding_quota(const Quotas& quotas) {
    if (quotas.resources.empty() || !(quotas.last_s > quotas.first_s)) {
        return {};
    }
    if (const Binding at_max = longest(quotas, [](const QuotaStep& step) { return step.max; });
        at_max.time_s > 0) {
        return fmt::format(
            "The quota that binds is {}: for {} of the time its pods ask for more "
            "{} than its max, {}.",
            at_max.quota,
            share_of_time(at_max, quotas),
            at_max.resource,
            number_text(at_max.amount));
    }
    const Binding short_of = longest(quotas, [](const QuotaStep& step) { return step.runtime; });
    if (short_of.time_s > 0) {
        return fmt::format(
            "No quota's max binds. All quotas together ask for more than there is: "
            "{} gets less {} than its pods ask for, {} of the time.",
            short_of.quota,
            short_of.resource,
            share_of_time(short_of, quotas));
    }
    return {};
}

std::vector<std::string> what_limits(const RunDirectory& run) {
    std::vector<std::string> out;
    const std::string full = full_cluster(run);
    for (std::string sentence : {full.empty() ? idle_cause(run.metrics, run.setup) : full,
                                 run.quotas ? binding_quota(*run.quotas) : "",
                                 suffering_quota(run)}) {
        if (!sentence.empty()) {
            out.push_back(std::move(sentence));
        }
    }
    bool said = false;  // by the scheduler that kept jobs out
    for (const auto& results : run.of_schedulers) {
        for (const SchedulerPage& page : scheduler_pages()) {
            std::ranges::move(page.limits(run, *results), std::back_inserter(out));
            said = said || page.says_why_jobs_wait(*results);
        }
    }
    if (std::string reason = said ? "" : common_reason(run); !reason.empty()) {
        out.push_back(std::move(reason));
    }
    return out;
}

}  // namespace berth::report
