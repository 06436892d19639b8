#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/elastic_quota/quota_trees.hpp"
#include "sim/job/records.hpp"
#include "sim/profile/placer.hpp"

namespace berth::sim {

class Inquiry;
struct Settings;

/// A run at the moment when a waiting job has its turn in a scheduling cycle: all jobs before it in
/// the queue have had theirs, and it has not been tried yet. Jobs that ask for the same are tried
/// together: the job has its turn in each cycle in which one of them is tried, and in its first
/// cycle in the queue. A job that is kept out of the queue has its turn whenever this was decided
/// anew, once everything has been decided at that instant.
struct Turn {
    SimTime at{};
    const JobRecord& record;
    core::QuotaId quota;
    /// A job before it that found no place and that it has to wait for under the queue's policy, or
    /// nullptr.
    const Job* held_up_by = nullptr;
    const Settings& settings;
    const core::Ledger& ledger;
    const Cluster& cluster;
    Placer& placer;
    QuotaManager* quotas;     ///< nullptr in a run without quotas.
    std::string kept_out;     ///< Why no place is sought for it yet; empty if one is.
    std::string kept_out_by;  ///< What it lacks, or which job is before it, in a few words.
    /// Whether `kept_out` is what a scheduler of its own says that has sought a place for it.
    bool is_of_placer = false;

    using Visit = std::function<void(const JobRecord& running, core::QuotaId quota)>;
    /// Visits all running jobs, in the order of their arrival.
    std::function<void(const Visit&)> each_running;
    /// The names of the jobs that wait before it, except those held back by their quotas.
    std::function<std::vector<std::string>()> waiting_before;
    /// Makes what can be asked of who keeps it out; nullptr if nothing can be asked.
    std::function<std::shared_ptr<Inquiry>()> inquire;
};

/// Sees each turn of one job. It changes nothing: a run takes the same course with and without it.
class JobObserver {
public:
    virtual ~JobObserver() = default;
    virtual void turn(const Turn& turn) = 0;
    /// The observed job arrives now; `arrival` jobs arrived before it.
    virtual void arrives_as(std::uint64_t /*arrival*/) {}
};

}  // namespace berth::sim
