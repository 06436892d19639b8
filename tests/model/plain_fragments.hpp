#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/gpu_shares/gpu_request.hpp"
#include "sim/job/job.hpp"

namespace berth::tests {

struct PlainTypicalPod {
    core::Amount cpu = 0;
    core::GpuRequest gpus;
    double weight = 0;
};

/// The most frequent kinds of pods, until they are so many percent of all.
/// Source: Weng et al., "Beware of Fragmentation" (USENIX ATC 2023), section 3.2.
[[nodiscard]] std::vector<PlainTypicalPod> typical_pods(const std::vector<sim::Job>& jobs,
                                                        std::int64_t percent);

/// What a server's GPUs are to typical pods, in thousandths by class: those that lack both, GPUs
/// or nothing, those that lack CPU; pods without GPUs that fit or not; models that are refused.
/// Order: doubles are added in the order of the pods, as published; noise decides as it does there.
[[nodiscard]] std::array<double, 7> fragment_classes(const std::vector<PlainTypicalPod>& typical,
                                                     const std::vector<core::Amount>& free,
                                                     core::Amount cpu_free,
                                                     const std::string& model);
/// The sum of all but the class that lacks nothing.
[[nodiscard]] double fragment(const std::vector<PlainTypicalPod>& typical,
                              const std::vector<core::Amount>& free,
                              core::Amount cpu_free,
                              const std::string& model);

}  // namespace berth::tests
