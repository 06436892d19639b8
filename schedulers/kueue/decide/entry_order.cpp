#include "schedulers/kueue/decide/entry_order.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace berth::core::kueue {
namespace {

/// Source: Kueue, pkg/scheduler/scheduler.go, makeClassicalIterator.
class ClassicalEntryOrder final : public EntryOrder {
public:
    ClassicalEntryOrder(const Cache& cache, const WorkloadOrder& order, std::vector<Entry> entries)
        : entries_(std::make_move_iterator(entries.begin()),
                   std::make_move_iterator(entries.end())) {
        std::ranges::stable_sort(entries_, [&](const Entry& a, const Entry& b) {
            return is_before(cache, order, a, b);
        });
    }

    std::optional<Entry> pop() override {
        if (entries_.empty()) {
            return std::nullopt;
        }
        Entry next = std::move(entries_.front());
        entries_.pop_front();
        return next;
    }

private:
    static bool is_before(const Cache& cache,
                          const WorkloadOrder& order,
                          const Entry& a,
                          const Entry& b) {
        if (a.workload->holds_quota != b.workload->holds_quota) {
            return a.workload->holds_quota;
        }
        if (cache.gate(FeatureGate::prioritize_preemptor_workloads) &&
            a.workload->is_preemptor != b.workload->is_preemptor) {
            return a.workload->is_preemptor;
        }
        const std::int64_t height = a.nomination->assignment.height;
        if (height != b.nomination->assignment.height) {
            return height < b.nomination->assignment.height;
        }
        if (cache.gate(FeatureGate::priority_sorting_within_cohort) &&
            a.workload->priority != b.workload->priority) {
            return a.workload->priority > b.workload->priority;
        }
        return order.queued_since(*a.workload) < order.queued_since(*b.workload);
    }

    std::deque<Entry> entries_;
};

/// The best entries of a cohort's children meet in the cohort, and the best of these is the
/// cohort's own. Taking an entry changes the usage only of the nodes above it, so that only these
/// meet anew.
///
/// Cost:   O(depth) shares and O(depth x log) comparisons for each entry.
/// Source: Kueue, pkg/scheduler/fair_sharing_iterator.go.
class FairEntryOrder final : public EntryOrder {
public:
    FairEntryOrder(Cache& cache, const WorkloadOrder& order, std::vector<Entry> entries)
        : cache_(cache), order_(order) {
        for (Entry& entry : entries) {
            const QuotaNode queue = *entry.workload->queue;
            by_name_[cache.tree().name(queue)] = queue;
            entries_.insert_or_assign(queue, std::move(entry));
        }
        std::set<QuotaNode> roots;
        for (const auto& [queue, entry] : entries_) {
            if (tree().parent(queue)) {
                enter(queue, queue);
                roots.insert(tree().root(queue));
            }
        }
        for (const QuotaNode root : roots) {
            const std::vector<QuotaNode> cohorts = tree().cohorts_below(root);
            std::for_each(cohorts.rbegin(), cohorts.rend(), [&](QuotaNode one) { meet(one); });
        }
    }

    std::optional<Entry> pop() override {
        if (by_name_.empty()) {
            return std::nullopt;
        }
        leave_last();
        const QuotaNode first = by_name_.begin()->second;
        const QuotaNode next =
            tree().parent(first) ? rivals_.at(tree().root(first)).begin()->queue : first;
        by_name_.erase(tree().name(next));
        last_ = next;
        return std::move(entries_.extract(next).mapped());
    }

private:
    /// The best entry below a child of a cohort, with everything that it is compared by.
    struct Rival {
        QuotaNode child;
        QuotaNode queue;  ///< The queue of the entry.
        bool is_preemptor = false;
        bool borrows = false;
        DominantShare share;  ///< The share of the child, with the entry's usage.
        std::int64_t priority = 0;
        Time since;
    };
    struct Before {
        const FairEntryOrder* all;
        bool operator()(const Rival& a, const Rival& b) const { return all->is_before(a, b); }
    };
    using Rivals = std::set<Rival, Before>;

    [[nodiscard]] const QuotaTree& tree() const { return cache_.tree(); }

    void enter(QuotaNode child, QuotaNode queue) {
        const Entry& entry = entries_.at(queue);
        cache_.tree().add_usage(queue, entry.usage());
        DominantShare share = tree().share(child);
        cache_.tree().remove_usage(queue, entry.usage());
        const bool borrows = share.borrows_any_of(entry.usage());
        Rivals& rivals = rivals_.try_emplace(*tree().parent(child), Before{this}).first->second;
        places_[child] = rivals
                             .insert({child,
                                      queue,
                                      entry.workload->is_preemptor,
                                      borrows,
                                      std::move(share),
                                      entry.workload->priority,
                                      order_.queued_since(*entry.workload)})
                             .first;
    }

    void leave(QuotaNode child) {
        if (const auto place = places_.find(child); place != places_.end()) {
            rivals_.at(*tree().parent(child)).erase(place->second);
            places_.erase(place);
        }
    }

    /// Makes the best entry below a cohort its rival in the cohort above, in place of the previous
    /// one.
    void meet(QuotaNode cohort) {
        if (!tree().parent(cohort)) {
            return;
        }
        leave(cohort);
        const auto below = rivals_.find(cohort);
        if (below != rivals_.end() && !below->second.empty()) {
            enter(cohort, below->second.begin()->queue);
        }
    }

    /// Removes the entry that was taken last, now that its usage counts.
    void leave_last() {
        if (!last_ || !tree().parent(*last_)) {
            return;
        }
        leave(*last_);
        for (auto cohort = tree().parent(*last_); cohort; cohort = tree().parent(*cohort)) {
            meet(*cohort);
        }
    }

    [[nodiscard]] bool is_before(const Rival& a, const Rival& b) const {
        if (cache_.gate(FeatureGate::prioritize_preemptor_workloads) &&
            a.is_preemptor != b.is_preemptor) {
            return a.is_preemptor;
        }
        if (cache_.gate(FeatureGate::fair_sharing_prioritize_non_borrowing) &&
            a.borrows != b.borrows) {
            return b.borrows;
        }
        if (const auto order = compare(a.share, b.share); order != 0) {
            return order < 0;
        }
        if (cache_.gate(FeatureGate::priority_sorting_within_cohort) && a.priority != b.priority) {
            return a.priority > b.priority;
        }
        if (a.since != b.since) {
            return a.since < b.since;
        }
        // Among equals, cohorts go before queues, each kind by name.
        const auto place = [&](const Rival& rival) {
            return std::pair<bool, const std::string&>(rival.child == rival.queue,
                                                       tree().name(rival.child));
        };
        return place(a) < place(b);
    }

    Cache& cache_;
    const WorkloadOrder& order_;
    std::map<std::string, QuotaNode> by_name_;
    std::map<QuotaNode, Entry> entries_;
    std::map<QuotaNode, Rivals> rivals_;            ///< The rivals that meet in each cohort.
    std::map<QuotaNode, Rivals::iterator> places_;  ///< The place of each child among its rivals.
    std::optional<QuotaNode> last_;
};

}  // namespace

std::unique_ptr<EntryOrder> make_entry_order(Cache& cache,
                                             const WorkloadOrder& order,
                                             std::vector<Entry> entries) {
    if (cache.configuration().fair_sharing()) {
        return std::make_unique<FairEntryOrder>(cache, order, std::move(entries));
    }
    return std::make_unique<ClassicalEntryOrder>(cache, order, std::move(entries));
}

}  // namespace berth::core::kueue
