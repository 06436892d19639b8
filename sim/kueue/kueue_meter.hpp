#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/kueue/quota_tree.hpp"
#include "sim/clock/window.hpp"
#include "sim/meter/censored_sample.hpp"
#include "sim/meter/meter.hpp"

namespace berth::sim {

/// Measures how long workloads wait until they are admitted, and then until their pods have places:
/// the two are apart, so that quota that says yes where nodes say no is seen. A workload that waits
/// anew counts anew.
class KueueMeter final : public Meter {
public:
    /// `queues`: the names of the ClusterQueues, by number. Jobs count that are submitted in the
    /// window.
    KueueMeter(std::vector<std::string> queues, Window window);

    /// It waits for quota from now on, and for places no longer if it did.
    void waits_for_quota(JobId id, const Job& job, core::kueue::QuotaNode queue, SimTime now);
    /// It has quota, and waits for places from now on.
    void admitted(JobId id, SimTime now);
    /// It waits for places with the quota that it had before.
    void waits_for_places(JobId id, const Job& job, core::kueue::QuotaNode queue, SimTime now);
    /// All its members have places.
    void placed(JobId id, SimTime now);
    /// It waits for nothing any more.
    void leaves(JobId id);
    void preempted(const Job& job, core::kueue::QuotaNode queue);
    void timed_out(const Job& job);

    void finish(SimTime now) override;
    void add_to(std::vector<Metric>& out) const override;

private:
    struct Waiting {
        core::kueue::QuotaNode queue;
        bool for_quota = true;
        bool counts = true;
        SimTime since{};
    };
    struct OfQueue {
        CensoredSample admission_wait;
        std::uint64_t admitted = 0;
        std::uint64_t preempted = 0;
    };

    std::vector<std::string> names_;
    Window window_;
    std::map<JobId, Waiting> waiting_;
    std::vector<OfQueue> queues_;
    CensoredSample admission_wait_;
    CensoredSample placement_wait_;
    std::uint64_t admitted_ = 0;
    std::uint64_t preempted_ = 0;
    std::uint64_t timed_out_ = 0;
};

}  // namespace berth::sim
