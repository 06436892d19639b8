#pragma once

#include <vector>

#include "schedulers/slurm/decide/objects.hpp"

namespace berth::core::slurm {

/// What is free on each node.
class FreeResources {
public:
    /// Everything of the nodes is free at first. They must outlive it.
    explicit FreeResources(const std::vector<Node>& nodes);

    /// Takes what a job has, or gives it back.
    /// Errors: to take what is not free, or to give back what is, is a caller's bug and aborts.
    /// Cost: O(cores) a share.
    void take(const std::vector<Share>& shares);
    void give_back(const std::vector<Share>& shares);

    /// The same for all but the set of cores, of which only the number changes: for a search that
    /// ends with what it began, and does not look at which cores are free.
    /// Cost: O(1) a share.
    void take_amounts(const std::vector<Share>& shares) { add_amounts(shares, -1); }
    void give_back_amounts(const std::vector<Share>& shares) { add_amounts(shares, 1); }

    /// A node that is down has nothing for any job. All nodes are up at first.
    void set_down(std::size_t node, bool is_down) { nodes_[node].is_down = is_down; }
    [[nodiscard]] bool is_down(std::size_t node) const { return nodes_[node].is_down; }

    [[nodiscard]] const BitSet& cores(std::size_t node) const { return nodes_[node].cores; }
    [[nodiscard]] std::int64_t core_count(std::size_t node) const { return nodes_[node].count; }
    [[nodiscard]] std::int64_t memory_mib(std::size_t node) const { return nodes_[node].memory; }
    [[nodiscard]] std::uint64_t gpus(std::size_t node) const { return nodes_[node].gpus; }
    [[nodiscard]] std::int64_t jobs(std::size_t node) const { return nodes_[node].jobs; }

private:
    struct Free {
        BitSet cores;
        std::int64_t count = 0;
        std::int64_t memory = 0;
        std::uint64_t gpus = 0;
        std::int64_t jobs = 0;
        bool is_down = false;
    };
    void add_amounts(const std::vector<Share>& shares, std::int64_t sign);

    std::vector<Free> nodes_;
};

}  // namespace berth::core::slurm
