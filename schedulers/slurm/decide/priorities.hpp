#pragma once

#include <map>

#include "schedulers/slurm/decide/fair_tree.hpp"

namespace berth::core::slurm {

/// The priorities of jobs, as PriorityType says.
class Priorities {
public:
    /// The cluster must outlive it. Usage counts from `start`.
    Priorities(const Cluster& cluster, Seconds start);

    /// The priority of a job that is submitted: with priority/basic, one less for each job.
    [[nodiscard]] std::int64_t of_new(const Job& job);
    /// What priority/multifactor gives a job at an instant, at least 1.
    [[nodiscard]] std::int64_t multifactor(const Job& job, Seconds now) const;
    [[nodiscard]] bool are_calculated() const;
    /// Adds what jobs used since the last call to usage, which halves as time passes, and computes
    /// the factors of fair share anew.
    void account(Seconds now, const std::map<Association, double>& cpu_seconds);

private:
    const Cluster& cluster_;
    std::int64_t cpus_ = 0;
    std::int64_t highest_qos_ = 0;
    std::int64_t highest_partition_ = 0;
    std::int64_t next_ = 4'294'901'759;
    Seconds decayed_;
    std::map<Association, double> usage_;
    std::map<Association, double> fair_;
};

}  // namespace berth::core::slurm
