#pragma once

#include <functional>
#include <vector>

#include "core/elastic_quota/quota_trees.hpp"
#include "sim/job/records.hpp"
#include "sim/profile/placer.hpp"

namespace berth::sim {

struct Settings;

/// A run at the moment at which a job that waits has its turn in a scheduling cycle: all before it
/// in the queue have had theirs, and it has not been tried yet. Jobs that ask for the same are
/// asked for together; the job has its turn in a cycle in which one of them is asked for, and in
/// its first cycle in the queue.
struct Turn {
    SimTime at{};
    const JobRecord& record;
    core::QuotaId quota;
    /// A job before it that found no place and that the queue's policy has it wait for, or nullptr.
    const Job* held_up_by = nullptr;
    const Settings& settings;
    const core::Ledger& ledger;
    const Cluster& cluster;
    Placer& placer;
    QuotaManager* quotas;  ///< nullptr in a run without.

    using Visit = std::function<void(const JobRecord& running, core::QuotaId quota)>;
    /// All that run, in the order of their arrival.
    std::function<void(const Visit&)> each_running;
    /// The names of those that wait before it, but for those that their quotas hold back.
    std::function<std::vector<std::string>()> waiting_before;
};

/// Sees each turn of one job. It changes nothing: a run goes the same way with and without it.
class JobObserver {
public:
    virtual ~JobObserver() = default;
    virtual void turn(const Turn& turn) = 0;
};

}  // namespace berth::sim
