#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "experiments/program/why/finding.hpp"

namespace berth::experiments {

/// A copy of a run's cluster and quotas at one moment, in which something may be changed before
/// the same decision is made again.
class Trial {
public:
    /// Nothing where the run cannot be copied: see sim::Cluster::copy_over().
    [[nodiscard]] static std::unique_ptr<Trial> of(const sim::Turn& turn);
    /// With so many more idle servers of a machine type below a parent of servers.
    /// Returns: nothing where a server's inside, or what is beside it, is not known from amounts.
    [[nodiscard]] static std::unique_ptr<Trial> with_servers(const sim::Turn& turn,
                                                             core::NodeId parent,
                                                             std::uint32_t machine_type,
                                                             std::uint32_t count);

    /// Gives back amounts of a server that are in use.
    void free(core::ServerId server, std::span<const core::Amount> amounts);
    /// A running job has ended.
    void leave(const sim::JobRecord& running, core::QuotaId quota);
    /// Whether the job starts.
    [[nodiscard]] bool lets_in();

private:
    Trial(const sim::Turn& turn, core::Ledger ledger);
    void decide_over(std::unique_ptr<sim::Cluster> cluster);

    const sim::Turn& turn_;
    core::Ledger ledger_;
    std::unique_ptr<sim::Cluster> cluster_;
    std::optional<sim::Placer> placer_;
    std::optional<sim::QuotaManager> quotas_;
};

/// Whether a job that asks for something else would start in its stead.
[[nodiscard]] bool lets_in_as(const sim::Turn& turn, const sim::Job& changed);

/// Whether it would start with its quotas as `quotas` has them.
[[nodiscard]] bool lets_in_with(const sim::Turn& turn, sim::QuotaManager& quotas);

/// Everything that runs at that moment, in the order of arrival.
struct RunningJob {
    const sim::JobRecord* record = nullptr;
    core::QuotaId quota;
};
[[nodiscard]] std::vector<RunningJob> running_jobs(const sim::Turn& turn);
/// The running jobs that started at this instant: they had their turn before the job that waits. A
/// job that ran already when the run began had no turn.
[[nodiscard]] std::vector<RunningJob> started_before(const sim::Turn& turn);

/// The largest part of any of the cluster's resources that `members` of `demand` are, in 2^-32: by
/// dominant shares, as sim::QuotaManager has them.
[[nodiscard]] std::int64_t share_of_cluster(const core::Ledger& ledger,
                                            std::span<const core::Amount> demand,
                                            core::Members members);

}  // namespace berth::experiments
