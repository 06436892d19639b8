#include "core/allocation_candidates/provider_forest.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::core {

std::optional<ProviderIndex> ProviderForest::find(std::string_view uuid) const {
    const auto found = std::ranges::lower_bound(
        by_rank_, uuid, {}, [&](ProviderIndex provider) { return this->uuid(provider); });
    return found != by_rank_.end() && this->uuid(*found) == uuid ? std::optional(*found)
                                                                 : std::nullopt;
}

const InventoryRow* ProviderForest::inventory(ProviderIndex provider, ClassIndex type) const {
    const auto rows = inventories(provider);
    const auto found = std::ranges::find(rows, type, &InventoryRow::resource_class);
    return found != rows.end() ? &*found : nullptr;
}

bool ProviderForest::is_sharing(ProviderIndex provider) const {
    return std::ranges::binary_search(sharing_, provider);
}

void ProviderForest::add_usage(ProviderIndex provider, ClassIndex type, Amount amount) {
    BERTH_ASSERT(provider < provider_count(), "a provider is one of the forest's");
    const InventoryRow* row = inventory(provider, type);
    BERTH_ASSERT(row != nullptr && row->used + amount >= 0, "what is given back was taken");
    rows_[static_cast<std::size_t>(row - rows_.data())].used += amount;
    const TreeIndex tree = tree_of_[provider];
    Amount most = row->capacity - row->used;
    for (ProviderIndex other = root(tree); other < tree_end(tree); ++other) {
        if (const InventoryRow* theirs = inventory(other, type)) {
            most = std::max(most, theirs->capacity - theirs->used);
        }
    }
    max_free_[type].set(tree, most);
}

}  // namespace berth::core
