#pragma once

#include "schedulers/kai/decide/scenario.hpp"

namespace berth::core::kai {

/// Why a job would lose pods: to a job of its own queue, or to one of another queue.
enum class EvictionKind : std::uint8_t { reclaim, preempt };

/// Whether a job is safe from another one, because it started a short time ago.
///
/// A queue without a time of its own has that of its parent. Of jobs that are reclaimed from, the
/// first queue counts that is not above the other job as well.
[[nodiscard]] bool is_protected(const Session& session,
                                EvictionKind kind,
                                const JobSpec& preemptor,
                                const Job& victim);

/// Whether victims that are protected keep what they need: from these only pods above that may be
/// taken.
[[nodiscard]] bool keeps_min_runtimes(const Session& session,
                                      EvictionKind kind,
                                      const JobSpec& preemptor,
                                      const Scenario& scenario);

}  // namespace berth::core::kai
