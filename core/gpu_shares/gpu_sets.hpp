#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/support/assert.hpp"
#include "core/tree/ids.hpp"

namespace berth::core {

/// What is free of a server's GPUs, whichever device it is on: servers with equal sets are alike.
using GpuSetId = std::uint32_t;

/// Thousandths that are free of one GPU.
using GpuMilli = std::int32_t;

/// Gives a number to each multiset of free shares that occurs, so that what follows from it is
/// worked out once.
///
/// Shape:  ids are dense from 0, which is the set of a server without GPUs.
/// Cost:   O(devices) to look a set up; 4 bytes a device and some for each that ever occurred.
class GpuSets {
public:
    GpuSets();

    /// The number of the set of these shares, in any order; at most 64.
    GpuSetId of(std::span<const GpuMilli> free);
    /// The set after `milli` is taken of a device of which `free` is free.
    GpuSetId after_share(GpuSetId set, GpuMilli free, GpuMilli milli);
    /// The set after `count` whole devices are taken.
    GpuSetId after_whole(GpuSetId set, std::size_t count);

    /// Ascending. Valid until a set is added.
    [[nodiscard]] std::span<const GpuMilli> free(GpuSetId set) const {
        BERTH_AUDIT(set < entries_.size(), "a set is one that occurred");
        const Entry& entry = entries_[set];
        return {pool_.data() + entry.begin, entry.size};
    }
    /// The sum over the devices.
    [[nodiscard]] GpuMilli total(GpuSetId set) const { return entries_[set].total; }
    /// Devices of which everything is free.
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
