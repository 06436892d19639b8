#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/gpu_shares/gpu_models.hpp"
#include "core/gpu_shares/gpu_sets.hpp"
#include "core/gpu_sharing/typical_pods.hpp"

namespace berth::core {

/// What the free GPUs of a server are to a typical pod.
enum class FragmentClass : std::uint8_t {
    q1_lack_both,  ///< Neither the devices nor the CPU suffice.
    q2_lack_gpu,
    q3_satisfied,  ///< The only GPUs that are no fragment.
    q4_lack_cpu,
    xl_satisfied,  ///< The pod asks for no GPU, and for no more CPU than there is.
    xr_lack_cpu,   ///< It asks for no GPU, and for more CPU.
    no_access,     ///< It does not accept the model.
};
inline constexpr std::size_t fragment_class_count = 7;
/// `q1_lack_both`, ...
[[nodiscard]] std::string_view to_string(FragmentClass value);

/// Amounts by class.
template <class T>
using ByFragmentClass = std::array<T, fragment_class_count>;

/// Measures the fragmentation of servers: the free GPUs that typical pods, each by its weight,
/// cannot use.
///
/// Units:  milli-GPU.
/// Order:  doubles are added in the order of the typical pods, then of the classes, so that scores
///         that differ by noise alone differ as in the published simulator.
/// Cost:   fragment() is a look-up once it was asked; otherwise O(typical pods).
/// Source: Weng et al., "Beware of Fragmentation" (USENIX ATC 2023), section 3; the published
///         simulator's NodeGpuShareFragAmount.
class Fragmentation {
public:
    /// Everything outlives this.
    Fragmentation(const TypicalPods& typical, const GpuSets& sets, const GpuModels& models);

    /// How much CPU is free, as far as typical pods can tell: how many of their distinct CPU
    /// requests are within it.
    [[nodiscard]] std::uint32_t cpu_rank(Amount cpu_free) const;
    /// The sum over all classes but q3.
    [[nodiscard]] double fragment(GpuSetId set, std::uint32_t cpu_rank, std::uint32_t model);
    [[nodiscard]] ByFragmentClass<double> by_class(GpuSetId set,
                                                   std::uint32_t cpu_rank,
                                                   std::uint32_t model);
    /// The same times count(), as an exact integer.
    [[nodiscard]] ByFragmentClass<std::int64_t> counted_by_class(GpuSetId set,
                                                                 std::uint32_t cpu_rank,
                                                                 std::uint32_t model);
    /// Of all typical pods.
    [[nodiscard]] std::int64_t count() const { return count_; }

private:
    /// A typical pod, with its requests as positions among the distinct ones.
    struct Pod {
        std::uint32_t cpu = 0;    ///< Satisfied from this rank on.
        std::uint32_t milli = 0;  ///< Position in millis_; of a pod that asks for GPUs.
        std::uint32_t devices = 0;
        std::int64_t count = 0;
        double weight = 0;
    };
    /// Of one set, for one of the distinct requests of milli-GPU.
    struct Room {
        std::uint32_t devices = 0;  ///< With at least so much free.
        GpuMilli below = 0;         ///< The sum over the others.
    };
    [[nodiscard]] std::span<const Room> rooms(GpuSetId set);
    /// Calls add(class, pod, amount) for each part of the free GPUs.
    template <class Add>
    void split(GpuSetId set, std::uint32_t cpu_rank, std::uint32_t model, Add add);

    const GpuSets& sets_;
    std::vector<Pod> pods_;
    std::int64_t count_ = 0;
    static constexpr Amount cpu_step_milli = 512;
    std::vector<Amount> cpus_;                 ///< Distinct, ascending.
    std::vector<std::uint32_t> rank_at_step_;  ///< How many of them are below each step.
    std::vector<GpuMilli> millis_;             ///< Distinct, ascending.
    std::vector<Room> rooms_;                  ///< By set, then by milli.
    std::size_t sets_seen_ = 0;
    std::vector<std::vector<char>> accepts_;      ///< By access class, then by pod.
    std::vector<std::uint32_t> access_;           ///< Of a model: its access class.
    std::vector<std::vector<double>> fragments_;  ///< By access class; by set and rank; or NaN.
};

}  // namespace berth::core
