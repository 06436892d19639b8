#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "schedulers/kueue/decide/cycle.hpp"

namespace berth::core::kueue {

/// The order in which a cycle takes its entries. It may depend on what was taken before.
class EntryOrder {
public:
    virtual ~EntryOrder() = default;
    /// The entry to take next; nothing once all were.
    [[nodiscard]] virtual std::optional<Entry> pop() = 0;
};

/// All entries at once: who borrows lower in the tree first, then by priority, then by age.
/// With fair sharing: the winner of the tournament of the first queue's tree, by names.
///
/// `cache` and `order` outlive it.
[[nodiscard]] std::unique_ptr<EntryOrder> make_entry_order(Cache& cache,
                                                           const WorkloadOrder& order,
                                                           std::vector<Entry> entries);

}  // namespace berth::core::kueue
