#pragma once

#include <cstdint>
#include <string_view>

#include "schedulers/kueue/decide/cluster_queue.hpp"

namespace berth::core::kueue {

/// How a workload could be admitted, from the worst to the best.
enum class AssignmentMode : std::uint8_t {
    no_fit,
    preempt,  ///< It could be admitted if others were preempted for it.
    /// It can be admitted once the workloads that are preempted for another one have stopped.
    deferred_fit,
    fit,
};
[[nodiscard]] std::string_view to_string(AssignmentMode mode);

/// How well one flavor would do, from the worst to the best.
enum class FlavorFit : std::uint8_t { no_fit, no_candidates, preempt, reclaim, fit };

/// How well a flavor would do, and how high in the tree it would borrow.
struct FlavorMode {
    FlavorFit fit = FlavorFit::no_fit;
    std::int64_t height = 0;
};

[[nodiscard]] AssignmentMode assignment_mode(FlavorFit fit);
/// Whether `a` is better than `b` for a queue. Of equal modes, neither is better.
[[nodiscard]] bool is_preferred(FlavorMode a, FlavorMode b, const FlavorFungibility& rules);
/// Whether the next flavor is to be tried although this one was found.
[[nodiscard]] bool tries_next(FlavorMode mode, const FlavorFungibility& rules);

}  // namespace berth::core::kueue
