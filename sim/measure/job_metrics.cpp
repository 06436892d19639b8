#include "sim/measure/job_metrics.hpp"

#include <utility>

#include "core/tree/device_names.hpp"

namespace berth::sim {
namespace {

const std::vector<int> percentiles{500, 950, 990};

}  // namespace

std::string_view to_string(JobTrait trait) {
    static constexpr std::array<std::string_view, job_trait_count> names{
        "quota", "user", "class", "size"};
    return names[static_cast<std::size_t>(trait)];
}

JobMetrics::JobMetrics(const JobTimes& times,
                       const core::Topology& tree,
                       Window window,
                       bool tells_gain)
    : times_(times) {
    if (tells_gain) {
        const auto gpu = times.has_gpus() ? tree.resources().find(core::device_resource::nvidia_gpu)
                                          : std::nullopt;
        gains_.emplace(gpu, window);
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

void JobMetrics::job(const JobRecord& record) {
    if (gains_) {
        gains_->job(record, times_.labels_of(record.job));
    }
}

void JobMetrics::add_statistics(std::vector<Metric>& out,
                                const std::string& prefix,
                                JobTimes::By by,
                                TimeStatistic statistic) const {
    times_.add_statistics(out, prefix, by, statistic, percentiles);
}

void JobMetrics::add_statistics(std::vector<Metric>& out, JobTimes::Kind& kind) const {
    if (kind.is_everybody) {
        add_statistics(out, "job_wait_s", JobTimes::By::job, TimeStatistic::wait);
        add_statistics(
            out, "job_bounded_slowdown", JobTimes::By::job, TimeStatistic::bounded_slowdown);
    } else {
        std::move(kind.wait).add_statistics(out, "job_wait_s", percentiles);
        std::move(kind.bounded_slowdown).add_statistics(out, "job_bounded_slowdown", percentiles);
    }
}

void JobMetrics::add_to(std::vector<Metric>& out) const {
    using By = JobTimes::By;
    add_statistics(out, "job_wait_s", By::job, TimeStatistic::wait);
    add_statistics(out, "job_jct_s", By::job, TimeStatistic::completion);
    add_statistics(out, "job_bounded_slowdown", By::job, TimeStatistic::bounded_slowdown);
    if (times_.has_gpus()) {
        add_statistics(out, "gpu_wait_s", By::gpu, TimeStatistic::wait);
        add_statistics(out, "gpu_jct_s", By::gpu, TimeStatistic::completion);
        add_statistics(out, "gpu_bounded_slowdown", By::gpu, TimeStatistic::bounded_slowdown);
    }
}

std::vector<JobKind> JobMetrics::kinds() const {
    std::vector<JobKind> out;
    for (std::size_t trait = 0; trait < job_trait_count; ++trait) {
        for (JobTimes::Kind& of_jobs : times_.kinds(static_cast<JobTrait>(trait))) {
            JobKind& kind = out.emplace_back();
            kind.trait = static_cast<JobTrait>(trait);
            kind.label = of_jobs.label;
            kind.jobs = of_jobs.jobs;
            add_statistics(kind.metrics, of_jobs);
            if (gains_) {
                gains_->add_to(kind.metrics, kind.trait, kind.label);
            }
        }
    }
    return out;
}

}  // namespace berth::sim
