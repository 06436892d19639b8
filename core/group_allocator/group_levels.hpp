#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/group_allocator/group_amounts.hpp"

namespace berth::core {

/// The groups of a machine from the outermost inwards, and how a request that leaves some of them
/// out is put into them.
///
/// A request for `gpugrp0/A/gpu/0/cards` on a machine that has `gpugrp1` around `gpugrp0` becomes
/// one for `gpugrp1/0/gpugrp0/A/gpu/0/cards`: a number of its own for each differing `gpugrp0`,
/// above those that the request uses. Names may be any; GPUs asked for by number are `gpu/0/cards`
/// and so on.
///
/// Cost:   O(requests x levels).
/// Source: Mehrotra, "Group Allocator", section V. The published program knows two levels by fixed
///         names: core/group_allocator/group_translation.hpp.
class GroupLevels {
public:
    explicit GroupLevels(const GroupAmounts& node);

    /// `count` is of GPUs in all; a request that names some of them counts for those.
    [[nodiscard]] GroupAmounts translate(std::int64_t count, const GroupAmounts& requests) const;
    /// Whether the machine names GPUs one by one.
    [[nodiscard]] bool has_gpus() const { return has_gpus_; }

private:
    using Names = std::vector<std::string>;
    [[nodiscard]] const Names& complete(const Names& names) const;

    std::set<Names> paths_;  ///< The names of groups from the outermost to each location.
    bool has_gpus_ = false;
};

}  // namespace berth::core
