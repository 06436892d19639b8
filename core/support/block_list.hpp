#pragma once

#include <cstddef>
#include <vector>

#include "core/support/huge_pages.hpp"

namespace berth::core {

/// A list that grows at its end and is read here and there, in blocks of a huge page each: of many
/// values none moves again, and their addresses fit into the processor's cache of them. The first
/// block grows twofold, so that a short list holds little.
///
/// Cost: O(1), amortised where values are added; 24 bytes for each block.
template <class T>
class BlockList {
public:
    T& emplace_back() {
        if (blocks_.empty()) {
            blocks_.emplace_back();
        } else if (blocks_.back().size() == per_block) {
            blocks_.emplace_back().reserve(per_block);
        }
        return blocks_.back().emplace_back();
    }
    [[nodiscard]] std::size_t size() const {
        return empty() ? 0 : (blocks_.size() - 1) * per_block + blocks_.back().size();
    }
    [[nodiscard]] bool empty() const { return blocks_.empty(); }
    [[nodiscard]] T& operator[](std::size_t at) { return blocks_[at / per_block][at % per_block]; }
    [[nodiscard]] const T& operator[](std::size_t at) const {
        return blocks_[at / per_block][at % per_block];
    }
    /// Calls `visit` with each, in their order.
    template <class Visit>
    void each(Visit visit) const {
        for (const auto& block : blocks_) {
            for (const T& value : block) {
                visit(value);
            }
        }
    }

private:
    static constexpr std::size_t per_block = huge_page / sizeof(T);

    std::vector<std::vector<T, HugePages<T>>> blocks_;
};

}  // namespace berth::core
