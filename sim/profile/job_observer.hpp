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
/// the queue have had theirs, and it has not been tried yet. Jobs that ask for the same are asked
/// about together: the job has its turn in each cycle in which one of them is asked about, and in
/// its first cycle in the queue. One that is kept out of the queue has its turn whenever it was
/// decided so anew, once all was decided at that instant.
struct Turn {
    SimTime at{};
    const JobRecord& record;
    core::QuotaId quota;
    /// A job before it that found no place and for which the queue's policy makes it wait, or
    /// nullptr.
    const Job* held_up_by = nullptr;
    const Settings& settings;
    const core::Ledger& ledger;
    const Cluster& cluster;
    Placer& placer;
    QuotaManager* quotas;     ///< nullptr in a run without.
    std::string kept_out;     ///< Why no place is sought for it yet; empty if one is.
    std::string kept_out_by;  ///< What it lacks, or who is before it, in a few words.

    using Visit = std::function<void(const JobRecord& running, core::QuotaId quota)>;
    /// Visits all running jobs, in the order of their arrival.
    std::function<void(const Visit&)> each_running;
    /// The names of the jobs that wait before it, except those held back by their quotas.
    std::function<std::vector<std::string>()> waiting_before;
    /// What the admission that keeps it out can be asked; nullptr where nothing can.
    std::function<std::shared_ptr<Inquiry>()> inquire;
};

/// Sees each turn of one job. It changes nothing: a run goes the same way with and without it.
class JobObserver {
public:
    virtual ~JobObserver() = default;
    virtual void turn(const Turn& turn) = 0;
    /// The job that is watched arrives now, as so many arrived before it.
    virtual void arrives_as(std::uint64_t /*arrival*/) {}
};

}  // namespace berth::sim
