#pragma once

#include <optional>
#include <vector>

#include "schedulers/slurm/decide/free_resources.hpp"

namespace berth::core::slurm {

/// What single nodes have for a job, and what the job takes of them.
class NodeOffers {
public:
    /// Both must outlive it.
    NodeOffers(const std::vector<Node>& nodes, const Configuration& configuration)
        : nodes_(nodes), configuration_(configuration) {}

    /// CPUs that a node has for a job; 0 if the job cannot use the node.
    /// `near_only`: only cores count that are near GPUs which the job may get.
    /// Cost: O(1) without near cores, otherwise O(cores + GPUs).
    [[nodiscard]] std::int64_t cpus(const Job& job,
                                    std::size_t node,
                                    const FreeResources& free,
                                    bool near_only) const;
    /// What a job takes on a node of which it gets `cpus`, and at most `gpus` of those that it
    /// wants in all.
    [[nodiscard]] Share share(const Job& job,
                              std::size_t node,
                              std::int64_t cpus,
                              std::int64_t gpus,
                              const FreeResources& free) const;

private:
    /// 0: memory does not follow from CPUs.
    [[nodiscard]] std::int64_t memory_per_cpu(const Job& job) const {
        return job.memory_per_cpu_mib.value_or(configuration_.memory_per_cpu_mib);
    }
    [[nodiscard]] std::int64_t memory_of(const Job& job, const Node& node, std::int64_t cpus) const;
    [[nodiscard]] std::optional<std::uint64_t> lowest_gpus(const Job& job,
                                                           const Node& node,
                                                           std::uint64_t free,
                                                           std::optional<int> socket) const;
    [[nodiscard]] std::uint64_t gpus_of(const Job& job,
                                        std::size_t node,
                                        std::int64_t cores,
                                        const FreeResources& free) const;
    [[nodiscard]] BitSet cores_of(const Node& node,
                                  const BitSet& free,
                                  std::int64_t count,
                                  std::uint64_t gpus) const;

    const std::vector<Node>& nodes_;
    const Configuration& configuration_;
};

}  // namespace berth::core::slurm
