#include "sim/measure/job_metrics.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <utility>

#include "core/tree/gpu_resource.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {
namespace {

const std::vector<int> percentiles{500, 950, 990};

}  // namespace

void JobGains::stint_over(const Job& job, const Stint& stint, const Stretch& stretch) {
    if (!gpu_ || job.demand[*gpu_] == 0) {
        return;
    }
    const Wide gpus = Wide{stint.members} * job.demand[*gpu_];
    const SimTime time = window_.part_of(stint.start, stint.finish.value_or(stretch.until));
    const TimeWithoutGain lost = time_without_gain(stretch, stint, window_);
    HeldTime& held = held_[&job];
    held.all += gpus * time.count();
    held.useful += gpus * (time - lost.redone - lost.writing - lost.restarting - lost.hung).count();
}

void JobGains::job(const JobRecord& record, const Labels& labels) {
    HeldTime held;
    if (const auto known = held_.find(&record.job); known != held_.end()) {
        held = known->second;
        held_.erase(known);
    }
    std::array<Kind*, job_trait_count> kinds{};
    for (std::size_t trait = 0; trait < job_trait_count; ++trait) {
        kinds[trait] = &kinds_[trait][labels[trait]];
        kinds[trait]->held.useful += held.useful;
        kinds[trait]->held.all += held.all;
    }
    if (!record.first_start || !window_.counts(record.job.submit)) {
        return;
    }
    if (record.finish) {
        count(kinds, record.arrival, record.kept, *record.finish - *record.first_start);
    } else {
        unfinished_.push_back({record.arrival, record.kept, *record.first_start, kinds});
    }
}

void JobGains::finish(SimTime now) {
    for (const Unfinished& job : unfinished_) {
        count(job.kinds, SumByArrival::behind(job.arrival), job.kept, now - job.first_start);
    }
}

void JobGains::count(const std::array<Kind*, job_trait_count>& kinds,
                     std::uint64_t place,
                     SimTime kept,
                     SimTime time) {
    if (time > SimTime(0)) {
        for (Kind* kind : kinds) {
            kind->shares.add(place, seconds(kept) / seconds(time));
            ++kind->jobs;
        }
    }
}

void JobGains::add_to(std::vector<Metric>& out, JobTrait trait, const std::string& label) const {
    const auto& known = kinds_[static_cast<std::size_t>(trait)];
    const auto at = known.find(label);
    const Kind kind = at != known.end() ? at->second : Kind{};
    out.push_back({"ettr_mean", ratio(kind.shares.total(), static_cast<double>(kind.jobs))});
    if (gpu_) {
        out.push_back(
            {"goodput",
             ratio(static_cast<double>(kind.held.useful), static_cast<double>(kind.held.all))});
    }
}

std::string_view to_string(JobTrait trait) {
    static constexpr std::array<std::string_view, job_trait_count> names{
        "quota", "user", "class", "size"};
    return names[static_cast<std::size_t>(trait)];
}

std::string name_of_share_over(SimTime wait) {
    using Unit = std::pair<SimTime, std::string_view>;
    for (const auto& [unit, name] : {Unit{std::chrono::days(1), "d"},
                                     Unit{std::chrono::hours(1), "h"},
                                     Unit{std::chrono::minutes(1), "m"},
                                     Unit{std::chrono::seconds(1), "s"},
                                     Unit{std::chrono::milliseconds(1), "ms"},
                                     Unit{std::chrono::microseconds(1), "us"}}) {
        if (wait >= unit && wait % unit == SimTime(0)) {
            return fmt::format("job_wait_over_{}{}_share", wait / unit, name);
        }
    }
    return fmt::format("job_wait_over_{}{}_share", wait.count(), wait == SimTime(0) ? "s" : "ns");
}

JobMetrics::JobMetrics(const JobTimes& times, const core::Topology& tree, const Settings& settings)
    : times_(times), waits_over_(settings.waits_over) {
    if (settings.tells_gain()) {
        const auto gpu = times.has_gpus() ? core::gpu_resource(tree) : std::nullopt;
        gains_.emplace(gpu, settings.window);
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

void JobMetrics::add_shares(std::vector<Metric>& out, const CensoredSample& waits) const {
    for (const SimTime wait : waits_over_) {
        out.push_back(waits.share_above(name_of_share_over(wait), seconds(wait)));
    }
}

void JobMetrics::add_statistics(std::vector<Metric>& out, JobTimes::Kind& kind) const {
    if (!waits_over_.empty()) {
        add_shares(
            out,
            kind.is_everybody ? times_.sample(JobTimes::By::job, TimeStatistic::wait) : kind.wait);
    }
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
    if (!waits_over_.empty()) {
        add_shares(out, times_.sample(By::job, TimeStatistic::wait));
    }
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
