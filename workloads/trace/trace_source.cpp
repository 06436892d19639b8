#include "workloads/trace/trace_source.hpp"

#include <fmt/format.h>
#include <boost/random/uniform_01.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/support/assert.hpp"
#include "workloads/trace/trace_changes.hpp"
#include "workloads/trace/trace_doctor.hpp"
#include "workloads/trace/trace_ties.hpp"

namespace berth::workloads {
namespace {

/// The time between arrivals whose times are ignored: enough to schedule each job before the next.
constexpr sim::SimTime ignored_step = std::chrono::microseconds(1);

/// The jobs of a trace on the run's clock, as they arrive.
class Jobs {
public:
    virtual ~Jobs() = default;
    /// The next job, valid until the next call; nullptr after the last.
    virtual const JobCopy* next() = 0;
};

class JobsOfFile final : public Jobs {
public:
    explicit JobsOfFile(const Trace& trace)
        : trace_(trace), reader_(trace.open()), arrivals_(*reader_, trace_.plan) {}
    const JobCopy* next() override {
        if (!arrivals_.next(job_)) {
            return nullptr;
        }
        set_clock(job_, trace_.scan);
        copy_.submit = job_.submit;
        return &copy_;
    }

private:
    const Trace& trace_;
    std::unique_ptr<TraceReader> reader_;
    TraceArrivals arrivals_;
    TraceJob job_;
    JobCopy copy_{&job_, {}, {}};
};

class JobsOfMemory final : public Jobs {
public:
    explicit JobsOfMemory(std::shared_ptr<const std::vector<TraceJob>> jobs)
        : jobs_(std::move(jobs)) {}
    const JobCopy* next() override {
        if (at_ == jobs_->size()) {
            return nullptr;
        }
        const TraceJob& job = (*jobs_)[at_++];
        copy_.of = &job;
        copy_.submit = job.submit;
        return &copy_;
    }

private:
    std::shared_ptr<const std::vector<TraceJob>> jobs_;
    std::size_t at_ = 0;
    JobCopy copy_;
};

/// The changed jobs of a trace in memory.
class ChangedJobs final : public Jobs {
public:
    ChangedJobs(std::shared_ptr<const std::vector<TraceJob>> originals, std::vector<JobCopy> jobs)
        : originals_(std::move(originals)), jobs_(std::move(jobs)) {}
    const JobCopy* next() override { return at_ < jobs_.size() ? &jobs_[at_++] : nullptr; }

private:
    std::shared_ptr<const std::vector<TraceJob>> originals_;  ///< Keeps the jobs alive that jobs_
                                                              ///< points to.
    std::vector<JobCopy> jobs_;
    std::size_t at_ = 0;
};

/// Decides for one job after another, with some probability, whether to keep it.
class Sample {
public:
    Sample(double probability, sim::RandomBits bits) : probability_(probability), bits_(bits) {}
    [[nodiscard]] bool keeps_next() {
        return boost::random::uniform_01<double>()(bits_) < probability_;
    }

private:
    double probability_;
    sim::RandomBits bits_;
};

class SampledJobs final : public Jobs {
public:
    SampledJobs(std::unique_ptr<Jobs> all, Sample sample) : all_(std::move(all)), sample_(sample) {}
    const JobCopy* next() override {
        const JobCopy* job = all_->next();
        while (job != nullptr && !sample_.keeps_next()) {
            job = all_->next();
        }
        return job;
    }

private:
    std::unique_ptr<Jobs> all_;
    Sample sample_;
};

bool ask_for_gpus(const std::vector<JobCopy>& jobs) {
    return std::ranges::any_of(jobs,
                               [](const JobCopy& job) { return job.of->gpus.total_milli() > 0; });
}

/// Makes the changes that need all jobs at once. With recorded times, clones arrive together with
/// their original.
std::vector<JobCopy> changed(const std::vector<TraceJob>& all,
                             const TracePlan& plan,
                             const std::function<sim::RandomBits(const char*)>& bits_for) {
    std::vector<JobCopy> jobs = copies_of(all);
    const TraceChanges& changes = plan.changes;
    if (changes.sample < 1) {
        Sample sample(changes.sample, bits_for("sample"));
        std::erase_if(jobs, [&](const JobCopy& /*job*/) { return !sample.keeps_next(); });
    }
    const auto change = [&](bool wanted, const char* name, auto make) {
        if (wanted && !jobs.empty()) {
            sim::RandomBits bits = bits_for(name);
            make(bits);
        }
    };
    change(changes.bootstrap > 0, "bootstrap", [&](sim::RandomBits& bits) {
        jobs = bootstrap_jobs(jobs, changes.bootstrap, bits);
    });
    change(changes.shuffle, "shuffle", [&](sim::RandomBits& bits) { shuffle_jobs(jobs, bits); });
    change(changes.tune_milli && ask_for_gpus(jobs), "tune", [&](sim::RandomBits& bits) {
        tune_jobs(jobs, *changes.tune_milli, bits);
    });
    change(changes.inflate > 1, "inflate", [&](sim::RandomBits& bits) {
        inflate_jobs(jobs, changes.inflate, bits);
    });
    if (plan.order == TraceOrder::time) {
        std::ranges::stable_sort(jobs, {}, &JobCopy::submit);
    }
    return jobs;
}

sim::SimTime scaled(sim::SimTime time, double factor) {
    const double nanoseconds = std::round(static_cast<double>(time.count()) * factor);
    return nanoseconds < static_cast<double>(sim::never.count())
               ? sim::SimTime(static_cast<std::int64_t>(nanoseconds))
               : sim::never;
}

/// The same job with more or fewer steps, and a limit that grows or shrinks with them.
sim::Training with_steps(const sim::Training& job, double factor) {
    if (factor == 1) {
        return job;
    }
    auto changed = std::make_shared<sim::TrainingPlan>(job.plan());
    const double steps = std::round(static_cast<double>(changed->steps) * factor);
    changed->steps =
        static_cast<std::int64_t>(std::clamp(steps, 1.0, static_cast<double>(sim::steps_max)));
    if (changed->limit) {
        changed->limit = scaled(*changed->limit, factor);
    }
    return sim::Training(std::move(changed));
}

class TraceSource final : public sim::PodSource {
public:
    TraceSource(const Trace& trace, std::unique_ptr<Jobs> jobs, std::string_view name)
        : plan_(trace.plan),
          jobs_(std::move(jobs)),
          ties_(trace.scan.followed, name),
          pods_(trace.resources, plan_.quota, trace.levels),
          checkpoints_(plan_.checkpoint, trace.rates) {}

    std::optional<sim::Job> next() override {
        if (members_left_ == 0 && !begin()) {
            return std::nullopt;
        }
        sim::Job job = job_;
        if (!plan_.gangs && job_.group) {
            job.name += fmt::format("-{}", job_.size - members_left_);
            job.group = false;
            job.size = 1;
            job.min_available = 1;
        }
        checkpoints_.put_in(job);
        --members_left_;
        if (plan_.times == TraceTimes::ignored) {
            job.submit = ignored_step * arrivals_++;
        }
        return job;
    }

private:
    /// Takes the next job of the trace and sets how many arrivals it becomes.
    bool begin() {
        const JobCopy* const copy = jobs_->next();
        if (copy == nullptr) {
            return false;
        }
        job_ = pods_.job_of(*copy->of);
        job_.name += copy->added;
        job_.ties = ties_.of(*copy->of);
        members_left_ = plan_.gangs ? 1 : job_.size;
        if (plan_.times == TraceTimes::recorded) {
            const TraceChanges& changes = plan_.changes;
            job_.submit =
                changes.rate == 1 ? *copy->submit : scaled(*copy->submit, 1 / changes.rate);
            job_.duration = copy->of->run_time;
            if (changes.durations != 1 && job_.duration) {
                job_.duration = scaled(*job_.duration, changes.durations);
            }
            if (copy->of->training) {
                job_.training = with_steps(*copy->of->training, changes.durations);
                job_.duration = job_.training->time_left();
            }
        }
        return true;
    }

    TracePlan plan_;
    std::unique_ptr<Jobs> jobs_;
    TraceTies ties_;
    TracePods pods_;
    TraceCheckpoints checkpoints_;
    sim::Job job_;
    core::Members members_left_ = 0;
    std::int64_t arrivals_ = 0;
};

/// With a limit the rest of the file is not read, so there is no report: it would cover only a
/// part.
void read_into_memory(Trace& trace, const core::Topology* cluster) {
    const auto reader = trace.open();
    WholeTrace whole;
    if (cluster != nullptr && trace.plan.limit == 0) {
        TraceDoctor doctor(cluster, trace.plan.times);
        ExaminedReader examined(*reader, doctor);
        whole = read_whole_trace(examined, trace.plan);
        trace.report = std::make_shared<const TraceReport>(doctor.report(reader->skipped()));
    } else {
        whole = read_whole_trace(*reader, trace.plan);
    }
    trace.scan = std::move(whole.scan);
    trace.jobs = std::make_shared<const std::vector<TraceJob>>(std::move(whole.jobs));
}

}  // namespace

TraceCheckpoints::TraceCheckpoints(std::optional<sim::Checkpoint> stated,
                                   std::shared_ptr<const InterruptionRates> rates)
    : stated_(stated), rates_(std::move(rates)) {}

void TraceCheckpoints::put_in(sim::Job& job) {
    job.checkpoint = stated_;
    if (!stated_ || rates_ == nullptr || stated_->every > sim::SimTime(0)) {
        return;
    }
    const auto [known, fresh] = optimal_.try_emplace({job.size, job.per_server_max, job.demand});
    if (fresh) {
        set_optimal_interval(job, *rates_);
        known->second = job.checkpoint->every;
    }
    job.checkpoint->every = known->second;
}

Trace prepare_trace(std::function<std::unique_ptr<TraceReader>()> open,
                    const TracePlan& plan,
                    const core::ResourceSchema& resources,
                    const core::Topology* cluster) {
    Trace trace{std::move(open), plan, {}, nullptr, resources, nullptr, {}, nullptr};
    if (plan.changes.need_all_jobs()) {
        read_into_memory(trace, cluster);
        leave_out_dependencies(plan, trace.scan);
        return trace;
    }
    trace.scan = scan_trace(*trace.open(), plan);
    if (!leave_out_dependencies(plan, trace.scan) && !trace.scan.followed.empty()) {
        count_followed(*trace.open(), plan, trace.scan);
    }
    if (plan.order == TraceOrder::time && !trace.scan.by_time) {
        trace.jobs = std::make_shared<const std::vector<TraceJob>>(
            load_trace(*trace.open(), plan, trace.scan));
    }
    return trace;
}

std::unique_ptr<sim::PodSource> make_trace_source(const Trace& trace,
                                                  std::uint64_t seed,
                                                  std::string_view name) {
    const auto bits_for = [&](const char* change) {
        return sim::random_bits(seed, fmt::format("trace/{}/{}", name, change));
    };
    const TraceChanges& changes = trace.plan.changes;
    std::unique_ptr<Jobs> jobs;
    if (changes.need_all_jobs()) {
        BERTH_ASSERT(trace.jobs != nullptr, "a trace is prepared for its plan");
        jobs =
            std::make_unique<ChangedJobs>(trace.jobs, changed(*trace.jobs, trace.plan, bits_for));
        return std::make_unique<TraceSource>(trace, std::move(jobs), name);
    }
    if (trace.jobs != nullptr) {
        jobs = std::make_unique<JobsOfMemory>(trace.jobs);
    } else {
        jobs = std::make_unique<JobsOfFile>(trace);
    }
    if (changes.sample < 1) {
        jobs = std::make_unique<SampledJobs>(std::move(jobs),
                                             Sample(changes.sample, bits_for("sample")));
    }
    return std::make_unique<TraceSource>(trace, std::move(jobs), name);
}

}  // namespace berth::workloads
