#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "experiments/program/why/finding.hpp"
#include "sim/profile/answer.hpp"

namespace berth::experiments {

/// A copy of a run's cluster and quotas at one moment. It can be changed before the same decision
/// is made again.
class Trial {
public:
    /// Copies the run; nullptr if it cannot be copied: see sim::Cluster::copy_over().
    [[nodiscard]] static std::unique_ptr<Trial> of(const sim::Turn& turn);
    /// Copies the run with `count` more idle servers of a machine type below a parent of servers.
    /// The job's pods may go to these, whatever labels they ask for.
    /// Returns: nullptr if amounts do not determine the inside of a server or what is beside it.
    [[nodiscard]] static std::unique_ptr<Trial> with_servers(const sim::Turn& turn,
                                                             core::NodeId parent,
                                                             std::uint32_t machine_type,
                                                             std::uint32_t count);

    /// Gives back amounts of a server that are in use.
    void free(core::ServerId server, std::span<const core::Amount> amounts);
    /// Removes a running job, as if it had ended.
    void leave(const sim::JobRecord& running, core::QuotaId quota);
    /// Whether the job starts now.
    [[nodiscard]] sim::Answer ask();

private:
    Trial(const sim::Turn& turn, core::Ledger ledger);
    void decide_over(std::unique_ptr<sim::Cluster> cluster);

    const sim::Turn& turn_;
    core::Ledger ledger_;
    std::unique_ptr<sim::Cluster> cluster_;
    std::optional<sim::Placer> placer_;
    std::optional<sim::QuotaManager> quotas_;
    std::optional<sim::Job> job_;  ///< The job, if it is not as it is in the turn.
};

/// Whether the job would start if it asked for something else.
[[nodiscard]] sim::Answer ask_as(const sim::Turn& turn, const sim::Job& changed);

/// Whether the job would start with these quotas.
[[nodiscard]] sim::Answer ask_with(const sim::Turn& turn, sim::QuotaManager& quotas);

/// A running job and its quota.
struct RunningJob {
    const sim::JobRecord* record = nullptr;
    core::QuotaId quota;
};
/// Everything that runs at that moment, in the order of arrival.
[[nodiscard]] std::vector<RunningJob> running_jobs(const sim::Turn& turn);
/// The running jobs that started at this instant and so had their turn before the waiting job. A
/// job that was already running when the run began had no turn.
[[nodiscard]] std::vector<RunningJob> started_before(const sim::Turn& turn);

}  // namespace berth::experiments
