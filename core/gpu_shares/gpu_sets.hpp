#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/support/assert.hpp"
#include "core/tree/ids.hpp"

namespace berth::core {

/// The free shares of a server's GPUs, regardless of which device they are on. Servers with equal
/// sets are alike.
using GpuSetId = std::uint32_t;

/// Thousandths of one GPU that are free.
using GpuMilli = std::int32_t;

/// Gives a number to each multiset of free shares that occurs, so that everything derived from it
/// is computed once.
///
/// Shape: ids are dense from 0, which is the set of a server without GPUs.
/// Cost:  O(devices) to look up a set; for each set that ever occurred, 4 bytes for each device and
///        some more.
class GpuSets {
public:
    GpuSets();

    /// The number of the set of these free shares, given in any order; at most 64 shares.
    GpuSetId of(std::span<const GpuMilli> free);
    /// The set after `milli` is taken from a device that has `free` left.
    GpuSetId after_share(GpuSetId set, GpuMilli free, GpuMilli milli);
    /// The set after `count` whole devices are taken.
    GpuSetId after_whole(GpuSetId set, std::size_t count);

    /// The free shares in ascending order. Valid until a set is added.
    [[nodiscard]] std::span<const GpuMilli> free(GpuSetId set) const {
        BERTH_AUDIT(set < entries_.size(), "a set is one that occurred");
        const Entry& entry = entries_[set];
        return {pool_.data() + entry.begin, entry.size};
    }
    /// The sum of the free shares over the devices.
    [[nodiscard]] GpuMilli total(GpuSetId set) const { return entries_[set].total; }
    /// The number of wholly free devices.
    [[nodiscard]] std::uint32_t whole(GpuSetId set) const { return entries_[set].whole; }
    /// Whether `count` devices have `milli` free each.
    [[nodiscard]] bool fits(GpuSetId set, GpuMilli milli, std::uint32_t count) const {
        const std::span<const GpuMilli> shares = free(set);
        return count <= shares.size() && (count == 0 || shares[shares.size() - count] >= milli);
    }
    [[nodiscard]] std::size_t size() const { return entries_.size(); }

private:
    struct Entry {
        std::uint32_t begin = 0;
        std::uint32_t size = 0;
        GpuMilli total = 0;
        std::uint32_t whole = 0;
    };
    GpuSetId of_sorted(std::span<const GpuMilli> free);
    void grow();

    std::vector<Entry> entries_;
    std::vector<GpuMilli> pool_;
    std::vector<std::uint32_t> slots_;  ///< Open addressing: id + 1, or 0.
};

}  // namespace berth::core
