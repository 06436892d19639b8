#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/group_allocator/group_amounts.hpp"

namespace berth::core {

/// Requests may name lower groups alone: `gpu/0/cards`, or even just a number of GPUs. Translation
/// adds the groups that the node has above them.
///
/// Source: Mehrotra, "Group Allocator", section V; KubeDevice at d4c0b77, grpalloc
///         TranslateResource, and KubeGPU's gpuplugintypes TranslateGPUResources, whose regular
///         expressions are matched by hand here, quirks included.
/// Limits: names with a line break, which those expressions treat apart, are the caller's to
///         refuse.

/// One step up: names of `next` that no `here` encloses get one.
struct GroupStage {
    std::string_view here;  ///< With its slashes: `/gpugrp0/`.
    std::string_view next;  ///< With its slashes: `/gpu/`.

    /// What stands between the last `here` that a `next` follows and the first such `next`, if
    /// the name has both. `next` counts as soon as a part begins with it: of `/gpu/`, `/gpugrp0`
    /// and `/gpux` too.
    [[nodiscard]] std::optional<std::string_view> enclosing(std::string_view name) const;
};

/// Puts every request for `stage.next` that stands in no `stage.here` into one: a number each
/// index of `next`, given in byte order, from above the numbers in use. Two requests for the same
/// index get one number, also where different groups enclose them.
///
/// Returns: whether any name changed; `requests` stays sorted. Should two names become one, the
///          later one's amount stays.
/// Cost:    O(R log R) in requests.
/// The caller has seen that the node has a name which the stage encloses.
bool translate_stage(const GroupStage& stage, GroupAmountList& requests);

/// Which of the GPUs and the two group levels above them a node's names show: computed once per
/// node, for translate_gpu_requests().
struct GpuLevels {
    bool gpu = false;     ///< `resource/group.../gpu/<i>/cards`.
    bool group0 = false;  ///< `.../gpugrp0/<i>/gpu...`.
    bool group1 = false;  ///< `.../gpugrp1/<i>/gpugrp0...`.

    /// Takes one more name of the node into account.
    void see(std::string_view name);

    friend bool operator==(const GpuLevels&, const GpuLevels&) = default;
};
[[nodiscard]] GpuLevels gpu_levels(const GroupAmounts& node);
/// The levels of a node that has both: a node that advertises less is lifted to these.
inline constexpr GpuLevels all_gpu_levels{true, true, true};

/// A container's requests for a node: cards added until there are `count`, then each put into a
/// `gpugrp0`, and each of those into a `gpugrp1`, where the node has such levels. A node without
/// cards changes nothing. Cards asked for by number alone get a group each, so nothing is
/// demanded of their neighbourhood.
///
/// Shape:   `requests` in byte order. A name with cards counts as one of `count`, whatever its
///          amount. A count of 0 or less asks for no more.
/// Returns: the requests in byte order.
/// Cost:    O(R log R); for a number alone, one string a GPU: 8 GPUs 0.3 us, 1 GPU 0.07 us.
[[nodiscard]] GroupAmountList translate_gpu_requests(std::int64_t count,
                                                     const GpuLevels& levels,
                                                     const GroupAmountList& requests);

}  // namespace berth::core
