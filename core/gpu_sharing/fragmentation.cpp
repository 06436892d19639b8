#include "core/gpu_sharing/fragmentation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

template <class T>
void sort_unique(std::vector<T>& values) {
    std::ranges::sort(values);
    const auto rest = std::ranges::unique(values);
    values.erase(rest.begin(), rest.end());
}

template <class T>
std::uint32_t position(const std::vector<T>& values, T value) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(values, value) - values.begin());
}

constexpr std::size_t index(FragmentClass value) {
    return static_cast<std::size_t>(value);
}

}  // namespace

std::string_view to_string(FragmentClass value) {
    constexpr std::array<std::string_view, fragment_class_count> names{"q1_lack_both",
                                                                       "q2_lack_gpu",
                                                                       "q3_satisfied",
                                                                       "q4_lack_cpu",
                                                                       "xl_satisfied",
                                                                       "xr_lack_cpu",
                                                                       "no_access"};
    return names[index(value)];
}

Fragmentation::Fragmentation(const TypicalPods& typical,
                             const GpuSets& sets,
                             const GpuModels& models)
    : sets_(sets), count_(typical.count) {
    for (const TypicalPod& pod : typical.pods) {
        cpus_.push_back(pod.cpu_milli);
        if (pod.gpus.count > 0) {
            millis_.push_back(static_cast<GpuMilli>(pod.gpus.milli));
        }
    }
    sort_unique(cpus_);
    sort_unique(millis_);
    for (const TypicalPod& pod : typical.pods) {
        pods_.push_back({position(cpus_, pod.cpu_milli) + 1,
                         position(millis_, static_cast<GpuMilli>(pod.gpus.milli)),
                         static_cast<std::uint32_t>(pod.gpus.count),
                         pod.count,
                         pod.weight});
    }
    constexpr std::size_t steps_max = 1 << 16;
    for (std::size_t step = 0; !cpus_.empty() && step < steps_max; ++step) {
        const auto cpu = static_cast<Amount>(step) * cpu_step_milli;
        rank_at_step_.push_back(position(cpus_, cpu));
        if (cpu > cpus_.back()) {
            break;
        }
    }
    // Models that the same pods accept are alike, and share an access class.
    for (std::size_t model = 0; model < models.names().size(); ++model) {
        std::vector<char> accepts;
        for (const TypicalPod& pod : typical.pods) {
            accepts.push_back(models.accepted(pod.gpus)[model]);
        }
        const auto known = std::ranges::find(accepts_, accepts);
        access_.push_back(static_cast<std::uint32_t>(known - accepts_.begin()));
        if (known == accepts_.end()) {
            accepts_.push_back(std::move(accepts));
        }
    }
    fragments_.resize(accepts_.size());
    BERTH_ASSERT(
        std::accumulate(pods_.begin(),
                        pods_.end(),
                        std::int64_t{0},
                        [](std::int64_t sum, const Pod& pod) { return sum + pod.count; }) == count_,
        "the typical pods are counted together");
}

/// This is asked for every server that changed and for every shape, so it takes a look-up in a
/// table of steps and then a few comparisons.
std::uint32_t Fragmentation::cpu_rank(Amount cpu_free) const {
    if (cpu_free < 0 || rank_at_step_.empty()) {
        return 0;
    }
    const auto step = static_cast<std::size_t>(cpu_free / cpu_step_milli);
    std::uint32_t rank = rank_at_step_[std::min(step, rank_at_step_.size() - 1)];
    while (rank < cpus_.size() && cpus_[rank] <= cpu_free) {
        ++rank;
    }
    return rank;
}

/// For each distinct request of milli-GPU, how many devices have that much free, and how much is
/// free on the others.
std::span<const Fragmentation::Room> Fragmentation::rooms(GpuSetId set) {
    for (; sets_seen_ <= set; ++sets_seen_) {
        const auto free = sets_.free(static_cast<GpuSetId>(sets_seen_));
        std::size_t device = 0;
        GpuMilli below = 0;
        for (const GpuMilli milli : millis_) {
            for (; device < free.size() && free[device] < milli; ++device) {
                below += free[device];
            }
            rooms_.push_back({static_cast<std::uint32_t>(free.size() - device), below});
        }
    }
    return {rooms_.data() + set * millis_.size(), millis_.size()};
}

template <class Add>
void Fragmentation::split(GpuSetId set, std::uint32_t cpu_rank, std::uint32_t model, Add add) {
    BERTH_AUDIT(set < sets_.size(), "a set is one that occurred");
    BERTH_AUDIT(cpu_rank <= cpus_.size(),
                "no more requests are within what is free than there are");
    BERTH_AUDIT(model < access_.size(), "a model is one of the cluster's");
    const GpuMilli total = sets_.total(set);
    const std::span<const Room> by_milli = rooms(set);
    const std::vector<char>& accepted = accepts_[access_[model]];
    for (std::size_t i = 0; i < pods_.size(); ++i) {
        const Pod& pod = pods_[i];
        const bool cpu = cpu_rank >= pod.cpu;
        if (pod.devices == 0) {
            add(cpu ? FragmentClass::xl_satisfied : FragmentClass::xr_lack_cpu, pod, total);
            continue;
        }
        if (accepted[i] == 0) {
            add(FragmentClass::no_access, pod, total);
            continue;
        }
        const Room& room = by_milli[pod.milli];
        const bool gpu = room.devices >= pod.devices;
        if (gpu && cpu) {
            add(FragmentClass::q2_lack_gpu, pod, room.below);
            add(FragmentClass::q3_satisfied, pod, total - room.below);
        } else if (gpu) {
            add(FragmentClass::q4_lack_cpu, pod, total);
        } else {
            add(cpu ? FragmentClass::q2_lack_gpu : FragmentClass::q1_lack_both, pod, total);
        }
    }
}

ByFragmentClass<double> Fragmentation::by_class(GpuSetId set,
                                                std::uint32_t cpu_rank,
                                                std::uint32_t model) {
    ByFragmentClass<double> sums{};
    split(set, cpu_rank, model, [&](FragmentClass part, const Pod& pod, GpuMilli amount) {
        sums[index(part)] += pod.weight * static_cast<double>(amount);
    });
    return sums;
}

ByFragmentClass<std::int64_t> Fragmentation::counted_by_class(GpuSetId set,
                                                              std::uint32_t cpu_rank,
                                                              std::uint32_t model) {
    ByFragmentClass<std::int64_t> sums{};
    split(set, cpu_rank, model, [&](FragmentClass part, const Pod& pod, GpuMilli amount) {
        sums[index(part)] += pod.count * amount;
    });
    BERTH_AUDIT(
        std::accumulate(sums.begin(), sums.end(), std::int64_t{0}) == count_ * sets_.total(set),
        "to each typical pod, all that is free is of one class or another");
    return sums;
}

double Fragmentation::fragment(GpuSetId set, std::uint32_t cpu_rank, std::uint32_t model) {
    std::vector<double>& known = fragments_[access_[model]];
    const std::size_t ranks = cpus_.size() + 1;
    BERTH_AUDIT(cpu_rank < ranks, "no more requests are within what is free than there are");
    if (known.size() < (std::size_t{set} + 1) * ranks) {
        known.resize(std::max(2 * known.size(), (std::size_t{set} + 1) * ranks),
                     std::numeric_limits<double>::quiet_NaN());
    }
    double& fragment = known[set * ranks + cpu_rank];
    if (std::isnan(fragment)) {
        const ByFragmentClass<double> classes = by_class(set, cpu_rank, model);
        fragment = 0;
        for (std::size_t part = 0; part < classes.size(); ++part) {
            if (part != index(FragmentClass::q3_satisfied)) {
                fragment += classes[part];
            }
        }
    }
    return fragment;
}

}  // namespace berth::core
