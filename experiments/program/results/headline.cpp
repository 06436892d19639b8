#include "experiments/program/results/headline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/tree/gpu_resource.hpp"
#include "experiments/program/results/tables/metric_table.hpp"
#include "experiments/program/support/interval_text.hpp"

namespace berth::report {
namespace {

constexpr std::size_t numbers_max = 6;
constexpr std::string_view idle_prefix = "gpu_time_idle_";
// counts any resource that is a kind of GPU
constexpr std::string_view gpu_use = "gpu_utilization";

/// A metric that may be one of the numbers. Of the candidates with the same subject, the first one
/// that the run has is taken.
struct Candidate {
    std::string_view subject;
    std::string_view metric;
    std::string_view label;
};

/// The candidates, in the order in which they are chosen and shown.
constexpr std::array candidates{
    Candidate{"started", "success_rate", "pods that started"},
    Candidate{"wait", "job_wait_s_mean", "mean wait of a job"},
    Candidate{"wait", "wait_s_mean", "mean wait of a pod"},
    Candidate{"admission", "admission_wait_s_mean", "mean wait for quota"},
    Candidate{"placement", "placement_wait_s_mean", "mean wait for a place with quota"},
    Candidate{"preemption", "workloads_preempted", "jobs preempted"},
    Candidate{"stopped", "jobs_stopped_at_limit", "jobs stopped at their time limit"},
    Candidate{"tail", "job_wait_s_p95", "95th percentile of jobs' waits"},
    Candidate{"tail", "wait_s_p95", "95th percentile of pods' waits"},
    Candidate{"use", "gpu_allocated_pct", "GPUs allocated at the end"},
    Candidate{"use", gpu_use, "GPUs in use"},
    Candidate{"use", "cpu_utilization", "CPUs in use"},
    Candidate{"idle", idle_prefix, ""},
    Candidate{"fragments", "frag_ratio_pct_of_idle", "free GPUs that are fragments"},
    Candidate{"groups", "constraints_met", "groups placed as all constraints ask"},
    Candidate{"fairness", "jain_satisfaction", "fairness between quotas (Jain's index)"},
    Candidate{"failures", "ettr_mean", "effective training time of jobs (ETTR)"},
    Candidate{"failures", "work_lost_s", "work lost to evictions"},
    Candidate{"devices", "same_nvlink", "pods on one NVLink island"},
    Candidate{"devices", "same_pcie", "pods on one PCIe switch"},
    Candidate{"devices", "same_numa", "pods on one NUMA node"},
    Candidate{"length", "jct_s_mean", "mean completion time"},
    Candidate{"length", "makespan_s", "last job finished at"},
};

const MetricSummary* find(const std::vector<MetricSummary>& metrics, std::string_view name) {
    const auto found = std::ranges::find(metrics, name, &MetricSummary::name);
    const bool known = found != metrics.end() && (found->mean || found->at_least);
    return known ? &*found : nullptr;
}

/// The share of the GPUs in use, for GPUs of any vendor.
const MetricSummary* use_of_gpus(const std::vector<MetricSummary>& metrics) {
    constexpr std::string_view ending = "_utilization";
    const MetricSummary* use = nullptr;
    const core::GpuResource* of = nullptr;
    for (const MetricSummary& metric : metrics) {
        const std::string_view name = metric.name;
        const core::GpuResource* const gpu =
            name.ends_with(ending)
                ? core::find_gpu_resource(name.substr(0, name.size() - ending.size()))
                : nullptr;
        if (gpu != nullptr && (of == nullptr || gpu < of) && find(metrics, name) != nullptr) {
            use = &metric;
            of = gpu;
        }
    }
    return use;
}

/// Whether a metric is a share of the GPU time in which no pod had the GPUs.
bool is_idle_time(std::string_view metric) {
    return metric.starts_with(idle_prefix) || metric == "gpu_time_drained" ||
           metric == "gpu_time_spare";
}

/// The cause that left the most GPU time idle; nullptr if no time was idle, or causes were not
/// counted.
const MetricSummary* largest_idle_cause(const std::vector<MetricSummary>& metrics) {
    const MetricSummary* largest = nullptr;
    for (const MetricSummary& metric : metrics) {
        if (is_idle_time(metric.name) && metric.mean && *metric.mean > 0 &&
            (largest == nullptr || *metric.mean > *largest->mean)) {
            largest = &metric;
        }
    }
    return largest;
}

/// The words for an idle cause: `gpu_time_idle_cpu_or_memory` becomes `cpu or memory`.
std::string idle_label(std::string_view metric) {
    constexpr std::string_view prefix = "gpu_time_";
    std::string cause(
        metric.substr(metric.starts_with(idle_prefix) ? idle_prefix.size() : prefix.size()));
    std::ranges::replace(cause, '_', ' ');
    return fmt::format("largest cause of idle GPUs: {}", cause);
}

/// Whether no pod could have had its devices together in this way, for instance because the
/// machines do not state their islands.
bool never_attainable(const std::vector<MetricSummary>& metrics, std::string_view metric) {
    const MetricSummary* attainable = find(metrics, fmt::format("{}_attainable", metric));
    return attainable != nullptr && attainable->mean == 0.0;
}

/// Whether no job or pod waited at all, so that its waits say nothing beyond `success_rate`.
bool nobody_waited(const MetricSummary& metric) {
    return metric.max && *metric.max == 0 && metric.at_least.value_or(0) == 0;
}

/// Whether the jobs or pods that still wait or run raise the mean clearly above that of the others.
/// Then only a lower bound of the mean is known.
bool only_bound_known(const MetricSummary& metric) {
    constexpr double clearly = 0.05;
    if (!metric.mean) {
        return true;
    }
    const double slack = std::max(metric.ci95.value_or(0), clearly * *metric.mean);
    return metric.at_least && *metric.at_least > *metric.mean + slack;
}

Scale scale_of(std::string_view unit, double value) {
    if (unit == "share") {
        return {" %", 100};
    }
    if (unit != "s") {
        return {unit == "%" ? " %" : "", 1};
    }
    return time_scale(value);
}

}  // namespace

bool takes_time(const std::vector<MetricSummary>& metrics) {
    return std::ranges::any_of(std::array{"makespan_s", "wait_s_mean", "jct_s_mean"},
                               [&](const char* name) {
                                   const MetricSummary* metric = find(metrics, name);
                                   return metric != nullptr && metric->mean.value_or(1) > 0;
                               });
}

HeadlineNumber quoted(const MetricSummary& metric, std::string label) {
    const MetricRecord* record = find_metric(metric.name);
    const std::string_view unit = record == nullptr ? "" : record->unit;
    const std::string meaning(record == nullptr ? "" : record->meaning);
    if (only_bound_known(metric)) {
        const ValueText text = value_text(unit, *metric.at_least);
        return {metric.name, std::move(label), "more than " + text.value, "", meaning};
    }
    const ValueText text = value_text(unit, *metric.mean, metric.ci95);
    return {metric.name, std::move(label), text.value, text.half, meaning};
}

ValueText value_text(std::string_view unit, double value, std::optional<double> half) {
    // The wider of the two chooses the unit: `1.1 ± 5.2 min` rather than `66 ± 309 s`.
    const Scale scale = scale_of(unit, std::max(std::abs(value), half.value_or(0)));
    const double shown = value * scale.factor;
    // A count, such as a number of pods, has its unit behind it; for a share or a time the unit is
    // part of the scale.
    const std::string suffix = scale.suffix.empty() && !unit.empty() ? fmt::format(" {}", unit)
                                                                     : std::string(scale.suffix);
    if (has_width(value, half)) {
        const double half_shown = *half * scale.factor;
        return {text_to_interval(shown, half_shown) + suffix,
                text_to_interval(half_shown, half_shown) + suffix};
    }
    constexpr int digits = 3;
    return {number_text(shown, digits) + suffix, ""};
}

std::vector<HeadlineNumber> headline(const std::vector<MetricSummary>& metrics) {
    std::vector<HeadlineNumber> out;
    std::vector<std::string_view> told;
    const bool time = takes_time(metrics);
    for (const Candidate& candidate : candidates) {
        // Where quota admits jobs, the causes of waits say more than the spread of the waits.
        const bool less_telling =
            candidate.subject == "tail" && std::ranges::find(told, "admission") != told.end();
        if (out.size() == numbers_max || less_telling ||
            std::ranges::find(told, candidate.subject) != told.end()) {
            continue;
        }
        const bool idle = candidate.metric == idle_prefix;
        // Idle GPUs are a share of time, so the run must take time. In such a run jobs end, and
        // nothing is allocated at its end.
        if (time ? candidate.metric == "gpu_allocated_pct" : idle) {
            continue;
        }
        const MetricSummary* metric = idle ? largest_idle_cause(metrics)
                                      : candidate.metric == gpu_use
                                          ? use_of_gpus(metrics)
                                          : find(metrics, candidate.metric);
        const bool of_waits = candidate.subject == "wait" || candidate.subject == "tail" ||
                              candidate.subject == "placement";
        if (metric == nullptr || (of_waits && nobody_waited(*metric)) ||
            never_attainable(metrics, candidate.metric)) {
            continue;
        }
        told.push_back(candidate.subject);
        out.push_back(
            quoted(*metric, idle ? idle_label(metric->name) : std::string(candidate.label)));
    }
    return out;
}

std::string with_interval(const HeadlineNumber& number) {
    if (number.interval.empty()) {
        return number.value;
    }
    // Both texts end in the unit, which is written once.
    const std::size_t unit = number.value.find(' ');
    return fmt::format("{} ± {}", number.value.substr(0, unit), number.interval);
}

}  // namespace berth::report
