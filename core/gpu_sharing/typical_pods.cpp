#include "core/gpu_sharing/typical_pods.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/assert.hpp"
#include "core/support/text.hpp"

namespace berth::core {

void TypicalPodCounter::add(Amount cpu_milli, const GpuRequest& gpus, std::int64_t pods) {
    BERTH_ASSERT(pods >= 0, "pods are counted, and none is taken back");
    BERTH_ASSERT(gpus.count >= 0 && gpus.milli >= 0 && gpus.milli <= gpu_whole_milli,
                 "of each device, a pod asks for all of it at most");
    const std::string models = join(gpus.models, "|");
    Entry& entry = pods_[{cpu_milli, gpus.milli, gpus.count, models}];
    entry.gpus = gpus;
    entry.count += pods;
    count_ += pods;
}

TypicalPods TypicalPodCounter::typical(std::int64_t percent) const {
    BERTH_ASSERT(percent >= 0 && percent <= 100, "a part of the pods is typical");
    std::vector<TypicalPod> ranked;
    for (const auto& [key, entry] : pods_) {
        ranked.push_back({std::get<0>(key), entry.gpus, entry.count, 0});
    }
    std::ranges::reverse(ranked);  // the map is in ascending order
    std::ranges::stable_sort(ranked, std::greater(), &TypicalPod::count);

    TypicalPods typical;
    for (TypicalPod& pod : ranked) {
        if (typical.count * 100 >= percent * count_) {
            break;
        }
        typical.count += pod.count;
        typical.pods.push_back(std::move(pod));
    }
    BERTH_ASSERT(typical.count <= count_, "no more pods are typical than there are");
    // There are two divisions, so that rounding is the same as in the published program.
    const auto all = static_cast<double>(count_);
    const double covered = static_cast<double>(typical.count) / all;
    for (TypicalPod& pod : typical.pods) {
        pod.weight = static_cast<double>(pod.count) / all;
        if (typical.pods.size() < ranked.size()) {
            pod.weight /= covered;
        }
    }
    return typical;
}

}  // namespace berth::core
