#pragma once

#include <cstdint>
#include <vector>

#include "schedulers/rounds/decide/active_jobs.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// The jobs that have come and not ended, as policies of leases see them. Jobs are known by their
/// numbers, which grow with each arrival.
///
/// Cost: O(jobs) to look, but the states of those alone that have run since.
class ActiveTable {
public:
    /// `actions` outlives it.
    explicit ActiveTable(const Actions& actions) : actions_(actions) {}

    void add(std::uint32_t number, JobId id);
    void remove(std::uint32_t number);
    /// The job begins to run.
    void launched(std::uint32_t number);
    /// All jobs as they are now.
    [[nodiscard]] const core::rounds::ActiveJobs& look();

private:
    [[nodiscard]] std::size_t position_of(std::uint32_t number) const;

    const Actions& actions_;
    core::rounds::ActiveJobs jobs_;
    std::vector<JobId> ids_;
    std::vector<SimTime> submits_;
    std::vector<bool> is_still_;  ///< Whether it has not run since the last look.
};

}  // namespace berth::sim
