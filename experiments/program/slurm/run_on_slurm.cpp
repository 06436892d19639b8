#include "experiments/program/slurm/run_on_slurm.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include "core/support/plural.hpp"
#include "core/support/source.hpp"
#include "experiments/program/slurm/job_script.hpp"
#include "experiments/program/slurm/missing_points.hpp"
#include "experiments/program/slurm/slurm_commands.hpp"
#include "experiments/program/support/progress.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// How often in a row missing points are submitted again without a new point.
constexpr std::size_t attempts_max = 3;
/// How long a controller may be unavailable: longer than an update of it takes.
constexpr auto controller_patience = 10min;
constexpr std::size_t array_tasks_usual = 1001;  ///< Slurm's own default.

/// A name that no other job has.
std::string new_name(const SlurmJob& job) {
    std::string name = job.name;
    constexpr std::size_t length_max = 40;
    name.resize(std::min(name.size(), length_max));
    for (char& c : name) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
        c = plain ? c : '_';  // in squeue, a comma ends a name
    }
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return fmt::format("berth-{}-{:x}-{:x}", name, now.count(), ::getpid());
}

std::size_t array_tasks_max_of(SlurmCommands& slurm) {
    const std::optional<std::size_t> out = slurm.array_tasks_max();
    if (!out) {
        throw std::runtime_error(fmt::format("Slurm does not answer: {}", slurm.trouble()));
    }
    return *out;
}

/// One call of run_on_slurm.
class SlurmRun {
public:
    SlurmRun(const SlurmJob& job, sim::RunControl& control, bool progress)
        : job_(job), control_(control), progress_(progress), missing_(job) {}

    SlurmOutcome run();

private:
    /// Asks until Slurm answers. Returns nothing after an interrupt, or if no point is missing any
    /// more.
    template <class Ask>
    auto patiently(Ask ask) -> decltype(ask());
    void warn(const std::string& message) const;
    /// Does the same unless berth has to be quiet.
    void say(const std::string& message) const;
    /// Waits before the next look: for a twentieth of the time since `begin`.
    void pause(Clock::time_point begin) const;

    void take_up();
    void submit(SlurmMemory& memory);
    void follow();
    void say_what_is_held(const SlurmQueue& queue);
    /// Whether to submit the missing points again.
    bool goes_on();
    void say_what_goes_on() const;

    /// The state of the followed array, for the line of progress.
    struct Shown {
        Clock::time_point begin = Clock::now();
        std::size_t missing_at_begin = 0;
        std::size_t missing = 0;
        SlurmQueue queue;
    };
    std::string progress_line();

    const SlurmJob& job_;
    sim::RunControl& control_;
    bool progress_;
    SlurmCommands slurm_;
    MissingPoints missing_;
    SubmittedArray array_;
    std::size_t missing_at_submission_ = 0;
    bool held_is_said_ = false;
    std::mutex shown_mutex_;
    Shown shown_;
};

SlurmOutcome SlurmRun::run() {
    const std::size_t missing_before = missing_.size();
    if (missing_.empty()) {
        return {};
    }
    const std::size_t array_tasks_max = array_tasks_max_of(slurm_);
    SlurmMemory memory(slurm_folder(job_));
    if (const auto known = memory.array()) {
        array_ = *known;
        take_up();
    }
    if (array_.job.empty()) {
        array_ = {};
        array_.shards = shard_count(job_, array_tasks_max);
    }
    bool again = true;
    while (again && !control_.stop && !missing_.empty()) {
        if (array_.job.empty()) {
            submit(memory);
        }
        follow();
        again = control_.stop || missing_.empty() || goes_on();
    }
    const bool interrupted = control_.stop && !missing_.empty();
    if (interrupted) {
        say_what_goes_on();
    } else {
        memory.forget();
    }
    return {missing_before - missing_.size(), missing_.size(), interrupted};
}

template <class Ask>
auto SlurmRun::patiently(Ask ask) -> decltype(ask()) {
    const auto begin = Clock::now();
    bool said = false;
    for (;;) {
        if (auto answer = ask()) {
            if (said) {
                say("Slurm answers again");
            }
            return answer;
        }
        missing_.refresh();
        if (control_.stop || missing_.empty()) {
            return {};
        }
        if (Clock::now() - begin > controller_patience) {
            throw std::runtime_error(fmt::format(
                "Slurm has not answered for {} minutes ({}): what it has goes on, and the same "
                "command follows it again",
                std::chrono::minutes(controller_patience).count(),
                slurm_.trouble()));
        }
        if (!said) {
            warn(
                fmt::format("Slurm does not answer ({}): waiting until it does", slurm_.trouble()));
            said = true;
        }
        pause(begin);
    }
}

void SlurmRun::warn(const std::string& message) const {
    // On a terminal, the message replaces the line of progress.
    std::cerr << fmt::format(
        "{}{}: {}\n", ::isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "", job_.name, message);
}

void SlurmRun::say(const std::string& message) const {
    if (progress_) {
        warn(message);
    }
}

void SlurmRun::pause(Clock::time_point begin) const {
    constexpr Clock::duration shortest = 500ms;
    constexpr Clock::duration longest = 15s;
    const auto now = Clock::now();
    // Neither Slurm nor the file system may be burdened by frequent requests.
    const auto end =
        now + std::max(std::clamp((now - begin) / 20, shortest, longest), missing_.cost() * 20);
    while (Clock::now() < end && !control_.stop) {
        std::this_thread::sleep_for(50ms);
    }
}

/// Continues with `array_` if Slurm still has it.
void SlurmRun::take_up() {
    const SubmittedArray known = array_;
    array_.job.clear();
    std::string job = known.job;
    if (job.empty()) {  // berth ended before it received the number
        job = patiently([&] { return slurm_.find_job(known.name); }).value_or("");
    }
    if (job.empty()) {
        return;
    }
    const auto queue = patiently([&] { return slurm_.queue(job); });
    if (queue && !queue->empty()) {
        array_.job = job;
        missing_at_submission_ = missing_.size();
        say(fmt::format("job {} goes on: {} missing, {} of it running, {} pending",
                        slurm_number(job),
                        core::plural(missing_.size(), "point"),
                        core::plural(queue->running, "task"),
                        queue->pending));
    }
}

void SlurmRun::submit(SlurmMemory& memory) {
    const std::vector<std::size_t> tasks = missing_.shards_with_some(array_.shards);
    array_.name = new_name(job_);
    memory.remember(array_);
    write_file(script_path(job_), job_script(job_, array_.shards));
    const auto job = patiently([&]() -> std::optional<std::string> {
        // A call that failed may have succeeded in Slurm: nothing is submitted twice.
        auto found = slurm_.find_job(array_.name);
        if (!found || !found->empty()) {
            return found;
        }
        if (auto number = slurm_.submit(sbatch_arguments(job_, array_.name, tasks))) {
            return number;
        }
        const std::string refusal = slurm_.trouble();
        found = slurm_.find_job(array_.name);
        if (found && found->empty()) {
            throw core::InputError(fmt::format(
                "--slurm: error: Slurm refuses the job: {}: expected a partition, a time and "
                "options that it takes",
                refusal));
        }
        return found;
    });
    if (!job) {
        return;
    }
    array_.job = *job;
    memory.remember(array_);
    missing_at_submission_ = missing_.size();
    say(fmt::format("submitted job {}: {} in {}",
                    slurm_number(*job),
                    core::plural(missing_.size(), "point"),
                    core::plural(tasks.size(), "task")));
}

/// Follows the array until it has left the queue, or no point is missing.
void SlurmRun::follow() {
    const auto begin = Clock::now();
    {
        const std::lock_guard lock(shown_mutex_);
        shown_ = {.begin = begin,
                  .missing_at_begin = missing_.size(),
                  .missing = missing_.size(),
                  .queue = {}};
    }
    TerminalProgress terminal;
    const Progress progress(progress_ ? &terminal : nullptr,
                            [this] { return HowFar{progress_line()}; });
    while (!control_.stop && !array_.job.empty()) {
        // The queue is read first: once it is empty, everything that its tasks wrote is there.
        const auto queue = patiently([&] { return slurm_.queue(array_.job); });
        missing_.refresh();
        if (!queue || queue->empty() || missing_.empty()) {
            return;
        }
        say_what_is_held(*queue);
        {
            const std::lock_guard lock(shown_mutex_);
            shown_.queue = *queue;
            shown_.missing = missing_.size();
        }
        pause(begin);
    }
}

void SlurmRun::say_what_is_held(const SlurmQueue& queue) {
    if (queue.running == 0 && queue.held == queue.pending && !held_is_said_) {
        warn(fmt::format(
            "Slurm holds the tasks of job {0} ({1}): scontrol release {0} lets them go on",
            slurm_number(array_.job),
            queue.held_reason));
        held_is_said_ = true;
    }
}

std::string SlurmRun::progress_line() {
    const std::lock_guard lock(shown_mutex_);
    const std::chrono::duration<double> spent = Clock::now() - shown_.begin;
    const auto done = static_cast<double>(shown_.missing_at_begin - shown_.missing);
    std::string out = fmt::format("{}: {} of {} points, {} running, {} pending",
                                  job_.name,
                                  job_.wanted() - shown_.missing,
                                  job_.wanted(),
                                  core::plural(shown_.queue.running, "task"),
                                  shown_.queue.pending);
    if (done > 0) {
        const double rate = done / spent.count();
        out += fmt::format(
            ", {:.3g} points/s, {:.0f} s left", rate, static_cast<double>(shown_.missing) / rate);
    }
    return out;
}

bool SlurmRun::goes_on() {
    const bool some_came = missing_.size() < missing_at_submission_;
    const SlurmTasks tasks = slurm_.ended_tasks(array_.job);
    const std::string number = slurm_number(array_.job);
    const std::string missing = fmt::format("{} of {}", missing_.size(), job_.wanted());
    if (tasks.cancelled) {
        warn(
            fmt::format("job {} was cancelled in Slurm: {} points missing: the same command "
                        "submits them again",
                        number,
                        missing));
        return false;
    }
    if (!some_came && array_.attempt == attempts_max) {
        warn(fmt::format(
            "{} points missing, and none came of the last {} jobs", missing, attempts_max));
        std::cerr << failed_tasks(job_, array_, tasks, missing_);
        return false;
    }
    say(fmt::format("{} points missing after job {} ({}): their tasks are submitted again",
                    missing,
                    number,
                    ends_of_tasks(tasks, missing_.shards_with_some(array_.shards))));
    array_.attempt = some_came ? 1 : array_.attempt + 1;
    array_.job.clear();
    return true;
}

void SlurmRun::say_what_goes_on() const {
    if (array_.job.empty()) {
        warn("interrupted: the same command goes on");
    } else {
        warn(
            fmt::format("interrupted: job {0} goes on in Slurm: run the same command again to "
                        "follow it; scancel {0} ends it",
                        slurm_number(array_.job)));
    }
}

}  // namespace

SlurmJob slurm_job(const SweepSpec& sweep,
                   const SweepDirectory& directory,
                   const SweepPoints& points,
                   const std::vector<PointKey>& keys) {
    if (sweep.slurm.may_run && !sweep.allow_code) {
        throw core::InputError(*sweep.slurm.may_run,
                               "this option of sbatch may run something besides berth: expected "
                               "options that say what a job needs, each with its value, such as "
                               "--account=lab, or --allow-code, if you trust who wrote it");
    }
    SlurmJob job;
    job.name = sweep.name;
    job.directory = std::filesystem::absolute(directory.place());
    job.program = std::filesystem::read_symlink("/proc/self/exe");
    job.options = sweep.slurm;
    job.allow_code = sweep.allow_code;
    job.points = points.size();
    job.is_done = [&](std::size_t point) { return directory.has_point(keys[point]); };
    return job;
}

void check_slurm(const SlurmJob& job) {
    if (!MissingPoints(job).empty()) {
        SlurmCommands slurm;
        (void)array_tasks_max_of(slurm);
    }
}

SlurmOutcome run_on_slurm(const SlurmJob& job, sim::RunControl& control, bool progress) {
    return SlurmRun(job, control, progress).run();
}

std::string slurm_plan(const SlurmJob& job) {
    const MissingPoints missing(job);
    if (missing.empty()) {
        return "no point is missing: nothing to submit\n";
    }
    std::optional<std::size_t> array_tasks_max;
    try {
        array_tasks_max = SlurmCommands().array_tasks_max();
    } catch (const core::InputError&) {
        // Without Slurm here, the plan is for its usual limit.
    }
    const std::size_t shards = shard_count(job, array_tasks_max.value_or(array_tasks_usual));
    const std::vector<std::size_t> tasks = missing.shards_with_some(shards);
    std::string call;
    for (const std::string& argument : sbatch_arguments(job, "berth-" + job.name, tasks)) {
        call += (call.empty() ? "" : " ") + shell_quoted(argument);
    }
    return fmt::format("{} missing, {}:\n\n{}\n\n{}:\n\n{}",
                       core::plural(missing.size(), "point"),
                       core::plural(tasks.size(), "task"),
                       call,
                       script_path(job).string(),
                       job_script(job, shards));
}

}  // namespace berth::experiments
