#include "core/gpu_shares/gpu_sets.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/support/assert.hpp"
#include "core/tree/device_names.hpp"

namespace berth::core {
namespace {

constexpr auto whole_device = static_cast<GpuMilli>(gpu_whole_milli);

std::size_t hash_of(std::span<const GpuMilli> free) {
    std::uint64_t hash = 0x9E3779B97F4A7C15U;
    for (const GpuMilli share : free) {
        hash = (hash ^ static_cast<std::uint64_t>(share)) * 0xD1342543DE82EF95U;
        hash ^= hash >> 32;
    }
    return hash;
}

using Shares = std::array<GpuMilli, devices_of_type_max>;

}  // namespace

GpuSets::GpuSets() : slots_(1024) {
    (void)of_sorted({});
}

GpuSetId GpuSets::of(std::span<const GpuMilli> free) {
    BERTH_ASSERT(free.size() <= devices_of_type_max,
                 "a set has as many devices as a mask can name");
    Shares sorted;
    std::ranges::copy(free, sorted.begin());
    const std::span shares(sorted.data(), free.size());
    std::ranges::sort(shares);
    return of_sorted(shares);
}

GpuSetId GpuSets::after_share(GpuSetId set, GpuMilli free, GpuMilli milli) {
    Shares shares;
    const std::span before = this->free(set);
    const std::size_t at =
        static_cast<std::size_t>(std::ranges::lower_bound(before, free) - before.begin());
    BERTH_ASSERT(at < before.size() && before[at] == free, "a device of the set");
    BERTH_AUDIT(milli >= 0 && milli <= free, "a share is taken of what is free");
    // What is left of the device moves down to its place in the order.
    const auto to = std::min(
        at,  // the case that nothing is taken
        static_cast<std::size_t>(std::ranges::upper_bound(before, free - milli) - before.begin()));
    std::ranges::copy(before.first(to), shares.begin());
    shares[to] = free - milli;
    std::ranges::copy(before.subspan(to, at - to), shares.begin() + static_cast<long>(to) + 1);
    std::ranges::copy(before.subspan(at + 1), shares.begin() + static_cast<long>(at) + 1);
    return of_sorted({shares.data(), before.size()});
}

GpuSetId GpuSets::after_whole(GpuSetId set, std::size_t count) {
    Shares shares{};
    const std::span before = free(set);
    BERTH_ASSERT(count <= whole(set), "whole devices of the set");
    std::ranges::copy(before.first(before.size() - count),
                      shares.begin() + static_cast<long>(count));
    return of_sorted({shares.data(), before.size()});
}

GpuSetId GpuSets::of_sorted(std::span<const GpuMilli> free) {
    BERTH_AUDIT(std::ranges::is_sorted(free), "equal sets are written alike");
    BERTH_AUDIT(free.empty() || (free.front() >= 0 && free.back() <= whole_device),
                "no more of a device is free than all of it");
    for (std::size_t slot = hash_of(free) & (slots_.size() - 1);;
         slot = (slot + 1) & (slots_.size() - 1)) {
        if (slots_[slot] == 0) {
            const auto id = static_cast<GpuSetId>(entries_.size());
            slots_[slot] = id + 1;
            entries_.push_back(
                {static_cast<std::uint32_t>(pool_.size()),
                 static_cast<std::uint32_t>(free.size()),
                 std::accumulate(free.begin(), free.end(), GpuMilli{0}),
                 static_cast<std::uint32_t>(std::ranges::count(free, whole_device))});
            pool_.insert(pool_.end(), free.begin(), free.end());
            if (entries_.size() * 2 > slots_.size()) {
                grow();
            }
            return id;
        }
        if (std::ranges::equal(this->free(slots_[slot] - 1), free)) {
            return slots_[slot] - 1;
        }
    }
}

void GpuSets::grow() {
    slots_.assign(slots_.size() * 4, 0);
    for (GpuSetId id = 0; id < entries_.size(); ++id) {
        std::size_t slot = hash_of(free(id)) & (slots_.size() - 1);
        while (slots_[slot] != 0) {
            slot = (slot + 1) & (slots_.size() - 1);
        }
        slots_[slot] = id + 1;
    }
}

}  // namespace berth::core
