#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tree/topology.hpp"
#include "experiments/program/calibrate/paired_jobs.hpp"
#include "experiments/program/calibrate/use_curves.hpp"

namespace berth::experiments {

/// Something in the recording that the experiment's rules do not explain.
struct CalibrationCause {
    std::string name;  ///< `missing-capacity`, `room-but-waits`, `other-order` or `standstill`.
    std::string text;  ///< A sentence that says what was counted, and which rules could explain it.
    std::uint64_t count = 0;  ///< How many jobs or stretches of time it is about.
};

/// What the recording has and the run does not have, with the rules that could explain it: any use
/// beyond the capacity; room that at least one job in a hundred does not take; an order by which
/// 5 % more of the jobs are overtaken than in the run; stretches without a start that last half as
/// long again as in the run.
///
/// Limits: room is counted over the whole cluster, so that a job that fits in sum but on no server
///         counts as one that has room. What jobs outside of the recording hold is not known.
/// Cost:   O(jobs log jobs + jobs hours).
[[nodiscard]] std::vector<CalibrationCause> find_causes(const core::Topology& tree,
                                                        const PairedJobs& pairs,
                                                        const UseOverTime& recorded,
                                                        const UseOverTime& simulated);

}  // namespace berth::experiments
