#pragma once

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/assert.hpp"
#include "core/tree/logical_tree.hpp"
#include "sim/failures/drain_window.hpp"
#include "sim/failures/failure_source.hpp"
#include "sim/job/grant.hpp"
#include "sim/job/job.hpp"
#include "sim/job/run_time_model.hpp"

namespace berth::sim {

class QuotaManager;
struct QuotaHold;

/// What became of a job by the end of the run.
enum class Outcome : std::uint8_t {
    finished,
    running,   ///< At the end.
    waiting,   ///< At the end.
    dropped,   ///< It did not fit and was not to be retried.
    rejected,  ///< Refused before the scheduler looked for a place.
};
inline constexpr std::size_t outcome_count = static_cast<std::size_t>(Outcome::rejected) + 1;
[[nodiscard]] std::string_view to_string(Outcome outcome);

/// Some members of a job, on one server over one stretch of time.
struct Stint {
    core::ServerId server;
    core::Members members = 0;
    SimTime start{};
    OptionalTime finish;
    std::vector<Grant> grants{};  ///< One a member, if it has any.
    /// The number of its first member in the job; the others have the numbers that follow.
    core::Members first = 0;
    /// Thousandths: how much longer its members run than their work takes.
    std::int64_t run_time_factor = slow_down_unit;
    SimTime lost{};  ///< Work of each member that was lost with the eviction or move that ended it.
    /// Of each member, once it is over; nothing: all its time was work, over the factor.
    OptionalTime work{};
};
/// Of most jobs there is one at a time: it lies in the record, not in memory of its own.
using Stints = boost::container::small_vector<Stint, 1>;

/// Why a running pod lost its place.
enum class EvictionCause : std::uint8_t {
    revoked,    ///< By the over-use recycler, or since its queue is stopped.
    preempted,  ///< By a job that took its place.
    node_failed,
    drained,  ///< Its server is drained.
};
inline constexpr std::size_t eviction_cause_count = 4;
using EvictionCounts = std::array<std::uint32_t, eviction_cause_count>;  ///< By cause.
/// How many of the causes a run tells, from the first on: without drains nothing is drained.
[[nodiscard]] constexpr std::size_t causes_told(bool has_drains) {
    return has_drains ? eviction_cause_count : eviction_cause_count - 1;
}
[[nodiscard]] inline bool any(const EvictionCounts& counts) {
    return std::ranges::any_of(counts, [](std::uint32_t count) { return count > 0; });
}
[[nodiscard]] std::string to_name(EvictionCause cause);  ///< `node_failed`

/// One job's pods lost their places, and the job went back to the queue.
struct Eviction {
    SimTime at{};
    std::string quota;  ///< The job's, in force.
    EvictionCause cause = EvictionCause::revoked;
    SimTime ran{};   ///< Of the job since it started last; a member that joined later ran less.
    SimTime lost{};  ///< The part of the work it did in that time that it has to do again.
    SimTime
        hung{};  ///< The part of that time in which it did nothing, for a failure not known yet.
};

/// Something failed, and a job lost its places.
struct Interruption {
    SimTime at{};
    SimTime done{};  ///< All the work it had done by then, what it lost with its places included.
    OptionalTime recovered{};  ///< When it had done as much again.
};

/// What a scheduler says of a job, from `at` until it says something else of that type.
struct Condition {
    enum class Type : std::uint8_t {
        admitted,   ///< Its quota is reserved for it; it waits only for places.
        nominated,  ///< Places are kept for it until others have left them.
        blocked,    ///< What keeps it from starting, in words.
    };
    SimTime at{};
    Type type = Type::blocked;
    std::string message;
};

/// What became of one member of a job before its last start.
struct MemberPast {
    SimTime submit{};  ///< When it came to be: with its job, or when the running group grew.
    SimTime ran{};     ///< How long it ran in stints that an eviction or a move ended.
    SimTime kept{};    ///< Work that it did in that time and need not do again.
    SimTime lost{};    ///< Work that it did in that time for nothing.
    EvictionCounts evictions{};
};

/// The whole story of one job.
struct JobRecord {
    Job job;
    std::uint64_t arrival = 0;  ///< How many jobs arrived before it.
    Outcome outcome = Outcome::waiting;
    bool stopped_at_limit = false;  ///< It finished before its work was done.
    std::uint32_t resizes_refused = 0;
    OptionalTime start;  ///< The last time.
    OptionalTime finish;
    OptionalTime dropped;  ///< When the job was dropped; nothing if it was not.
    /// Why it did not start, in kube-scheduler's words; or why it did not do all its work.
    std::string reason;
    core::Members placed = 0;    ///< Members that could be placed at the start or the last attempt.
    Stints stints;               ///< In the order of their start, then of the tree.
    core::Members numbered = 0;  ///< Members that ever started have the numbers below this.
    /// By number; a member beyond its end came with the job and never lost its place.
    core::CompactVector<MemberPast> pasts;
    core::LogicalTree placement;               ///< At the start; of a group.
    core::Rare<core::LogicalTree> attainable;  ///< The exact solver's, if asked for.
    SimTime ran_before{};  ///< In runs that an eviction, a move or a suspension ended.
    EvictionCounts evictions{};
    SimTime lost{};                             ///< Work that evictions and moves threw away.
    core::CompactVector<Condition> conditions;  ///< In the order in which they were set.
    /// Thousandths: how much longer it runs than its work takes, since it started last.
    std::int64_t run_time_factor = slow_down_unit;
    OptionalTime first_start;
    SimTime kept{};        ///< Work that it did and need not do again, of runs that are over.
    SimTime writing{};     ///< Time of those runs in which it wrote checkpoints,
    SimTime restarting{};  ///< and in which it restarted;
    SimTime hung{};        ///< and in which it did nothing, on a server that had failed unnoticed.
    /// In the order of time, in a run that Settings::tells_gain().
    core::CompactVector<Interruption> interruptions;

    /// All its time in the queue; only for a job that has started.
    [[nodiscard]] SimTime waited() const {
        BERTH_ASSERT(start, "a job that has started waited until then");
        return waited_until(*start);
    }
    /// The same by now, for a job that waits.
    [[nodiscard]] SimTime waited_until(SimTime now) const { return now - job.submit - ran_before; }
    /// Whether it ran already when the run began: it never waited for its first place.
    [[nodiscard]] bool ran_from_the_start() const {
        return job.servers && first_start && *first_start == job.submit;
    }
    /// Whether it had a place at any time, also if it was evicted since.
    [[nodiscard]] bool ever_started() const { return start || any(evictions); }
};

/// Whether every stated constraint of a group holds in its placement.
[[nodiscard]] bool satisfied(const JobRecord& record, const core::Topology& tree);

/// The outcome of one change of the quotas.
struct QuotaChangeRecord {
    SimTime at{};
    std::string_view change;  ///< `create`, `update` or `delete`
    std::string quota;
    std::optional<std::string> refusal;
};

/// Where records go. Calls come in a fixed order, from one thread.
class RecordSink {
public:
    virtual ~RecordSink() = default;
    /// Once for each job, when it has ended: whoever wants the order of arrival has
    /// JobRecord::arrival.
    virtual void job(const JobRecord& record) = 0;
    /// At each sample; `values` are in the order of sampled_metrics().
    virtual void sample(SimTime at, std::span<const double> values) = 0;
    /// At each sample of a run with quotas.
    virtual void quota_sample(SimTime /*at*/, QuotaManager& /*quotas*/) {}
    /// The record's stints are those that the eviction ends, each with the work it lost.
    virtual void evicted(const JobRecord& /*record*/, const Eviction& /*eviction*/) {}
    virtual void quota_changed(const QuotaChangeRecord& /*change*/) {}
    /// In a run with Kueue, once a job holds what it held of quota, or waits for it, no longer.
    virtual void quota_held(const QuotaHold& /*hold*/) {}
    /// Once for each outage, in the order in which they began.
    virtual void outage(const Outage& /*outage*/) {}
    /// Once for each window that has begun, in the order in which they began.
    virtual void drain(const DrainRecord& /*drain*/) {}
    /// After each event; `quotas` is nullptr in a run without.
    virtual void event_handled(SimTime /*at*/, QuotaManager* /*quotas*/) {}
};

}  // namespace berth::sim
