#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/slurm/decide/controller.hpp"
#include "schedulers/slurm/run/slurm_job.hpp"
#include "schedulers/slurm/run/slurm_settings.hpp"
#include "sim/job/by_job.hpp"
#include "sim/profile/job_observer.hpp"
#include "sim/profile/placer.hpp"
#include "sim/profile/settings.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// Slurm in a run. A Controller is told what happens to jobs, at the next tenth of a second, and
/// passes when OwnClock says so. Nodes of jobs that end wait for the epilog, while the run has them
/// free already.
///
/// Timer: the third one takes the controller from step to step. It rests while no pass could find
///        anything new.
/// Cost:  that of the passes, and O(jobs that are completing) at each step.
class SlurmScheduler final : public Scheduler {
public:
    /// All arguments outlive it.
    SlurmScheduler(const SlurmSettings& own, const Settings& settings, Actions& actions);

    [[nodiscard]] std::optional<std::string> rejects(JobId id) override;
    void submitted(JobId id) override;
    void evicted(JobId id, const Stay& stay, EvictionCause cause) override;
    void resize_asked(JobId id, core::Members size) override;
    void ended(JobId id) override;
    void server_changed(core::ServerId server,
                        bool up,
                        const std::vector<core::Amount>& outside,
                        bool foreseen) override;
    void woken(Timer timer) override;
    [[nodiscard]] std::optional<core::Violation> find_violation() override;
    [[nodiscard]] Refusal why_waiting(JobId id) override;
    [[nodiscard]] const std::string& quota_of(JobId id) override;
    [[nodiscard]] std::uint64_t decisions() const override { return passes_; }
    void watch(std::uint64_t arrival, JobObserver& observer) override;

private:
    using Milliseconds = core::slurm::Milliseconds;
    using JobIndex = core::slurm::JobIndex;

    /// A job of the controller.
    struct Task {
        JobId id;
        Milliseconds ended = 0;
        std::int64_t cpus = 0;  ///< Those of its cores.
        Milliseconds used_until = 0;
        bool is_evicted = false;
        bool has_failed = false;  ///< Since its last step, because a server left.
    };
    struct OwnJob {
        core::slurm::Job asked;  ///< Until it is submitted.
        std::optional<JobIndex> index;
    };
    struct Watched {
        std::uint64_t arrival;
        JobObserver& observer;
        Placer placer;  ///< Observers may ask it, as in a run with a profile.
    };

    [[nodiscard]] const JobState& state_of(JobId id) const { return actions_.job(id); }
    [[nodiscard]] Milliseconds now() const;
    [[nodiscard]] core::slurm::Seconds seconds(Milliseconds at) const;
    /// Something happens at `at` that the controller notices at its next step.
    void expect(Milliseconds at);
    void wake_for_next();
    [[nodiscard]] std::optional<Milliseconds> next_event() const;
    void step(Milliseconds at);
    void submit_all();
    void end_all();
    void end(JobIndex index);
    bool release_until(Milliseconds at);
    void calculate_priorities(Milliseconds at);
    void use(Task& task, Milliseconds until);
    void pass(Milliseconds at, core::slurm::Pass kind);
    /// A job has started, or runs since `since`.
    void note_start(JobIndex index, Milliseconds since);
    void take_over(JobId id);
    [[nodiscard]] Placement placement_of(JobIndex index) const;
    void tell_watcher();
    void show(JobId id);
    [[nodiscard]] std::string why_in_words(JobIndex index) const;
    /// The same for people: what a word of squeue means for the job.
    [[nodiscard]] std::string explained(JobIndex index, std::string_view reason) const;

    const SlurmSettings& own_;
    const Settings& settings_;
    Actions& actions_;
    core::slurm::Controller empty_;  ///< It tells what could ever run.
    core::slurm::Controller controller_;
    SlurmJobs made_;
    Milliseconds begin_;  ///< When the controller started.
    core::slurm::OwnClock clock_;
    Milliseconds at_;  ///< The last step.
    Milliseconds next_calculation_;
    std::optional<SimTime> rings_at_;
    std::map<core::ServerId, std::size_t> nodes_;
    ByJob<OwnJob> jobs_;
    std::vector<Task> tasks_;  ///< By index of the controller's jobs.
    std::vector<JobId> arrived_;
    std::vector<JobIndex> gone_;  ///< Those that ended since the last step.
    std::vector<JobIndex> running_;
    std::vector<JobIndex> completing_;
    std::vector<Milliseconds> readmitted_;
    std::map<core::slurm::Association, double> used_;
    std::int64_t order_ = 0;
    std::int64_t changes_ = 0;
    std::uint64_t passes_ = 0;
    std::optional<Watched> watched_;
};

}  // namespace berth::sim
