#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/tree/ids.hpp"
#include "schedulers/slurm/decide/own_clock.hpp"
#include "sim/scheduler/scheduler_settings.hpp"

namespace berth::sim {

/// Slurm's configuration for a run, and its nodes, which are servers of the run.
struct SlurmSettings final : SchedulerSettings {
    [[nodiscard]] std::unique_ptr<Scheduler> make_scheduler(const Settings& settings,
                                                            RecordSink& sink,
                                                            Actions& actions) const override;
    [[nodiscard]] std::string why_alone() const override {
        return "Slurm has queues and limits of its own: expected slurm alone";
    }
    [[nodiscard]] bool reads_queues() const override { return true; }

    core::slurm::Cluster cluster;
    core::slurm::Clocks clocks;
    std::vector<core::ServerId> servers;  ///< By node.
    /// What the controller's clock shows when the run begins, since 1970.
    core::slurm::Milliseconds clock_at_0 = 0;
    /// Whether members of a job may share nodes, as tasks do; otherwise each has its own.
    bool members_are_tasks = false;
    /// Whether priorities of jobs are as they state them.
    bool priorities_are_stated = false;
};

}  // namespace berth::sim
