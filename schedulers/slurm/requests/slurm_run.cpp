#include "schedulers/slurm/requests/slurm_run.hpp"

#include <algorithm>
#include <tuple>

#include "core/support/assert.hpp"

namespace berth::experiments {
namespace {

namespace slurm = core::slurm;

/// How long the nodes of a job that ended wait for its epilog, unless a main pass comes earlier.
constexpr Milliseconds epilog = 100;
/// The first pass comes so long after the controller started.
constexpr Milliseconds start_of_controller = 3000;
/// The step of the clock if the loops run on their own.
constexpr Milliseconds step = 100;
constexpr Milliseconds tick = 1000;

/// When the controller started: some time before the first pass, or before the first job.
Milliseconds begin_of(const SlurmRequest& request) {
    std::optional<Milliseconds> first;
    for (const RecordedPass& pass : request.passes) {
        if (pass.kind == Pass::main) {
            first = std::min(first.value_or(pass.at), pass.at);
        }
    }
    if (!first && !request.jobs.empty()) {
        first = request.jobs.front().submit;
    }
    return first.value_or(0) - start_of_controller;
}

}  // namespace

SlurmRun::SlurmRun(const SlurmRequest& request, Milliseconds launch)
    : request_(request),
      launch_(launch),
      ends_(request, launch),
      begin_(begin_of(request)),
      next_calculation_(begin_ + request.clocks.priority_period_min * 60'000),
      controller_(request.cluster, seconds(begin_)),
      refused_(request.jobs.size()),
      starts_(request.jobs.size()),
      jobs_of_(request.jobs.size()),
      last_end_(begin_) {
    for (std::size_t job = 0; job < request.jobs.size(); ++job) {
        refused_[job] = !controller_.could_ever_run(request.jobs[job].job);
    }
}

slurm::Seconds SlurmRun::seconds(Milliseconds at) const {
    const Milliseconds since_1970 = request_.clock_at_0 + at;
    return since_1970 >= 0 ? since_1970 / 1000 : -((-since_1970 + 999) / 1000);
}

void SlurmRun::run() {
    if (request_.passes.empty()) {
        run_on_own_clock();
    } else {
        run_driven();
    }
}

void SlurmRun::run_driven() {
    for (const RecordedPass& recorded : request_.passes) {
        submit_until(recorded.at);
        end_until(recorded.at);
        release_until(recorded.at - epilog);
        calculate_priorities(recorded.at);
        if (recorded.kind == Pass::main) {
            explain(recorded.at);
        }
        if (recorded.kind != Pass::backfill) {
            release_until(recorded.at);
        }
        pass(recorded.at, recorded.kind);
    }
}

void SlurmRun::submit_until(Milliseconds at) {
    while (next_submission_ < request_.jobs.size() &&
           request_.jobs[next_submission_].submit <= at) {
        if (!refused_[next_submission_]) {
            submit(next_submission_);
        }
        ++next_submission_;
    }
}

void SlurmRun::submit(std::size_t asked) {
    const AskedJob& from = request_.jobs[asked];
    const std::int64_t order = order_++;
    std::optional<std::int64_t> priority;
    for (const AskedTask& task : from.tasks) {
        slurm::Job job = from.job;
        job.submit = seconds(from.submit);
        job.order = order;
        job.task = task.task;
        if (from.is_array) {
            job.array = asked;
        }
        for (std::size_t other = 0; other < request_.jobs.size() && !from.after.empty(); ++other) {
            if (request_.jobs[other].name == from.after) {
                job.after = jobs_of_[other];
            }
        }
        // All tasks of an array have the priority of the first one.
        if (priority) {
            job.priority = priority;
        }
        const slurm::JobIndex index = controller_.submit(std::move(job));
        BERTH_ASSERT(index == tasks_.size(), "jobs are numbered in the order of submission");
        priority = controller_.job(index).priority;
        tasks_.push_back({asked, task, 0, 0, 0, 0});
        jobs_of_[asked].push_back(index);
    }
    ++changes_;
}

void SlurmRun::use(Task& task, Milliseconds until) {
    const slurm::Job& job = request_.jobs[task.asked].job;
    used_[{job.account, job.user}] +=
        static_cast<double>(until - task.used_until) / 1000 * static_cast<double>(task.cpus);
    task.used_until = until;
}

void SlurmRun::end_until(Milliseconds at) {
    std::vector<slurm::JobIndex> ended;
    std::ranges::copy_if(running_, std::back_inserter(ended), [&](slurm::JobIndex job) {
        return tasks_[job].ends <= at;
    });
    for (const slurm::JobIndex job : ended) {
        use(tasks_[job], tasks_[job].ends);
        last_end_ = std::max(last_end_, tasks_[job].ends);
        controller_.end(job);
        std::erase(running_, job);
        completing_.push_back(job);
    }
}

void SlurmRun::release_until(Milliseconds at) {
    std::erase_if(completing_, [&](slurm::JobIndex job) {
        const bool is_over = tasks_[job].ends <= at;
        if (is_over) {
            controller_.release(job);
            ++changes_;
        }
        return is_over;
    });
}

void SlurmRun::calculate_priorities(Milliseconds at) {
    for (; next_calculation_ <= at;
         next_calculation_ += request_.clocks.priority_period_min * 60'000) {
        for (const slurm::JobIndex job : running_) {
            use(tasks_[job], next_calculation_);
        }
        controller_.calculate_priorities(seconds(next_calculation_), used_);
        used_.clear();
    }
}

void SlurmRun::explain(Milliseconds at) {
    Milliseconds before = 0;
    if (ends_.was_asked_for(at, before) || (before < last_end_ && last_end_ <= at)) {
        return;
    }
    // No submission and no end asked for this pass: the job that would end next has ended.
    std::optional<slurm::JobIndex> next;
    for (const slurm::JobIndex job : running_) {
        const Task& task = tasks_[job];
        const bool may = !task.task.run &&
                         EndTimes::earliest(task.started, request_.jobs[task.asked].sleep) <= at;
        if (may && (!next || task.ends < tasks_[*next].ends)) {
            next = job;
        }
    }
    if (!next) {
        ends_.add_misfit(1000);
        return;
    }
    ends_.add_misfit(tasks_[*next].ends - at);
    tasks_[*next].ends = at;
    end_until(at);
}

void SlurmRun::pass(Milliseconds at, Pass kind) {
    const bool by_backfill = kind == Pass::backfill;
    const slurm::PassResult result =
        by_backfill ? controller_.backfill_pass(seconds(at))
                    : controller_.main_pass(seconds(at), kind == Pass::main_full);
    for (const slurm::JobIndex job : result.started) {
        start(job, at, by_backfill);
    }
}

void SlurmRun::start(slurm::JobIndex index, Milliseconds at, bool by_backfill) {
    Task& task = tasks_[index];
    const slurm::HeldJob& held = controller_.job(index);
    const Milliseconds sleep = request_.jobs[task.asked].sleep;
    task.started = task.used_until = at;
    if (task.task.run) {
        task.ends = at + *task.task.run;
    } else {
        task.ends = request_.passes.empty() ? at + sleep + launch_ : ends_.of(at, sleep);
    }
    task.cpus = 0;
    for (const slurm::Share& share : held.shares) {
        task.cpus += static_cast<std::int64_t>(share.cores.count()) *
                     request_.cluster.nodes[share.node].threads_per_core;
    }
    running_.push_back(index);
    starts_[task.asked].push_back({at, by_backfill, task.task.task, held.shares});
    ++changes_;
}

void SlurmRun::run_on_own_clock() {
    const SlurmClocks& clocks = request_.clocks;
    Milliseconds last_main = begin_ - clocks.batch_sched_delay_s * 1000;
    Milliseconds next_full = begin_ + clocks.sched_interval_s * 1000;
    Milliseconds next_backfill = begin_ + clocks.bf_interval_s * 1000;
    std::int64_t seen_by_main = changes_;
    std::int64_t seen_by_backfill = changes_;
    Milliseconds idle_since = begin_;
    for (Milliseconds at = begin_; at < idle_since + 3 * clocks.sched_interval_s * 1000;
         at += step) {
        submit_until(at);
        end_until(at);
        release_until(at - epilog);
        calculate_priorities(at);
        if ((at - begin_) % tick == 0) {
            const bool full = at >= next_full;
            if (full ||
                (changes_ != seen_by_main && at >= last_main + clocks.batch_sched_delay_s * 1000)) {
                pass(at, full ? Pass::main_full : Pass::main);
                last_main = at;
                next_full = full ? at + clocks.sched_interval_s * 1000 : next_full;
                seen_by_main = changes_;
            }
        }
        if (at >= next_backfill && changes_ != seen_by_backfill) {
            pass(at, Pass::backfill);
            next_backfill = at + clocks.bf_interval_s * 1000;
            seen_by_backfill = changes_;
        }
        if (!running_.empty() || !completing_.empty() || next_submission_ < request_.jobs.size()) {
            idle_since = at;
        }
    }
}

}  // namespace berth::experiments
