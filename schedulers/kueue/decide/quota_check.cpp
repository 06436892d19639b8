#include "schedulers/kueue/decide/quota_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "schedulers/kueue/decide/assignment.hpp"

namespace berth::core::kueue {
namespace {

/// The part of its quota that a node does not lend.
Amount kept(const QuotaStep& step) {
    return step.quota.lending_limit
               ? std::max<Amount>(0, minus(step.total, *step.quota.lending_limit))
               : 0;
}

QuotaRefusal refusal_at(const QuotaTree& tree, const QuotaStep& step, Amount from_above) {
    if (!tree.parent(step.node)) {
        return minus(step.total, step.used) < step.asked ? QuotaRefusal::quota : QuotaRefusal::none;
    }
    if (!step.quota.borrowing_limit) {
        return QuotaRefusal::none;
    }
    const Amount lent = minus(step.total, kept(step));
    const Amount used = std::max<Amount>(0, minus(step.used, kept(step)));
    return plus(minus(lent, used), *step.quota.borrowing_limit) < from_above
               ? QuotaRefusal::borrowing_limit
               : QuotaRefusal::none;
}

FlavorFit fit_of(PreemptionOutlook outlook) {
    switch (outlook) {
        case PreemptionOutlook::no_candidates:
            return FlavorFit::no_candidates;
        case PreemptionOutlook::preempt:
            return FlavorFit::preempt;
        case PreemptionOutlook::reclaim:
            break;
    }
    return FlavorFit::reclaim;
}

/// Whether other workloads may be preempted although the queue borrows.
bool preempts_while_borrowing(const Cache& cache, QuotaNode queue) {
    const PreemptionPolicies& policies = cache.queue(queue).preemption;
    return policies.borrow_within_cohort.allowed ||
           (cache.configuration().fair_sharing() &&
            policies.reclaim_within_cohort != PreemptionPolicy::never);
}

void ask_for_targets(Cache& cache,
                     const WorkloadOrder& order,
                     const Workload& workload,
                     HopelessRequests* hopeless,
                     QuotaCheck& check) {
    if (hopeless != nullptr && hopeless->covers(cache, order, workload, check.what, check.amount)) {
        check.fit = FlavorFit::no_candidates;
        check.hopeless = true;
        return;
    }
    SimulatedPreemption found =
        simulate_preemption(cache, order, workload, check.what, check.amount);
    check.fit = fit_of(found.outlook);
    check.height = found.height;
    check.hopeless = found.hopeless;
    check.targets = std::move(found.targets);
    if (hopeless != nullptr && check.hopeless) {
        hopeless->add(cache, order, workload, check.what, check.amount);
    }
}

}  // namespace

std::vector<QuotaStep> quota_path(const QuotaTree& tree,
                                  QuotaNode queue,
                                  FlavorResource what,
                                  Amount amount) {
    std::vector<QuotaStep> path;
    for (std::optional<QuotaNode> node = queue; node; node = tree.parent(*node)) {
        QuotaStep step;
        step.node = *node;
        step.quota = tree.quota(*node, what);
        step.total = tree.total(*node, what);
        step.used = tree.usage(*node, what);
        step.available = tree.available(*node, what);
        step.asked = amount;
        // The amount that is left may be below 0 and still be refused: if quota was cut below its
        // usage, the excess takes from what a node keeps to itself.
        amount = minus(amount, std::max<Amount>(0, minus(kept(step), step.used)));
        step.refusal = refusal_at(tree, step, amount);
        path.push_back(step);
    }
    return path;
}

QuotaCheck check_quota(Cache& cache,
                       const WorkloadOrder& order,
                       const Workload& workload,
                       FlavorResource what,
                       Amount amount,
                       HopelessRequests* hopeless) {
    const QuotaTree& tree = cache.tree();
    const QuotaNode queue = *workload.queue;
    QuotaCheck check;
    check.what = what;
    check.amount = amount;
    check.most = tree.potential(queue, what);
    if (amount > check.most) {
        return check;
    }
    check.available = tree.available(queue, what);
    const BorrowingHeight borrowing = tree.borrowing_height(queue, what, amount);
    check.height = borrowing.height;
    if (amount <= check.available) {
        check.fit = FlavorFit::fit;
    } else if (amount <= tree.quota(queue, what).nominal || borrowing.may_reclaim ||
               preempts_while_borrowing(cache, queue)) {
        ask_for_targets(cache, order, workload, hopeless, check);
    }
    return check;
}

std::string unused_quota_reason(const QuotaCheck& check, const Names& names) {
    const std::string& resource = names[check.what.resource];
    return fmt::format("insufficient unused quota for {} in flavor {}, {} more needed",
                       resource,
                       names[check.what.flavor],
                       format_amount(resource, minus(check.amount, check.available)));
}

}  // namespace berth::core::kueue
