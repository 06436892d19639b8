#include "schedulers/slurm/decide/free_resources.hpp"

#include "core/support/assert.hpp"

namespace berth::core::slurm {

FreeResources::FreeResources(const std::vector<Node>& nodes) {
    nodes_.reserve(nodes.size());
    for (const Node& node : nodes) {
        BERTH_ASSERT(node.gpus.size() <= 64, "a node has at most 64 GPUs");
        Free free;
        free.cores.resize(static_cast<std::size_t>(node.cores()), true);
        free.count = node.cores();
        free.memory = node.memory_mib;
        for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu) {
            free.gpus |= std::uint64_t{1} << gpu;
        }
        nodes_.push_back(std::move(free));
    }
}

void FreeResources::take(const std::vector<Share>& shares) {
    for (const Share& share : shares) {
        Free& free = nodes_[share.node];
        BERTH_ASSERT(share.cores.is_subset_of(free.cores), "a job takes cores that are free");
        BERTH_ASSERT((share.gpus & ~free.gpus) == 0, "a job takes GPUs that are free");
        free.cores -= share.cores;
        free.count -= static_cast<std::int64_t>(share.cores.count());
        free.memory -= share.memory_mib;
        free.gpus &= ~share.gpus;
        ++free.jobs;
    }
}

void FreeResources::give_back(const std::vector<Share>& shares) {
    for (const Share& share : shares) {
        Free& free = nodes_[share.node];
        BERTH_ASSERT(!share.cores.intersects(free.cores), "a job gives back cores that it has");
        BERTH_ASSERT((share.gpus & free.gpus) == 0, "a job gives back GPUs that it has");
        free.cores |= share.cores;
        free.count += static_cast<std::int64_t>(share.cores.count());
        free.memory += share.memory_mib;
        free.gpus |= share.gpus;
        --free.jobs;
        BERTH_ASSERT(free.jobs >= 0, "as many jobs leave a node as came");
    }
}

}  // namespace berth::core::slurm
