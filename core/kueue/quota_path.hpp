#pragma once

#include <cstdint>
#include <vector>

#include "core/kueue/quota_tree.hpp"

namespace berth::core::kueue {

/// What refuses a request at a node of the tree.
enum class QuotaRefusal : std::uint8_t {
    none,
    borrowing_limit,  ///< The node has quota above it, and may not borrow so much of it.
    quota,            ///< It is the root, and all that it has is used, or too little of it is not.
};

/// One node on the way that a request for one resource of a flavor goes, from its queue up.
struct QuotaStep {
    QuotaNode node;
    Quota quota;
    Amount total = 0;      ///< Its own quota, with what is lent to it from below.
    Amount used = 0;       ///< Of that: usage beyond what a node keeps to itself counts above, too.
    Amount available = 0;  ///< What a queue with all of the node could take now.
    Amount asked = 0;      ///< What is left of the request, once nodes below gave what they keep.
    QuotaRefusal refusal = QuotaRefusal::none;

    [[nodiscard]] Amount borrowed() const { return used > total ? minus(used, total) : 0; }
};

/// From the queue to the root. The first node that refuses is the one to blame: no node refuses if
/// and only if `amount` is available to the queue.
[[nodiscard]] std::vector<QuotaStep> quota_path(const QuotaTree& tree,
                                                QuotaNode queue,
                                                FlavorResource what,
                                                Amount amount);

}  // namespace berth::core::kueue
