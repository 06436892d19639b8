#include "sim/measure/job_metrics.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <type_traits>

#include "core/support/assert.hpp"
#include "core/tree/device_names.hpp"
#include "sim/measure/gpu_time_ledger.hpp"

namespace berth::sim {
namespace {

/// More labels of a trait than this are not summed up one by one.
constexpr std::size_t labels_max = 200;

constexpr std::int64_t gpu_milli = 1000;

const std::vector<int> percentiles{500, 950, 990};

/// Up to so many GPUs, or pods, is one class of sizes.
struct SizeClass {
    std::int64_t most = 0;
    std::string_view name;
};
constexpr std::array size_classes{SizeClass{1, "1"},
                                  SizeClass{4, "2-4"},
                                  SizeClass{8, "5-8"},
                                  SizeClass{64, "9-64"},
                                  SizeClass{512, "65-512"},
                                  SizeClass{std::numeric_limits<std::int64_t>::max(), "513+"}};

std::string_view size_class(std::int64_t count) {
    return std::ranges::find_if(size_classes, [&](const SizeClass& c) { return count <= c.most; })
        ->name;
}

void add_span(CensoredSample& sample, const auto& span, std::int64_t weight, bool never_started) {
    using State = std::decay_t<decltype(span.state)>;
    if (span.state == State::none) {
        return;
    }
    if (span.state == State::ended) {
        sample.ended(span.value, weight);
    } else if (span.state == State::going_on) {
        sample.going_on(span.value, weight);
    } else {
        sample.never(weight);
    }
    if (never_started) {
        sample.never_started(weight);
    }
}

void add_statistics(std::vector<Metric>& out,
                    const std::string& prefix,
                    const CensoredSample& sample) {
    out.push_back(sample.mean(prefix + "_mean"));
    sample.add_percentiles(out, prefix, percentiles);
}

}  // namespace

std::string_view to_string(JobTrait trait) {
    static constexpr std::array<std::string_view, job_trait_count> names{
        "quota", "user", "class", "size"};
    return names[static_cast<std::size_t>(trait)];
}

void JobMetrics::Samples::add(const Entry& entry, std::int64_t weight) {
    add_span(wait_s, entry.wait_s, weight, entry.never_started);
    add_span(jct_s, entry.jct_s, weight, entry.never_started);
    add_span(bounded_slowdown, entry.bounded_slowdown, weight, entry.never_started);
}

JobMetrics::JobMetrics(const core::Topology& tree, Window window, bool tells_gain)
    : window_(window) {
    if (GpuTimeLedger::has_gpus(tree)) {
        gpu_ = tree.resources().find(core::device_resource::nvidia_gpu);
        per_gpu_ = tree.resources().per_unit(*gpu_);
    }
    if (tells_gain) {
        gains_.emplace(gpu_, window);
    }
}

void JobMetrics::stint_over(const Job& job, const Stint& stint, const Stretch& stretch) {
    gains_.value().stint_over(job, stint, stretch);
}

void JobMetrics::finish(SimTime now) {
    if (gains_) {
        gains_->finish(now);
    }
}

std::string JobMetrics::size_label(std::int64_t milli, core::Members pods) const {
    if (!gpu_) {
        return "pods=" + std::string(size_class(pods));
    }
    if (milli < gpu_milli) {
        return milli == 0 ? "gpus=0" : "gpus=part";
    }
    return "gpus=" + std::string(size_class((milli + gpu_milli - 1) / gpu_milli));
}

std::uint32_t JobMetrics::label_index(JobTrait trait, const std::string& label) {
    auto& known = labels_[static_cast<std::size_t>(trait)];
    return known.try_emplace(label, static_cast<std::uint32_t>(known.size())).first->second;
}

void JobMetrics::job(const JobRecord& record, SimTime now) {
    using State = Span::State;
    const Job& job = record.job;
    Entry entry;
    entry.gpu_milli = gpu_ ? job.demand[*gpu_] * gpu_milli / per_gpu_ * job.size : 0;
    const std::string size = size_label(entry.gpu_milli, job.size);
    const JobGains::Labels labels{&job.quota, &job.user, &job.job_class, &size};
    if (gains_) {
        gains_->job(record, labels);
    }
    if (!window_.counts(job.submit)) {
        return;
    }
    BERTH_ASSERT(!record.finish || record.start, "a job that finished had started");
    entry.never_started = !record.ever_started();
    if (record.start) {
        entry.wait_s = {State::ended, seconds(record.waited())};
    } else if (record.outcome == Outcome::waiting) {
        entry.wait_s = {State::going_on, seconds(record.waited_until(now))};
    } else {
        entry.wait_s = {State::given_up, 0};
    }
    if (record.finish || job.duration) {
        const bool goes_on =
            record.outcome == Outcome::waiting || record.outcome == Outcome::running;
        const State state = record.finish ? State::ended
                            : goes_on     ? State::going_on
                                          : State::given_up;
        const double jct = seconds(record.finish.value_or(now) - job.submit);
        const double run = seconds(job.duration ? *job.duration : *record.finish - *record.start);
        entry.jct_s = {state, jct};
        entry.bounded_slowdown = {state,
                                  std::max(jct / std::max(run, bounded_slowdown_threshold_s), 1.0)};
    }
    for (std::size_t trait = 0; trait < job_trait_count; ++trait) {
        entry.labels[trait] = label_index(static_cast<JobTrait>(trait), *labels[trait]);
    }
    entries_.push_back(entry);
}

void JobMetrics::add_to(std::vector<Metric>& out) const {
    Samples by_job;
    Samples by_gpu;
    for (const Entry& entry : entries_) {
        by_job.add(entry, 1);
        by_gpu.add(entry, entry.gpu_milli);
    }
    add_statistics(out, "job_wait_s", by_job.wait_s);
    add_statistics(out, "job_jct_s", by_job.jct_s);
    add_statistics(out, "job_bounded_slowdown", by_job.bounded_slowdown);
    if (gpu_) {
        add_statistics(out, "gpu_wait_s", by_gpu.wait_s);
        add_statistics(out, "gpu_jct_s", by_gpu.jct_s);
        add_statistics(out, "gpu_bounded_slowdown", by_gpu.bounded_slowdown);
    }
}

std::vector<JobKind> JobMetrics::kinds() const {
    std::vector<JobKind> out;
    for (std::size_t trait = 0; trait < job_trait_count; ++trait) {
        std::vector<std::vector<const Entry*>> of_label(labels_[trait].size());
        for (const Entry& entry : entries_) {
            of_label[entry.labels[trait]].push_back(&entry);
        }
        for (const auto& [label, index] : most_common(trait, of_label)) {
            Samples samples;
            for (const Entry* entry : of_label[index]) {
                samples.add(*entry, 1);
            }
            JobKind& kind = out.emplace_back();
            kind.trait = static_cast<JobTrait>(trait);
            kind.label = label;
            kind.jobs = of_label[index].size();
            add_statistics(kind.metrics, "job_wait_s", samples.wait_s);
            add_statistics(kind.metrics, "job_bounded_slowdown", samples.bounded_slowdown);
            if (gains_) {
                gains_->add_to(kind.metrics, kind.trait, label);
            }
        }
    }
    return out;
}

/// The labels of a trait with the most jobs, in the order of their names.
std::vector<std::pair<std::string, std::uint32_t>> JobMetrics::most_common(
    std::size_t trait, const std::vector<std::vector<const Entry*>>& of_label) const {
    std::vector<std::pair<std::string, std::uint32_t>> labels(labels_[trait].begin(),
                                                              labels_[trait].end());
    if (labels.size() > labels_max) {
        std::ranges::stable_sort(labels, std::greater(), [&](const auto& label) {
            return of_label[label.second].size();
        });
        labels.resize(labels_max);
        std::ranges::sort(labels);
    }
    return labels;
}

}  // namespace berth::sim
