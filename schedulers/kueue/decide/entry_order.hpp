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

/// All entries in one order: first those that borrow lower in the tree, then by priority, then by
/// age. With fair sharing: the winner of the tournament in the tree of the queue whose name comes
/// first.
///
/// `cache` and `order` outlive the result.
[[nodiscard]] std::unique_ptr<EntryOrder> make_entry_order(Cache& cache,
                                                           const WorkloadOrder& order,
                                                           std::vector<Entry> entries);

}  // namespace berth::core::kueue
