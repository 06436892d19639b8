#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/kueue/decide/nomination.hpp"

namespace berth::core::kueue {

/// What became of a workload in a cycle.
enum class EntryStatus : std::uint8_t { not_nominated, assumed, skipped, preemption_gated };
[[nodiscard]] std::string_view to_string(EntryStatus status);

/// Why a workload goes back to its queue.
enum class RequeueReason : std::uint8_t {
    generic,
    no_fit,
    preemption_no_candidates,
    pending_preemption,
    preemption_gated,
    failed_after_nomination,
};
[[nodiscard]] std::string_view to_string(RequeueReason reason);

/// A workload that a cycle looked at, and the decision about it.
struct Entry {
    const Workload* workload = nullptr;
    /// Nothing for a workload whose queue accepts none.
    std::optional<Nomination> nomination;
    EntryStatus status = EntryStatus::not_nominated;
    RequeueReason requeue = RequeueReason::generic;
    std::string_view reason;  ///< Why it waits, in Kueue's term.
    std::string message;
    /// Where the next assignment goes on; nothing if it begins anew.
    std::optional<LastAssignment> last;
    /// Whether it was nominated again in its turn, after others were preempted or places were
    /// taken.
    bool is_nominated_again = false;

    [[nodiscard]] AssignmentMode mode() const { return nomination->assignment.mode(); }
    [[nodiscard]] bool is_admitted() const { return status == EntryStatus::assumed; }
    /// The quota that it would take; nothing if it holds quota already.
    [[nodiscard]] const FlavorResourceAmounts& usage() const;
    /// Whether other workloads are preempted for it.
    [[nodiscard]] bool preempts() const;
};

/// Whether a workload that was not admitted may be offered again at once, instead of waiting until
/// something happens that might let it in.
[[nodiscard]] bool is_offered_again(const Entry& entry, const Cache& cache);

/// One scheduling cycle: the heads of the queues are nominated, each as if it were alone, and then
/// taken one by one, each with what the ones before it took.
///
/// After a run the cache is as it was before; the caller records which workloads hold quota now.
/// Source: Kueue, pkg/scheduler/scheduler.go.
class Cycle {
public:
    /// `now` and `number` are those of this cycle, on the clock and in the count that the workloads
    /// use. `memory` is that of earlier cycles on the same cache; nullptr: every head is nominated
    /// anew.
    Cycle(Cache& cache, Time now, std::int64_t number, NominationMemory* memory = nullptr);

    /// `heads` has at most one workload of each queue. Returns an entry for each of them: first
    /// those that could be nominated, in the order in which they were taken, then the others.
    [[nodiscard]] std::vector<Entry> run(std::span<const Workload* const> heads);

private:
    [[nodiscard]] Entry begin(const Workload& workload);
    [[nodiscard]] Nomination nominate_head(const Workload& workload);
    /// Nominates an entry anew if its first nomination no longer holds: without the workloads that
    /// are preempted for others by now, or with the places that are left.
    void update(Entry& entry);
    void nominate_again(Entry& entry);
    void record(Entry& entry, Nomination nomination) const;
    void process(Entry& entry);
    void process_preempting(Entry& entry);
    void admit(Entry& entry);
    enum class Fit : std::uint8_t { fits, no_quota, no_places };
    [[nodiscard]] Fit fit(const Entry& entry);
    /// The same as fit(), but with all workloads that are in the cache now.
    [[nodiscard]] Fit fit_now(const Entry& entry) const;
    [[nodiscard]] bool overlaps(const Entry& entry) const;
    void skip(Entry& entry, std::string_view message);
    /// Reserves what a workload without targets asks for, so that entries after it do not take it.
    void reserve(const Entry& entry);
    /// Takes an amount of quota and the entry's places until the cycle is over.
    void take(const Entry& entry, const FlavorResourceAmounts& quota);
    /// A node that stands for the tree in which decisions depend on what is preempted for this
    /// entry.
    [[nodiscard]] QuotaNode tree_of(const Entry& entry) const;
    [[nodiscard]] std::set<WorkloadId>& preempted(const Entry& entry);

    Cache& cache_;
    WorkloadOrder order_;
    std::int64_t number_;
    NominationMemory* memory_;
    /// The workloads that are preempted in this cycle, by tree_of() of the entry that preempts
    /// them.
    std::map<QuotaNode, std::set<WorkloadId>> preempted_;
};

}  // namespace berth::core::kueue
