#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/tree/topology.hpp"
#include "experiments/program/why/story.hpp"

namespace berth::experiments {

/// A count with its noun, such as `1 job` or `3 jobs`.
[[nodiscard]] std::string times(std::uint64_t count, std::string_view what);

/// All names if there are few, or the first ones and how many more there are.
[[nodiscard]] std::string names_text(const std::vector<std::string>& names, std::size_t shown_max);

/// Such as `quota A`, or `filter` if there is no subject.
[[nodiscard]] std::string stage_text(WhyStage stage, const std::string& subject);

/// Where the members are that started at the same time.
[[nodiscard]] std::string place_text(const core::Topology& tree, const Story& story);

/// Such as ` (4.17 % of the cluster)`; empty for a change that moves no amount.
[[nodiscard]] std::string share_text(const Change& change);

}  // namespace berth::experiments
