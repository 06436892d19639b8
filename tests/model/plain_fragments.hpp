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

/// The most frequent kinds of pods that together make up this percentage of all pods.
/// Source: Weng et al., "Beware of Fragmentation" (USENIX ATC 2023), section 3.2.
[[nodiscard]] std::vector<PlainTypicalPod> typical_pods(const std::vector<sim::Job>& jobs,
                                                        std::int64_t percent);

/// What a server's GPUs are worth to typical pods, in thousandths by class: pods that lack both CPU
/// and GPUs, only GPUs, nothing, or only CPU; pods without GPUs that fit or do not; models that are
/// refused.
/// Order: doubles are added in the order of the pods, as published; their noise decides as it does
/// there.
[[nodiscard]] std::array<double, 7> fragment_classes(const std::vector<PlainTypicalPod>& typical,
                                                     const std::vector<core::Amount>& free,
                                                     core::Amount cpu_free,
                                                     const std::string& model);
/// The sum of all classes except the one that lacks nothing.
[[nodiscard]] double fragment(const std::vector<PlainTypicalPod>& typical,
                              const std::vector<core::Amount>& free,
                              core::Amount cpu_free,
                              const std::string& model);

}  // namespace berth::tests
