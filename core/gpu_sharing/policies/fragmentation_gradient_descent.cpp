/// fragmentation-gradient-descent (FGD): the server, and for a share also the device, on which the
/// pod makes the expected fragmentation grow least, or shrink most.
/// Source: Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with
///         Fragmentation Gradient Descent" (USENIX ATC 2023), algorithm 1; its published simulator.
/// Limits: the difference is rounded to whole points of a sigmoid, which are about 40 milli-GPU
///         each near 0, as in the published program; servers with equal points go in tree order.
///         Differences of more than 8 GPUs, where the sigmoid has flattened, are told apart by
///         eighths of a GPU.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/support/rounded_math.hpp"

namespace berth::core {
namespace {

std::int32_t points(double before, double after) {
    constexpr double points_max = 100;
    constexpr double milli = 1000;
    const auto of = [](double power) { return points_max * (1 / (1 + power)); };
    const double exponent = -(before - after) / milli;
    // The last bits of exp differ between C libraries. They matter if the points are close to a
    // whole number, as the 50 points of no difference are.
    constexpr double close = 1e-9;
    const double about = of(std::exp(exponent));
    const auto least = static_cast<std::int32_t>(about - close);
    const auto most = static_cast<std::int32_t>(about + close);
    return least == most ? least : static_cast<std::int32_t>(of(rounded_exp(exponent)));
}

/// What the points do not show of a difference so large that no server of 8 GPUs can have it.
std::int32_t beyond_points(double before, double after) {
    constexpr double reference = 8000;
    constexpr double step = 125;
    constexpr double most = GpuPolicy::beyond_steps - 1;
    const double difference = before - after;
    const double steps = std::max(std::abs(difference) - reference, 0.0) / step;
    return static_cast<std::int32_t>(std::copysign(std::min(std::ceil(steps), most), difference));
}

class FragmentationGradientDescent final : public GpuPolicy {
public:
    explicit FragmentationGradientDescent(const GpuPolicyContext& context)
        : sets_(context.sets), fragmentation_(context.fragmentation) {}

    std::int32_t score(const GpuServer& server, const GpuPod& pod) override {
        return points(fragment_before(server), least_fragment_after(server, pod));
    }
    std::int32_t beyond(const GpuServer& server, const GpuPod& pod) override {
        constexpr std::size_t reference_gpus = 8;
        if (sets_.free(server.set).size() <= reference_gpus) {
            return 0;
        }
        return beyond_points(fragment_before(server), least_fragment_after(server, pod));
    }

    std::size_t device(const GpuServer& server, const GpuPod& pod) override {
        const std::uint32_t rank_after = fragmentation_.cpu_rank(server.cpu_free - pod.cpu);
        const double before = fragment_before(server);
        std::size_t best = 0;
        std::pair<std::int32_t, std::int32_t> best_points{-1, 0};
        for (std::size_t device = 0; device < server.by_device.size(); ++device) {
            if (server.by_device[device] < pod.milli) {
                continue;
            }
            const GpuSetId after =
                sets_.after_share(server.set, server.by_device[device], pod.milli);
            const double fragment = fragmentation_.fragment(after, rank_after, server.model);
            const std::pair here{points(before, fragment), beyond_points(before, fragment)};
            if (here > best_points) {
                best = device;
                best_points = here;
            }
        }
        return best;
    }

private:
    double fragment_before(const GpuServer& server) {
        const std::uint32_t rank = fragmentation_.cpu_rank(server.cpu_free);
        return fragmentation_.fragment(server.set, rank, server.model);
    }

    /// The fragment after placing the pod on the best device, since points grow with the
    /// difference.
    double least_fragment_after(const GpuServer& server, const GpuPod& pod) {
        const std::uint32_t rank = fragmentation_.cpu_rank(server.cpu_free - pod.cpu);
        const Moves moves = this->moves(server.set, pod);
        double least = fragmentation_.fragment(afters_[moves.begin], rank, server.model);
        for (std::uint32_t i = moves.begin + 1; i < moves.end; ++i) {
            least = std::min(least, fragmentation_.fragment(afters_[i], rank, server.model));
        }
        return least;
    }

    /// The sets that a request can lead to, as a range of afters_; empty: not computed yet.
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
            GpuMilli last = -1;  // devices with equal shares lead to the same set
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
    std::vector<std::vector<Moves>> moves_;  ///< For each request, a row by set.
    std::vector<GpuSetId> afters_;
};

}  // namespace

std::unique_ptr<GpuPolicy> make_fragmentation_gradient_descent(const GpuPolicyContext& context) {
    return std::make_unique<FragmentationGradientDescent>(context);
}

}  // namespace berth::core
