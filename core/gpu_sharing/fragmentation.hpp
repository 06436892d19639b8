#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/gpu_shares/gpu_models.hpp"
#include "core/gpu_shares/gpu_sets.hpp"
#include "core/gpu_sharing/typical_pods.hpp"

namespace berth::core {

/// The class of a server's free GPUs from the view of a typical pod.
enum class FragmentClass : std::uint8_t {
    q1_lack_both,  ///< Neither the devices nor the CPU suffice.
    q2_lack_gpu,
    q3_satisfied,  ///< The only class of GPUs that is not a fragment.
    q4_lack_cpu,
    xl_satisfied,  ///< The pod asks for no GPU and for no more CPU than is free.
    xr_lack_cpu,   ///< The pod asks for no GPU but for more CPU than is free.
    no_access,     ///< The pod does not accept the GPU model.
};
inline constexpr std::size_t fragment_class_count = 7;
/// The name of a class: `q1_lack_both`, ...
[[nodiscard]] std::string_view to_string(FragmentClass value);

/// One amount for each class.
template <class T>
using ByFragmentClass = std::array<T, fragment_class_count>;

/// Measures the fragmentation of servers: the free GPUs that typical pods cannot use, weighted by
/// pod.
///
/// Units:  milli-GPU.
/// Order:  doubles are added in the order of the typical pods and then of the classes, so that
///         scores that differ only by rounding noise differ as in the published simulator.
/// Cost:   fragment() is a look-up after the first call with the same arguments, and O(typical
///         pods) otherwise.
/// Source: Weng et al., "Beware of Fragmentation" (USENIX ATC 2023), section 3; the published
///         simulator's NodeGpuShareFragAmount.
class Fragmentation {
public:
    /// All arguments outlive this object.
    Fragmentation(const TypicalPods& typical, const GpuSets& sets, const GpuModels& models);

    /// How much CPU is free, as far as typical pods can tell: the number of their distinct CPU
    /// requests that fit into it.
    [[nodiscard]] std::uint32_t cpu_rank(Amount cpu_free) const;
    /// The sum over all classes but q3_satisfied.
    [[nodiscard]] double fragment(GpuSetId set, std::uint32_t cpu_rank, std::uint32_t model);
    [[nodiscard]] ByFragmentClass<double> by_class(GpuSetId set,
                                                   std::uint32_t cpu_rank,
                                                   std::uint32_t model);
    /// The same times count(), as exact integers.
    [[nodiscard]] ByFragmentClass<std::int64_t> counted_by_class(GpuSetId set,
                                                                 std::uint32_t cpu_rank,
                                                                 std::uint32_t model);
    /// The number of pods that the typical pods stand for together.
    [[nodiscard]] std::int64_t count() const { return count_; }

private:
    /// A typical pod, with its requests as positions among the distinct requests.
    struct Pod {
        std::uint32_t cpu = 0;    ///< The lowest CPU rank that satisfies the pod.
        std::uint32_t milli = 0;  ///< The position in millis_, for a pod that asks for GPUs.
        std::uint32_t devices = 0;
        std::int64_t count = 0;
        double weight = 0;
    };
    /// The devices of one set, seen by one of the distinct requests of milli-GPU.
    struct Room {
        std::uint32_t devices = 0;  ///< The number of devices with at least that much free.
        GpuMilli below = 0;         ///< The sum of what is free on the other devices.
    };
    [[nodiscard]] std::span<const Room> rooms(GpuSetId set);
    /// Calls add(class, pod, amount) for each part of the free GPUs.
    template <class Add>
    void split(GpuSetId set, std::uint32_t cpu_rank, std::uint32_t model, Add add);

    const GpuSets& sets_;
    std::vector<Pod> pods_;
    std::int64_t count_ = 0;
    static constexpr Amount cpu_step_milli = 512;
    std::vector<Amount> cpus_;  ///< The distinct CPU requests, ascending.
    /// For each step of CPU, how many of these requests are below it.
    std::vector<std::uint32_t> rank_at_step_;
    std::vector<GpuMilli> millis_;  ///< The distinct milli-GPU requests, ascending.
    std::vector<Room> rooms_;       ///< A row by milli-GPU request for each set.
    std::size_t sets_seen_ = 0;
    /// For each access class, whether each typical pod accepts it.
    std::vector<std::vector<char>> accepts_;
    std::vector<std::uint32_t> access_;  ///< The access class of each model.
    /// For each access class, the fragments by set and rank; NaN: not computed yet.
    std::vector<std::vector<double>> fragments_;
};

}  // namespace berth::core
