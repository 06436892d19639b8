/// topology-aware-packing: into the fullest domain, level by level from the root, so that whole
/// rooms, racks, servers, NVLink islands and devices stay free. Idle domains come last, however
/// small they are.
/// Source: the packing that topology-aware scheduling in Kubernetes does for gangs, here for
///         every pod.
/// Limits: fullness is counted in steps; a tree of five levels has steps of 1/2048.

#include <span>

#include "core/gpu_sharing/tree_policy.hpp"

namespace berth::core {
namespace {

class TopologyAwarePacking final : public TreePolicy {
public:
    explicit TopologyAwarePacking(const GpuSets& sets) : sets_(sets) {}

    TakeCosts server_costs(const GpuServer& server,
                           const GpuDomain& domain,
                           const GpuPod& pod) override {
        const std::int64_t here = cost(domain);
        if (!pod.is_share()) {
            return pod.count == 0 ? TakeCosts{here, no_way} : TakeCosts{no_way, here};
        }
        const std::span<const GpuMilli> free = sets_.free(server.set);
        const std::uint32_t whole = sets_.whole(server.set);  // these come last in the set
        const std::size_t used = free.size() - whole;
        const bool fits_used = used > 0 && free[used - 1] >= pod.milli;
        // The last step is finer than a step of a level.
        return {fits_used ? here : no_way, whole > 0 ? here + 1 : no_way};
    }
    std::int64_t domain_cost(const GpuDomain& domain,
                             std::int64_t /*devices*/,
                             const GpuPod& /*pod*/) override {
        return cost(domain);
    }

private:
    /// An upper level counts more than all levels below it together.
    static std::int64_t cost(const GpuDomain& domain) {
        constexpr std::uint32_t bits_max = 60;
        const std::uint32_t bits = bits_max / domain.levels;
        const std::int64_t full = (std::int64_t{1} << (bits - 1)) - 1;
        std::int64_t free = 0;
        if (domain.gpu_capacity > 0) {
            free = domain.gpu_free == domain.gpu_capacity
                       ? full
                       : domain.gpu_free * (full - 1) / domain.gpu_capacity;
        }
        return free << (bits * (domain.levels - 1 - domain.level.index) + 1);
    }

    const GpuSets& sets_;
};

}  // namespace

std::unique_ptr<TreePolicy> make_topology_aware_packing(const TreePolicyContext& context) {
    return std::make_unique<TopologyAwarePacking>(context.sets);
}

}  // namespace berth::core
