#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/support/huge_pages.hpp"

namespace berth::core {

/// Values that are made one after the other and keep their address until all are freed at once.
/// They lie in blocks that double in size, up to a huge page. A few values thus take little memory,
/// and the addresses of many fit into the processor's cache of addresses.
///
/// Cost: O(1) amortised; 24 bytes for each block.
template <class T>
class StableBlocks {
public:
    /// Adds a default-constructed value. Its address is valid until clear().
    T& add() {
        if (blocks_.empty() || blocks_.back().size() == blocks_.back().capacity()) {
            add_block();
        }
        return blocks_.back().emplace_back();
    }
    /// Frees the memory of all values.
    void clear() { blocks_ = {}; }

private:
    void add_block() {
        constexpr std::size_t most = std::max<std::size_t>(huge_page / sizeof(T), 1);
        constexpr std::size_t first_bytes = 8192;
        constexpr std::size_t least = std::clamp<std::size_t>(first_bytes / sizeof(T), 1, most);
        const std::size_t values =
            blocks_.empty() ? least : std::min(2 * blocks_.back().size(), most);
        blocks_.emplace_back().reserve(values);
    }

    std::vector<std::vector<T, HugePages<T>>> blocks_;
};

}  // namespace berth::core
