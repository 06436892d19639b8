#pragma once

#include <cstddef>
#include <vector>

#include "core/support/huge_pages.hpp"

namespace berth::core {

/// A list that grows at its end and is read in random order. Its blocks fill a huge page each, so
/// that values never move again once there are many, and the processor's cache of addresses has
/// room for all of them. The first block doubles its size as it grows, so that a short list takes
/// little memory.
///
/// Cost: O(1), amortised for adding a value; 24 bytes for each block.
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
    /// Calls `visit` with each value in order.
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
