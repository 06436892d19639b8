#include "core/kueue/quota_path.hpp"

#include <algorithm>
#include <optional>

namespace berth::core::kueue {
namespace {

/// What of its quota a node does not lend.
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
        // What is left may be below 0, and still be refused: quota that was cut below its usage
        // takes from what a node keeps to itself.
        amount = minus(amount, std::max<Amount>(0, minus(kept(step), step.used)));
        step.refusal = refusal_at(tree, step, amount);
        path.push_back(step);
    }
    return path;
}

}  // namespace berth::core::kueue
