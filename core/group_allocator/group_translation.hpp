#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/group_allocator/group_amounts.hpp"

namespace berth::core {

/// Requests may name only lower groups: `gpu/0/cards`, or even just a number of GPUs. Translation
/// adds the groups that the node has above them.
///
/// Source: Mehrotra, "Group Allocator", section V; KubeDevice at d4c0b77, grpalloc
///         TranslateResource, and KubeGPU's gpuplugintypes TranslateGPUResources, whose regular
///         expressions are matched by hand here, including their quirks.
/// Limits: the caller has to refuse names with a line break, which those expressions treat
///         differently.

/// One step of the translation: names of `next` that no `here` encloses get one.
struct GroupStage {
    std::string_view here;  ///< The name with its slashes: `/gpugrp0/`.
    std::string_view next;  ///< The name with its slashes: `/gpu/`.

    /// What stands between the last `here` that a `next` follows and the first such `next`, if the
    /// name has both. `next` counts as soon as a part begins with it: `/gpu/` is also found in
    /// `/gpugrp0` and `/gpux`.
    [[nodiscard]] std::optional<std::string_view> enclosing(std::string_view name) const;
};

/// Puts every request for `stage.next` that is in no `stage.here` into one. Each index of `next`,
/// in byte order, gets a number above the numbers in use. Two requests for the same index get one
/// number, even if different groups enclose them.
///
/// Returns: whether any name changed; `requests` stays sorted. If two names become one, the amount
///          of the later one stays.
/// Cost:    O(R log R) for R requests.
/// The caller has checked that the node has a name that the stage encloses.
bool translate_stage(const GroupStage& stage, GroupAmountList& requests);

/// Which of the GPU level and the two group levels above it the names of a node show. Computed once
/// for each node, for translate_gpu_requests().
struct GpuLevels {
    bool gpu = false;     ///< `resource/group.../gpu/<i>/cards`.
    bool group0 = false;  ///< `.../gpugrp0/<i>/gpu...`.
    bool group1 = false;  ///< `.../gpugrp1/<i>/gpugrp0...`.

    /// Takes one more name of the node into account.
    void see(std::string_view name);

    friend bool operator==(const GpuLevels&, const GpuLevels&) = default;
};
[[nodiscard]] GpuLevels gpu_levels(const GroupAmounts& node);
/// The levels of a node that has both group levels. A node that advertises fewer is treated as if
/// it had these.
inline constexpr GpuLevels all_gpu_levels{true, true, true};

/// A container's requests for a node: cards are added until there are `count`, then each is put
/// into a `gpugrp0`, and each of those into a `gpugrp1`, if the node has such levels. A node
/// without cards changes nothing. Cards that are asked for only by number get a group each, so
/// nothing is demanded of their neighbourhood.
///
/// Shape:   `requests` are in byte order. A name with cards counts as one of `count`, whatever its
///          amount. A count of 0 or less asks for no more cards.
/// Returns: the requests in byte order.
/// Cost:    O(R log R) for R requests; for a number alone, one string for each GPU: 8 GPUs 0.3 us,
///          1 GPU 0.07 us.
[[nodiscard]] GroupAmountList translate_gpu_requests(std::int64_t count,
                                                     const GpuLevels& levels,
                                                     const GroupAmountList& requests);

}  // namespace berth::core
