/// topology-aware-fragmentation: the place where the pod makes the expected fragmentation grow
/// least. On the server it is measured as by FGD, and in each domain above as gangs see it: if a
/// rack has W free devices, a gang of g devices can use those of whole gangs, and W mod g are a
/// fragment to it.
/// Source: berth's own; on the server, Weng et al., "Beware of Fragmentation" (USENIX ATC 2023).
/// Limits: a device that shares broke into counts for gangs only as one that is gone, not as a
///         fragment; gangs that could straddle two domains are not seen at the lower level.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/gpu_sharing/tree_policy.hpp"
#include "core/support/assert.hpp"

namespace berth::core {
namespace {

class TopologyAwareFragmentation final : public TreePolicy {
public:
    explicit TopologyAwareFragmentation(const TreePolicyContext& context)
        : sets_(context.sets), fragmentation_(context.fragmentation), gangs_(context.gangs) {
        for (const TypicalGang& gang : gangs_) {
            weights_ += gang.weight;
        }
    }

    TakeCosts server_costs(const GpuServer& server,
                           const GpuDomain& /*domain*/,
                           const GpuPod& pod) override {
        if (pod.count == 0) {
            return {growth(server, server.set, pod), no_way};
        }
        if (!pod.is_share()) {
            return {no_way, growth(server, sets_.after_whole(server.set, pod.count), pod)};
        }
        TakeCosts costs{no_way, no_way};
        for (std::size_t i = 0; i < sets_.free(server.set).size(); ++i) {
            const GpuMilli free = sets_.free(server.set)[i];
            if (free >= pod.milli) {
                const bool whole = free == static_cast<GpuMilli>(gpu_whole_milli);
                std::int64_t& cost = costs[whole ? 1 : 0];
                cost = std::min(
                    cost, growth(server, sets_.after_share(server.set, free, pod.milli), pod));
            }
        }
        return costs;
    }

    std::size_t used_device(const GpuServer& server, const GpuPod& pod) override {
        std::size_t best = server.by_device.size();
        std::int64_t least = no_way;
        for (std::size_t device = 0; device < server.by_device.size(); ++device) {
            const GpuMilli free = server.by_device[device];
            if (free < pod.milli || free == static_cast<GpuMilli>(gpu_whole_milli)) {
                continue;
            }
            const std::int64_t here =
                growth(server, sets_.after_share(server.set, free, pod.milli), pod);
            if (here < least) {
                best = device;
                least = here;
            }
        }
        BERTH_ASSERT(best < server.by_device.size(), "a device in use has room for the share");
        return best;
    }

    std::int64_t domain_cost(const GpuDomain& domain,
                             std::int64_t devices,
                             const GpuPod& /*pod*/) override {
        std::int64_t growth = 0;
        for (const TypicalGang& gang : gangs_) {
            growth += gang.weight *
                      ((domain.whole_free - devices) % gang.gpus - domain.whole_free % gang.gpus);
        }
        return weights_ > 0 ? growth * gpu_whole_milli / weights_ : 0;
    }

private:
    /// Units: milli-GPU.
    std::int64_t growth(const GpuServer& server, GpuSetId after, const GpuPod& pod) {
        const std::uint32_t rank = fragmentation_.cpu_rank(server.cpu_free);
        const std::uint32_t rank_after = fragmentation_.cpu_rank(server.cpu_free - pod.cpu);
        return std::llround(fragmentation_.fragment(after, rank_after, server.model) -
                            fragmentation_.fragment(server.set, rank, server.model));
    }

    GpuSets& sets_;
    Fragmentation& fragmentation_;
    std::vector<TypicalGang> gangs_;
    std::int64_t weights_ = 0;
};

}  // namespace

std::unique_ptr<TreePolicy> make_topology_aware_fragmentation(const TreePolicyContext& context) {
    return std::make_unique<TopologyAwareFragmentation>(context);
}

}  // namespace berth::core
