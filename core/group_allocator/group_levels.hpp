#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/group_allocator/group_amounts.hpp"

namespace berth::core {

/// The groups of a machine from the outermost inwards, and how a request that leaves some of them
/// out is put into these.
///
/// On a machine that has `gpugrp1` around `gpugrp0`, a request for `gpugrp0/A/gpu/0/cards` becomes
/// one for `gpugrp1/0/gpugrp0/A/gpu/0/cards`. Each distinct `gpugrp0` gets a number of its own,
/// above those that the request uses. Any names are allowed; GPUs that are asked for by number are
/// `gpu/0/cards` and so on.
///
/// Cost:   O(requests x levels).
/// Source: Mehrotra, "Group Allocator", section V. The published program knows two levels by fixed
///         names: core/group_allocator/group_translation.hpp.
class GroupLevels {
public:
    explicit GroupLevels(const GroupAmounts& node);

    /// `count` is the number of GPUs in all. GPUs that a request names are part of that count.
    [[nodiscard]] GroupAmounts translate(std::int64_t count, const GroupAmounts& requests) const;
    /// Whether the machine names GPUs one by one.
    [[nodiscard]] bool has_gpus() const { return has_gpus_; }

private:
    using Names = std::vector<std::string>;
    [[nodiscard]] const Names& complete(const Names& names) const;

    /// The group names on the path from the outermost group to each location.
    std::set<Names> paths_;
    bool has_gpus_ = false;
};

}  // namespace berth::core
