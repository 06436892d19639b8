#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/gpu_shares/gpu_request.hpp"

namespace berth::core {

/// The gangs of a workload that take the same number of GPUs.
struct TypicalGang {
    std::int64_t gpus = 0;
    std::int64_t weight = 0;
};

/// A request that many pods of a workload share.
struct TypicalPod {
    Amount cpu_milli = 0;
    GpuRequest gpus;
    std::int64_t count = 0;  ///< The number of pods of the workload that ask for it.
    double weight = 0;       ///< The share among the typical pods. The weights sum up to 1.
};

/// The pods that fragmentation is measured by, the most frequent first.
struct TypicalPods {
    std::vector<TypicalPod> pods;
    std::int64_t count = 0;  ///< The number of pods that all of them stand for together.
};

/// Finds the typical pods of a workload. Pods are alike if they ask for the same CPU, GPUs and
/// models; memory does not matter. The most frequent requests are typical, until they cover
/// `percent` of all pods.
///
/// Order:  by descending count, then descending CPU, milli-GPU, number of GPUs, models.
/// Cost:   memory for the distinct requests.
/// Source: Weng et al., "Beware of Fragmentation" (USENIX ATC 2023), section 3.2; the published
///         simulator's GetTypicalPods.
class TypicalPodCounter {
public:
    /// Counts `pods` pods with the same request.
    void add(Amount cpu_milli, const GpuRequest& gpus, std::int64_t pods = 1);
    [[nodiscard]] TypicalPods typical(std::int64_t percent = 95) const;

private:
    using Key = std::tuple<Amount, Amount, std::int64_t, std::string>;
    struct Entry {
        GpuRequest gpus;
        std::int64_t count = 0;
    };
    std::map<Key, Entry> pods_;
    std::int64_t count_ = 0;
};

}  // namespace berth::core
