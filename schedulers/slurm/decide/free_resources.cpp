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

void FreeResources::add_amounts(const std::vector<Share>& shares, std::int64_t sign) {
    for (const Share& share : shares) {
        Free& free = nodes_[share.node];
        BERTH_ASSERT((share.gpus & (sign > 0 ? free.gpus : ~free.gpus)) == 0,
                     "a job takes what is free, and gives back what it has");
        free.count += sign * share.core_count;
        free.memory += sign * share.memory_mib;
        free.gpus ^= share.gpus;
        free.jobs -= sign;
    }
}

void FreeResources::take(const std::vector<Share>& shares) {
    for (const Share& share : shares) {
        BERTH_ASSERT(share.cores.is_subset_of(nodes_[share.node].cores),
                     "a job takes cores that are free");
        nodes_[share.node].cores -= share.cores;
    }
    take_amounts(shares);
}

void FreeResources::give_back(const std::vector<Share>& shares) {
    for (const Share& share : shares) {
        BERTH_ASSERT(!share.cores.intersects(nodes_[share.node].cores),
                     "a job gives back cores that it has");
        nodes_[share.node].cores |= share.cores;
    }
    give_back_amounts(shares);
    for (const Share& share : shares) {
        BERTH_ASSERT(nodes_[share.node].jobs >= 0, "as many jobs leave a node as came");
    }
}

}  // namespace berth::core::slurm
