#pragma once

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
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
    running,   ///< It runs when the run ends.
    waiting,   ///< It waits when the run ends.
    dropped,   ///< It was given up, for instance since it did not fit and is not tried again.
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
    std::vector<Grant> grants{};  ///< One per member, if members have any.
    /// The number of its first member in the job; the others have the numbers that follow.
    core::Members first = 0;
    /// How much longer its members run than their work takes, in thousandths.
    std::int64_t run_time_factor = slow_down_unit;
    SimTime lost{};  ///< Work that each member lost with the eviction or move that ended it.
    /// Work of each member, known once the stint is over; nothing: all its time was work, divided
    /// by the factor.
    OptionalTime work{};
};
/// Most jobs have one at a time: it lies in the record, not in memory of its own.
using Stints = boost::container::small_vector<Stint, 1>;

/// Why a running pod lost its place.
enum class EvictionCause : std::uint8_t {
    revoked,    ///< Revoked by the over-use recycler, or because its queue is stopped.
    preempted,  ///< Preempted by a job that took its place.
    node_failed,
    drained,  ///< Its server is drained.
};
inline constexpr std::size_t eviction_cause_count = 4;
using EvictionCounts = std::array<std::uint32_t, eviction_cause_count>;  ///< One per EvictionCause.
/// How many of the causes a run reports, from the first on: without drains no job is drained.
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
    std::string quota;  ///< The quota of the job that is in force.
    EvictionCause cause = EvictionCause::revoked;
    /// How long the job ran since its last start; a member that joined later ran less.
    SimTime ran{};
    /// The part of the work done in that time that the job has to do again.
    SimTime lost{};
    /// The part of that time in which it did nothing, because of a failure that was not yet known.
    SimTime hung{};
};

/// Something failed, and a job lost its places.
struct Interruption {
    SimTime at{};
    SimTime done{};  ///< All the work it had done by then, including what it lost with its places.
    OptionalTime recovered{};  ///< When it had done as much work again.
};

/// What a scheduler says of a job, from `at` until it says something else of the same type.
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
    SimTime submit{};  ///< When it was created: with its job, or when the running group grew.
    SimTime ran{};     ///< How long it ran in stints that an eviction or a move ended.
    SimTime kept{};    ///< Work that it did in that time and need not do again.
    SimTime lost{};    ///< Work that it did in that time and lost.
    EvictionCounts evictions{};
};

/// The whole story of one job.
struct JobRecord {
    Job job;
    std::uint64_t arrival = 0;  ///< How many jobs arrived before it.
    Outcome outcome = Outcome::waiting;
    bool stopped_at_limit = false;  ///< It finished before its work was done.
    bool never_arrived = false;     ///< What it comes after had not happened when the run ended.
    std::uint32_t resizes_refused = 0;
    OptionalTime start;  ///< The last start.
    OptionalTime finish;
    OptionalTime dropped;  ///< When the job was dropped; nothing if it was not.
    /// Why it did not start, in kube-scheduler's words; or why it did not do all its work.
    std::string reason;
    core::Members placed = 0;    ///< Members that could be placed at the start or in the last
                                 ///< attempt.
    Stints stints;               ///< Stints in the order of their start, then of the topology tree.
    core::Members numbered = 0;  ///< All members that ever started have numbers below this.
    /// Pasts by member number; a member beyond the end came with the job and never lost its place.
    core::CompactVector<MemberPast> pasts;
    core::LogicalTree placement;               ///< Where a group was placed at its start.
    core::Rare<core::LogicalTree> attainable;  ///< What the exact solver attains, if it was asked.
    SimTime ran_before{};  ///< Time in runs that an eviction, a move or a suspension ended.
    EvictionCounts evictions{};
    SimTime lost{};                             ///< Work that was lost in evictions and moves.
    core::CompactVector<Condition> conditions;  ///< Conditions in the order in which they were set.
    /// How much longer it runs than its work takes since its last start, in thousandths.
    std::int64_t run_time_factor = slow_down_unit;
    OptionalTime first_start;
    SimTime kept{};        ///< Work done in runs that are over, which need not be done again.
    SimTime writing{};     ///< Time in those runs in which it wrote checkpoints.
    SimTime restarting{};  ///< Time in those runs in which it restarted.
    /// Time in those runs in which it did nothing, on a server that had failed unnoticed.
    SimTime hung{};
    /// Interruptions in order of time, in a run for which Settings::tells_gain() holds.
    core::CompactVector<Interruption> interruptions;

    /// All its time in the queue. The job has started.
    [[nodiscard]] SimTime waited() const {
        BERTH_ASSERT(start, "a job that has started waited until then");
        return waited_until(*start);
    }
    /// The same until now, for a job that waits.
    [[nodiscard]] SimTime waited_until(SimTime now) const { return now - job.submit - ran_before; }
    /// Whether it already ran when the run began, so that it never waited for its first place.
    [[nodiscard]] bool ran_from_the_start() const {
        return job.servers && first_start && *first_start == job.submit;
    }
    /// Whether it had a place at any time, also if it was evicted since.
    [[nodiscard]] bool ever_started() const { return start || any(evictions); }
};

/// Whether the placement of a group meets every constraint that it states.
[[nodiscard]] bool satisfied(const JobRecord& record, const core::Topology& tree);

/// The outcome of one change of the quotas.
struct QuotaChangeRecord {
    SimTime at{};
    std::string_view change;  ///< `create`, `update` or `delete`
    std::string quota;
    std::optional<std::string> refusal;
};

/// A field of a row of a scheduler's table. A text lasts as long as the call.
using RowField = std::variant<std::int64_t, SimTime, std::string_view>;

/// Where records go. Calls come in a fixed order, from one thread.
class RecordSink {
public:
    virtual ~RecordSink() = default;
    /// Called once for each job, when it has ended. JobRecord::arrival tells the order of arrival.
    virtual void job(const JobRecord& record) = 0;
    /// Called at each sample; `values` are in the order of sampled_metrics().
    virtual void sample(SimTime at, std::span<const double> values) = 0;
    /// Called at each sample of a run with quotas.
    virtual void quota_sample(SimTime /*at*/, QuotaManager& /*quotas*/) {}
    /// The record's stints are those that the eviction ends, each with the work it lost.
    virtual void evicted(const JobRecord& /*record*/, const Eviction& /*eviction*/) {}
    virtual void quota_changed(const QuotaChangeRecord& /*change*/) {}
    /// Called once a job no longer holds the quota that an admission gave it, or no longer waits
    /// for it.
    virtual void quota_held(const QuotaHold& /*hold*/) {}
    /// A row of a table of the scheduler; `table`: its position in SchedulerSettings::tables().
    virtual void scheduler_row(std::size_t /*table*/, std::span<const RowField> /*row*/) {}
    /// Called once for each outage, in the order in which they began.
    virtual void outage(const Outage& /*outage*/) {}
    /// Called once for each window that has begun, in the order in which they began.
    virtual void drain(const DrainRecord& /*drain*/) {}
    /// Called after each event; `quotas` is nullptr in a run without quotas.
    virtual void event_handled(SimTime /*at*/, QuotaManager* /*quotas*/) {}
};

/// Keeps nothing.
class NoRecords final : public RecordSink {
public:
    void job(const JobRecord& /*record*/) override {}
    void sample(SimTime /*at*/, std::span<const double> /*values*/) override {}
};

}  // namespace berth::sim
