#include "schedulers/slurm/requests/slurm_run.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

#include "core/support/assert.hpp"
#include "schedulers/slurm/decide/own_clock.hpp"

namespace berth::experiments {
namespace {

namespace slurm = core::slurm;

/// How long the nodes of a job that ended wait for its epilog: at most, if passes are recorded, of
/// which one of the main loop comes when the nodes are back; and on the loops' own clock.
constexpr Milliseconds longest_epilog = 100;
constexpr Milliseconds usual_epilog = 550;
/// How long the nodes of an evicted job take to come back, and until it may start again.
constexpr Milliseconds eviction = 600;
constexpr Milliseconds requeue_delay = 121'000;
/// The first pass comes so long after the controller started.
constexpr Milliseconds start_of_controller = 3500;
/// How much longer than its sleep a job runs at least, and usually on the loops' own clock.
constexpr Milliseconds least_launch = 40;
constexpr Milliseconds usual_launch = 300;

/// When the controller started: some time before the first pass; on the loops' own clock, so long
/// before the instant 0, or before the first job if that is earlier.
Milliseconds begin_of(const SlurmRequest& request) {
    const auto first = std::ranges::find(request.passes, Pass::main, &RecordedPass::kind);
    if (first != request.passes.end()) {
        return first->at - start_of_controller;
    }
    const Milliseconds first_job = request.jobs.empty() ? 0 : request.jobs.front().submit;
    return std::min<Milliseconds>(0, first_job) - start_of_controller;
}

}  // namespace

SlurmRun::SlurmRun(const SlurmRequest& request, const EndTimes& ends, const LaunchTimes& launches)
    : request_(request),
      ends_(ends),
      launches_(launches),
      begin_(begin_of(request)),
      next_calculation_(begin_ + request.clocks.priority_period_min * 60'000),
      controller_(request.cluster, seconds(begin_)),
      refused_(request.jobs.size()),
      starts_(request.jobs.size()),
      jobs_of_(request.jobs.size()),
      last_end_(begin_) {
    for (std::size_t job = 0; job < request.jobs.size(); ++job) {
        const AskedJob& asked = request.jobs[job];
        refused_[job] = !asked.refused.empty() || !controller_.could_ever_run(asked.job);
    }
}

slurm::Seconds SlurmRun::seconds(Milliseconds at) const {
    const Milliseconds since_1970 = request_.clock_at_0 + at;
    return since_1970 >= 0 ? since_1970 / 1000 : -((-since_1970 + 999) / 1000);
}

void SlurmRun::follow(const RecordedPass& recorded) {
    submit_until(recorded.at);
    end_until(recorded.at);
    release_until(recorded.at, longest_epilog);
    calculate_priorities(recorded.at);
    if (recorded.kind == Pass::main) {
        explain(recorded.at);
    }
    if (recorded.kind != Pass::backfill) {
        release_until(recorded.at, 0);
    }
    pass(recorded.at, recorded.kind);
}

void SlurmRun::redraw(Milliseconds now, std::uint64_t seed) {
    launches_.fork(seed);
    for (const slurm::JobIndex job : running_) {
        if (const Task& task = tasks_[job]; !task.task.run) {
            const std::int64_t doubt = doubt_;
            const Milliseconds end = draw_end(task);
            if (end > now && doubt == doubt_) {
                tasks_[job].ends = std::min(end, last_end_of(task));
            }
            doubt_ = doubt;
        }
    }
}

Milliseconds SlurmRun::draw_end(const Task& task) {
    constexpr int tries = 8;
    constexpr std::int64_t of_unlikely_end = 5;
    const Milliseconds end = task.started + request_.jobs[task.asked].sleep;
    for (int i = 0; i < tries; ++i) {
        if (const Milliseconds drawn = end + launches_.draw(); ends_.is_followed(drawn)) {
            return drawn;
        }
    }
    doubt_ += of_unlikely_end;
    return ends_.nearest_followed(end + launches_.draw(), end + least_launch);
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
    for (const AskedTask& task : from.tasks) {
        slurm::Job job = from.job;
        job.submit = seconds(from.submit);
        job.order = order;
        job.task = task.task;
        if (from.is_array) {
            job.array = asked;
        }
        if (from.after_job) {
            job.after = jobs_of_[*from.after_job];
        }
        const slurm::JobIndex index = controller_.submit(std::move(job));
        BERTH_ASSERT(index == tasks_.size(), "jobs are numbered in the order of submission");
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
        ++changes_;
        std::erase(running_, job);
        completing_.push_back(job);
    }
}

Milliseconds SlurmRun::back_at(slurm::JobIndex job, Milliseconds epilog) const {
    return tasks_[job].ends + (tasks_[job].is_evicted ? eviction : epilog);
}

bool SlurmRun::release_until(Milliseconds at, Milliseconds epilog) {
    const auto released = std::erase_if(completing_, [&](slurm::JobIndex job) {
        const bool is_over = back_at(job, epilog) <= at;
        if (is_over) {
            controller_.release(job);
            ++changes_;
            if (tasks_[job].is_evicted && controller_.is_requeued(job)) {
                const slurm::Seconds again = seconds(tasks_[job].ends + requeue_delay);
                controller_.requeue(job, seconds(tasks_[job].ends), again);
                readmitted_.push_back(again * 1000 - request_.clock_at_0);
            }
        }
        return is_over;
    });
    return released > 0;
}

void SlurmRun::evict(slurm::JobIndex job, Milliseconds at) {
    tasks_[job].ends = at;
    tasks_[job].is_evicted = true;
    use(tasks_[job], at);
    std::erase(running_, job);
    completing_.push_back(job);
    ++changes_;
}

void SlurmRun::readmit_until(Milliseconds at) {
    changes_ += static_cast<std::int64_t>(
        std::erase_if(readmitted_, [&](Milliseconds again) { return again <= at; }));
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
    constexpr std::int64_t of_odd_pass = 5;
    constexpr std::int64_t of_hurried_end = 2;
    constexpr Milliseconds most_hurry = 1000;
    const Milliseconds before = ends_.pass_before(at);
    if (ends_.was_asked_for(before, at) || (before < last_end_ && last_end_ <= at)) {
        return;
    }
    // No submission and no end asked for this pass: the job that would end next has ended.
    std::optional<slurm::JobIndex> next;
    for (const slurm::JobIndex job : running_) {
        const Task& task = tasks_[job];
        const bool may = !task.task.run && task.ends <= at + most_hurry &&
                         task.started + request_.jobs[task.asked].sleep + least_launch <= at;
        if (may && (!next || task.ends < tasks_[*next].ends)) {
            next = job;
        }
    }
    if (!next) {
        doubt_ += of_odd_pass;
        return;
    }
    doubt_ += of_hurried_end;
    tasks_[*next].ends = at;
    end_until(at);
}

void SlurmRun::pass(Milliseconds at, Pass kind) {
    last_pass_ = at;
    const bool by_backfill = kind == Pass::backfill;
    const slurm::PassResult result =
        by_backfill ? controller_.backfill_pass(seconds(at))
                    : controller_.main_pass(seconds(at), kind == Pass::main_full);
    for (const slurm::JobIndex job : result.started) {
        start(job, at, by_backfill);
    }
    for (const slurm::JobIndex job : result.evicted) {
        evict(job, at);
    }
}

Milliseconds SlurmRun::last_end_of(const Task& task) const {
    constexpr Milliseconds check = 30'000;
    const slurm::Seconds limit = request_.jobs[task.asked].job.limit;
    const Milliseconds end = task.started + (limit + request_.clocks.over_time_min * 60) * 1000;
    return begin_ + (end - begin_ + check - 1) / check * check;
}

void SlurmRun::start(slurm::JobIndex index, Milliseconds at, bool by_backfill) {
    Task& task = tasks_[index];
    const slurm::HeldJob& held = controller_.job(index);
    task.started = task.used_until = at;
    task.is_evicted = false;
    if (task.task.run) {
        task.ends = at + *task.task.run;
    } else {
        const AskedJob& asked = request_.jobs[task.asked];
        task.ends = request_.passes.empty() ? at + asked.sleep + usual_launch : draw_end(task);
        task.ends = std::min(task.ends, last_end_of(task));
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
    slurm::OwnClock clock(request_.clocks, begin_);
    // What waits longer than this with nothing running waits for ever.
    constexpr Milliseconds patience_max = Milliseconds{90} * 24 * 3600 * 1000;
    const Milliseconds patience = std::min(
        patience_max,
        3 * request_.clocks.sched_interval_s * 1000 + 2 * request_.clocks.bf_interval_s * 1000);
    constexpr Milliseconds never = std::numeric_limits<Milliseconds>::max();
    Milliseconds end = never;
    for (Milliseconds at = begin_; at < end;) {
        submit_until(at);
        readmit_until(at);
        end_until(at);
        const bool is_back = release_until(at, usual_epilog);
        if (next_calculation_ <= at) {
            calculate_priorities(at);
            clock.reorder();
        }
        if (const auto kind = clock.main_pass(at, changes_, is_back)) {
            pass(at, *kind);
            clock.passed(*kind, changes_);
        }
        if (clock.backfill_is_due(at, changes_)) {
            pass(at, Pass::backfill);
            clock.passed(Pass::backfill, changes_);
        }
        const bool is_busy = !running_.empty() || !completing_.empty() || !readmitted_.empty() ||
                             next_submission_ < request_.jobs.size();
        end = is_busy ? never : std::min(end, at + patience);
        Milliseconds next = clock.step_of(at, std::min(next_event(), end));
        next = std::min(next, clock.next_pass(at, changes_).value_or(next));
        clock.go_to(next, changes_);
        at = next;
    }
}

Milliseconds SlurmRun::next_event() const {
    Milliseconds next = next_calculation_;
    if (next_submission_ < request_.jobs.size()) {
        next = std::min(next, request_.jobs[next_submission_].submit);
    }
    for (const slurm::JobIndex job : running_) {
        next = std::min(next, tasks_[job].ends);
    }
    for (const slurm::JobIndex job : completing_) {
        next = std::min(next, back_at(job, usual_epilog));
    }
    for (const Milliseconds again : readmitted_) {
        next = std::min(next, again);
    }
    return next;
}

}  // namespace berth::experiments
