#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schedulers/kueue/decide/amounts.hpp"
#include "schedulers/kueue/decide/quota_tree.hpp"
#include "sim/clock/window.hpp"
#include "sim/meter/censored_sample.hpp"
#include "sim/meter/meter.hpp"

namespace berth::sim {

/// Measures how long workloads wait until they are admitted, and then until their pods have places.
/// The two are kept apart to show where quota says yes but nodes say no. A workload that waits
/// again counts again.
class KueueMeter final : public Meter {
public:
    /// The queues of a workload.
    struct Lines {
        core::kueue::QuotaNode queue;
        std::optional<core::kueue::LocalQueueId> local_queue;
    };

    /// `queues`: the names of the ClusterQueues, by number; `local_queues`: the names of the
    /// LocalQueues that are also measured, by number, and empty for those that are not. Jobs that
    /// are submitted in the window count.
    KueueMeter(std::vector<std::string> queues,
               std::vector<std::string> local_queues,
               Window window);

    /// The job waits for quota from now on. If it waited for places, that wait is over.
    void waits_for_quota(JobId id, const Job& job, Lines of, SimTime now);
    /// It has quota, and waits for places from now on.
    void admitted(JobId id, SimTime now);
    /// It waits for places with the quota that it had before.
    void waits_for_places(JobId id, const Job& job, Lines of, SimTime now);
    /// All its members have places.
    void placed(JobId id, SimTime now);
    /// It no longer waits for anything.
    void leaves(JobId id);
    void preempted(const Job& job, Lines of);
    void timed_out(const Job& job);

    void finish(SimTime now) override;
    void add_to(std::vector<Metric>& out) const override;

private:
    struct Waiting {
        Lines of;
        bool for_quota = true;
        bool counts = true;
        SimTime since{};
    };
    struct OfQueue {
        CensoredSample admission_wait;
        std::uint64_t admitted = 0;
        std::uint64_t preempted = 0;
    };

    /// Calls `count` with what is measured for each queue of a workload.
    template <class Count>
    void each_of(const Lines& of, const Count& count);

    std::size_t queue_count_;
    std::vector<std::string> names_;  ///< The names of all ClusterQueues, then of LocalQueues.
    Window window_;
    std::map<JobId, Waiting> waiting_;
    std::vector<OfQueue> queues_;  ///< What was measured for each of `names_`.
    CensoredSample admission_wait_;
    CensoredSample placement_wait_;
    std::uint64_t admitted_ = 0;
    std::uint64_t preempted_ = 0;
    std::uint64_t timed_out_ = 0;
};

}  // namespace berth::sim
