#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/tree/ids.hpp"
#include "sim/clock/time.hpp"

namespace berth::sim {

/// Why a job no longer holds quota, or no longer waits for it.
enum class QuotaEnd : std::uint8_t {
    none,         ///< It held or waited until the end of the run.
    ended,        ///< The job ended; one that waited was dropped.
    reduced,      ///< Some of its pods are done, and it holds less from then on.
    preempted,    ///< Other workloads needed its quota.
    not_ready,    ///< Its pods did not all run in time.
    stopped,      ///< Its queue was drained.
    node_failed,  ///< It lost places that had come with the quota.
};

/// An amount of one resource of one flavor, as the admission counts it: CPUs in thousandths.
struct HeldAmount {
    std::string_view flavor;
    std::string_view resource;
    core::Amount amount = 0;
};

/// A stretch of time in which a job waited for an admission's quota, and then held the same amounts
/// of it.
struct QuotaHold {
    std::string_view job;
    std::string_view cluster_queue;
    std::string_view local_queue;     ///< `NAMESPACE/NAME`; empty where jobs name ClusterQueues.
    SimTime queued{};                 ///< When the job began to wait.
    std::optional<SimTime> admitted;  ///< Nothing: it got no quota.
    std::optional<SimTime> from;      ///< When it began to hold exactly these amounts: later than
                                      ///< `admitted` if it gave back some since.
    std::optional<SimTime> told;      ///< When it was told to give its quota back.
    std::optional<SimTime> until;     ///< Nothing: the run ended first.
    QuotaEnd end = QuotaEnd::none;
    core::Members members = 0;  ///< How many members were admitted.
    std::string_view preemptor;
    std::string_view preemptor_queue;  ///< The preemptor's ClusterQueue.
    /// Why it was preempted, in the admission's word; for a job that waits, its message.
    std::string_view reason;
    std::vector<HeldAmount> amounts{};
};

}  // namespace berth::sim
