#include "core/kueue/entry_order.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "core/support/assert.hpp"

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
    }

    std::optional<Entry> pop() override {
        if (by_name_.empty()) {
            return std::nullopt;
        }
        const QuotaNode first = by_name_.begin()->second;
        const QuotaNode next =
            cache_.tree().parent(first) ? winner(cache_.tree().root(first)) : first;
        by_name_.erase(cache_.tree().name(next));
        return std::move(entries_.extract(next).mapped());
    }

private:
    using Share = std::pair<QuotaNode, QuotaNode>;  ///< A cohort, and the queue of an entry.

    /// The shares, with the entry's usage, of the nodes through which it comes to each cohort.
    void measure(QuotaNode queue) {
        QuotaTree& tree = cache_.tree();
        const FlavorResourceAmounts& usage = entries_.at(queue).usage();
        tree.add_usage(queue, usage);
        for (QuotaNode node = queue; tree.parent(node); node = *tree.parent(node)) {
            shares_[{*tree.parent(node), queue}] = tree.share(node);
        }
        tree.remove_usage(queue, usage);
    }

    /// The queue whose entry is taken next: the best of each cohort meets the best of its siblings.
    QuotaNode winner(QuotaNode root) {
        const QuotaTree& tree = cache_.tree();
        const std::vector<QuotaNode> cohorts = tree.cohorts_below(root);
        shares_.clear();
        std::map<QuotaNode, QuotaNode> best;
        for (auto cohort = cohorts.rbegin(); cohort != cohorts.rend(); ++cohort) {
            std::vector<QuotaNode> rivals;
            for (const QuotaNode child : tree.cohorts(*cohort)) {
                if (const auto won = best.find(child); won != best.end()) {
                    rivals.push_back(won->second);
                }
            }
            for (const QuotaNode queue : tree.queues(*cohort)) {
                if (entries_.contains(queue)) {
                    measure(queue);
                    rivals.push_back(queue);
                }
            }
            for (const QuotaNode rival : rivals) {
                const auto [known, fresh] = best.try_emplace(*cohort, rival);
                if (!fresh && is_before(*cohort, rival, known->second)) {
                    known->second = rival;
                }
            }
        }
        BERTH_ASSERT(best.contains(root), "an entry of the tree is left");
        return best.at(root);
    }

    bool is_before(QuotaNode cohort, QuotaNode a, QuotaNode b) const {
        const Entry& left = entries_.at(a);
        const Entry& right = entries_.at(b);
        if (cache_.gate(FeatureGate::prioritize_preemptor_workloads) &&
            left.workload->is_preemptor != right.workload->is_preemptor) {
            return left.workload->is_preemptor;
        }
        const DominantShare& share_a = shares_.at({cohort, a});
        const DominantShare& share_b = shares_.at({cohort, b});
        if (cache_.gate(FeatureGate::fair_sharing_prioritize_non_borrowing)) {
            const bool borrows = share_a.borrows_any_of(left.usage());
            if (borrows != share_b.borrows_any_of(right.usage())) {
                return !borrows;
            }
        }
        if (const auto order = compare(share_a, share_b); order != 0) {
            return order < 0;
        }
        if (cache_.gate(FeatureGate::priority_sorting_within_cohort) &&
            left.workload->priority != right.workload->priority) {
            return left.workload->priority > right.workload->priority;
        }
        return order_.queued_since(*left.workload) < order_.queued_since(*right.workload);
    }

    Cache& cache_;
    const WorkloadOrder& order_;
    std::map<std::string, QuotaNode> by_name_;
    std::map<QuotaNode, Entry> entries_;
    std::map<Share, DominantShare> shares_;
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
