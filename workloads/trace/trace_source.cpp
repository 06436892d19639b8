#include "workloads/trace/trace_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/random/uniform_01.hpp>
#include <chrono>
#include <cmath>
#include <optional>

#include "workloads/trace/trace_changes.hpp"
#include "workloads/trace/trace_checkpoints.hpp"
#include "workloads/trace/trace_pods.hpp"

namespace berth::workloads {
namespace {

/// Between arrivals whose times are ignored: enough for each to be scheduled before the next.
constexpr sim::SimTime ignored_step = std::chrono::microseconds(1);

/// The jobs of a trace with the run's clock, as they arrive.
class Jobs {
public:
    virtual ~Jobs() = default;
    virtual bool next(TraceJob& job) = 0;
};

class JobsOfFile final : public Jobs {
public:
    explicit JobsOfFile(const Trace& trace)
        : trace_(trace), reader_(trace.open()), arrivals_(*reader_, trace_.plan) {}
    bool next(TraceJob& job) override {
        const bool found = arrivals_.next(job);
        if (found) {
            set_clock(job, trace_.scan);
        }
        return found;
    }

private:
    const Trace& trace_;
    std::unique_ptr<TraceReader> reader_;
    TraceArrivals arrivals_;
};

class JobsOfMemory final : public Jobs {
public:
    explicit JobsOfMemory(std::shared_ptr<const std::vector<TraceJob>> jobs)
        : jobs_(std::move(jobs)) {}
    bool next(TraceJob& job) override {
        if (at_ == jobs_->size()) {
            return false;
        }
        job = (*jobs_)[at_++];
        return true;
    }

private:
    std::shared_ptr<const std::vector<TraceJob>> jobs_;
    std::size_t at_ = 0;
};

/// Keeps each job with some probability.
class Sampled final : public Jobs {
public:
    Sampled(std::unique_ptr<Jobs> all, double probability, sim::RandomBits bits)
        : all_(std::move(all)), probability_(probability), bits_(bits) {}
    bool next(TraceJob& job) override {
        while (all_->next(job)) {
            if (boost::random::uniform_01<double>()(bits_) < probability_) {
                return true;
            }
        }
        return false;
    }

private:
    std::unique_ptr<Jobs> all_;
    double probability_;
    sim::RandomBits bits_;
};

bool ask_for_gpus(const std::vector<TraceJob>& jobs) {
    return std::ranges::any_of(jobs,
                               [](const TraceJob& job) { return job.gpus.total_milli() > 0; });
}

/// What needs all jobs at once. Clones come with their original where times are the trace's.
std::vector<TraceJob> changed(Jobs& all,
                              const TracePlan& plan,
                              const std::function<sim::RandomBits(const char*)>& bits_for) {
    std::vector<TraceJob> jobs;
    for (TraceJob job; all.next(job);) {
        jobs.push_back(std::move(job));
    }
    const TraceChanges& changes = plan.changes;
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
        std::ranges::stable_sort(jobs, {}, &TraceJob::submit);
    }
    return jobs;
}

sim::SimTime scaled(sim::SimTime time, double factor) {
    const double nanoseconds = std::round(static_cast<double>(time.count()) * factor);
    return nanoseconds < static_cast<double>(sim::never.count())
               ? sim::SimTime(static_cast<std::int64_t>(nanoseconds))
               : sim::never;
}

class TraceSource final : public sim::PodSource {
public:
    TraceSource(const Trace& trace, std::unique_ptr<Jobs> jobs)
        : plan_(trace.plan),
          jobs_(std::move(jobs)),
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
    /// The next job of the trace, and how many arrivals it is.
    bool begin() {
        if (!jobs_->next(traced_)) {
            return false;
        }
        job_ = pods_.job_of(traced_);
        members_left_ = plan_.gangs ? 1 : job_.size;
        if (plan_.times == TraceTimes::recorded) {
            const TraceChanges& changes = plan_.changes;
            job_.submit =
                changes.rate == 1 ? *traced_.submit : scaled(*traced_.submit, 1 / changes.rate);
            job_.duration = traced_.run_time;
            if (changes.durations != 1 && job_.duration) {
                job_.duration = scaled(*job_.duration, changes.durations);
            }
        }
        return true;
    }

    TracePlan plan_;
    std::unique_ptr<Jobs> jobs_;
    TracePods pods_;
    TraceCheckpoints checkpoints_;
    TraceJob traced_;
    sim::Job job_;
    core::Members members_left_ = 0;
    std::int64_t arrivals_ = 0;
};

}  // namespace

Trace prepare_trace(std::function<std::unique_ptr<TraceReader>()> open,
                    const TracePlan& plan,
                    const core::ResourceSchema& resources) {
    Trace trace{std::move(open), plan, {}, nullptr, resources, nullptr, {}};
    trace.scan = scan_trace(*trace.open(), plan);
    const bool moves = plan.order == TraceOrder::time && !trace.scan.by_time;
    if (moves || plan.changes.need_all_jobs()) {
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
    if (trace.jobs != nullptr) {
        jobs = std::make_unique<JobsOfMemory>(trace.jobs);
    } else {
        jobs = std::make_unique<JobsOfFile>(trace);
    }
    if (changes.sample < 1) {
        jobs = std::make_unique<Sampled>(std::move(jobs), changes.sample, bits_for("sample"));
    }
    if (changes.need_all_jobs()) {
        jobs = std::make_unique<JobsOfMemory>(
            std::make_shared<const std::vector<TraceJob>>(changed(*jobs, trace.plan, bits_for)));
    }
    return std::make_unique<TraceSource>(trace, std::move(jobs));
}

}  // namespace berth::workloads
