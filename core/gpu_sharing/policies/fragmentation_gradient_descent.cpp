/// fragmentation-gradient-descent (FGD): the server, and of a share the device, on which the pod
/// makes the expected fragmentation grow least, or shrink most.
/// Source: Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with
///         Fragmentation Gradient Descent" (USENIX ATC 2023), algorithm 1; its published simulator.
/// Limits: the difference is rounded to whole points of a sigmoid, about 40 milli-GPU each near 0,
///         as the published program does; what is equal by points goes to the first server.

#include <cmath>

#include "core/gpu_sharing/gpu_policy.hpp"

namespace berth::core {
namespace {

std::int32_t points(double before, double after) {
    constexpr double points_max = 100;
    constexpr double milli = 1000;
    return static_cast<std::int32_t>(points_max * (1 / (1 + std::exp(-(before - after) / milli))));
}

class FragmentationGradientDescent final : public GpuPolicy {
public:
    explicit FragmentationGradientDescent(const GpuPolicyContext& context)
        : sets_(context.sets), fragmentation_(context.fragmentation) {}

    std::int32_t score(const GpuServer& server, const GpuPod& pod) override {
        const std::uint32_t rank = fragmentation_.cpu_rank(server.cpu_free);
        const std::uint32_t rank_after = fragmentation_.cpu_rank(server.cpu_free - pod.cpu);
        const double before = fragmentation_.fragment(server.set, rank, server.model);
        // Points grow with the difference: those of the best device are the best.
        const Moves moves = this->moves(server.set, pod);
        double least = fragmentation_.fragment(afters_[moves.begin], rank_after, server.model);
        for (std::uint32_t i = moves.begin + 1; i < moves.end; ++i) {
            least = std::min(least, fragmentation_.fragment(afters_[i], rank_after, server.model));
        }
        return points(before, least);
    }

    std::size_t device(const GpuServer& server, const GpuPod& pod) override {
        const std::uint32_t rank = fragmentation_.cpu_rank(server.cpu_free);
        const std::uint32_t rank_after = fragmentation_.cpu_rank(server.cpu_free - pod.cpu);
        const double before = fragmentation_.fragment(server.set, rank, server.model);
        std::size_t best = 0;
        std::int32_t best_points = -1;
        for (std::size_t device = 0; device < server.by_device.size(); ++device) {
            if (server.by_device[device] < pod.milli) {
                continue;
            }
            const GpuSetId after =
                sets_.after_share(server.set, server.by_device[device], pod.milli);
            const std::int32_t here =
                points(before, fragmentation_.fragment(after, rank_after, server.model));
            if (here > best_points) {
                best = device;
                best_points = here;
            }
        }
        return best;
    }

private:
    /// The sets that a request can lead to, as a range of afters_; empty: not worked out yet.
    struct Moves {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };

    Moves moves(GpuSetId set, const GpuPod& pod) {
        if (pod.request >= moves_.size()) {
            moves_.resize(pod.request + 1);
        }
        std::vector<Moves>& of_request = moves_[pod.request];
        if (set >= of_request.size()) {
            of_request.resize(std::max<std::size_t>(2 * of_request.size(), set + 1));
        }
        if (of_request[set].end == 0) {
            const auto begin = static_cast<std::uint32_t>(afters_.size());
            add_afters(set, pod);
            of_request[set] = {begin, static_cast<std::uint32_t>(afters_.size())};
        }
        return of_request[set];
    }

    void add_afters(GpuSetId set, const GpuPod& pod) {
        if (pod.count == 0) {
            afters_.push_back(set);
        } else if (!pod.is_share()) {
            afters_.push_back(sets_.after_whole(set, pod.count));
        } else {
            GpuMilli last = -1;  // devices with equal shares lead to one set
            for (std::size_t i = 0; i < sets_.free(set).size(); ++i) {
                const GpuMilli free = sets_.free(set)[i];
                if (free >= pod.milli && free != last) {
                    afters_.push_back(sets_.after_share(set, free, pod.milli));
                    last = free;
                }
            }
        }
    }

    GpuSets& sets_;
    Fragmentation& fragmentation_;
    std::vector<std::vector<Moves>> moves_;  ///< By request, then by set.
    std::vector<GpuSetId> afters_;
};

}  // namespace

std::unique_ptr<GpuPolicy> make_fragmentation_gradient_descent(const GpuPolicyContext& context) {
    return std::make_unique<FragmentationGradientDescent>(context);
}

}  // namespace berth::core
