#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedulers/slurm/decide/controller.hpp"
#include "schedulers/slurm/requests/end_times.hpp"
#include "schedulers/slurm/requests/slurm_request.hpp"

namespace berth::experiments {

/// One start of a job, or of a task of an array.
struct StartOfJob {
    Milliseconds at = 0;
    bool by_backfill = false;
    std::int64_t task = 0;
    std::vector<core::slurm::Share> shares;
};

/// The whole run of a request: it tells a Controller what happens, and when to pass.
class SlurmRun {
public:
    /// The request and the ends must outlive the run. `launches`: how much longer than their
    /// `sleep` jobs run.
    SlurmRun(const SlurmRequest& request, const EndTimes& ends, const LaunchTimes& launches);

    /// The whole run on the loops' own clock.
    void run_on_own_clock();
    /// What happens until a recorded pass, and the pass.
    void follow(const RecordedPass& pass);
    /// Other lengths, as far as they may be, for the jobs that run.
    void redraw(Milliseconds now, std::uint64_t seed);

    /// By job of the request.
    [[nodiscard]] const std::vector<std::vector<StartOfJob>>& starts() const { return starts_; }
    [[nodiscard]] bool was_submitted(std::size_t job) const { return !jobs_of_[job].empty(); }
    /// Why a job that was submitted has not started, in a word of squeue.
    [[nodiscard]] std::string reason(std::size_t job) const {
        return controller_.reason_of(jobs_of_[job].front(), seconds(last_pass_));
    }
    [[nodiscard]] bool is_refused(std::size_t job) const { return refused_[job]; }
    /// How unlikely the recorded passes are with the ends that were drawn, in bits.
    [[nodiscard]] std::int64_t doubt() const { return doubt_; }

private:
    struct Task {
        std::size_t asked = 0;  ///< Of the jobs of the request.
        AskedTask task;
        Milliseconds started = 0;
        Milliseconds ends = 0;
        Milliseconds used_until = 0;
        std::int64_t cpus = 0;
        bool is_evicted = false;
    };

    void submit_until(Milliseconds at);
    void submit(std::size_t asked);
    void end_until(Milliseconds at);
    /// Returns whether nodes came back.
    bool release_until(Milliseconds at, Milliseconds epilog);
    void pass(Milliseconds at, Pass kind);
    void start(core::slurm::JobIndex job, Milliseconds at, bool by_backfill);
    void evict(core::slurm::JobIndex job, Milliseconds at);
    /// Jobs that were evicted may start again.
    void readmit_until(Milliseconds at);
    [[nodiscard]] Milliseconds back_at(core::slurm::JobIndex job, Milliseconds epilog) const;
    void explain(Milliseconds at);
    void calculate_priorities(Milliseconds at);
    /// When a job that overruns its limit is ended: limits are checked now and then.
    [[nodiscard]] Milliseconds last_end_of(const Task& task) const;
    [[nodiscard]] Milliseconds draw_end(const Task& task);
    void use(Task& task, Milliseconds until);
    /// When something happens that no pass decides.
    [[nodiscard]] Milliseconds next_event() const;
    [[nodiscard]] core::slurm::Seconds seconds(Milliseconds at) const;

    const SlurmRequest& request_;
    const EndTimes& ends_;
    LaunchTimes launches_;
    std::int64_t doubt_ = 0;
    Milliseconds begin_;  ///< When the controller started.
    Milliseconds next_calculation_;
    core::slurm::Controller controller_;
    std::vector<bool> refused_;
    std::vector<std::vector<StartOfJob>> starts_;
    std::vector<std::vector<core::slurm::JobIndex>> jobs_of_;  ///< By job of the request.
    std::vector<Task> tasks_;                                  ///< By job of the controller.
    std::vector<core::slurm::JobIndex> running_;
    std::vector<core::slurm::JobIndex> completing_;
    /// When jobs that were evicted may start again, in order.
    std::vector<Milliseconds> readmitted_;
    std::map<core::slurm::Association, double> used_;
    std::size_t next_submission_ = 0;
    std::int64_t order_ = 0;
    Milliseconds last_pass_ = 0;
    Milliseconds last_end_;  ///< When a job ended last.
    std::int64_t changes_ = 0;
};

}  // namespace berth::experiments
