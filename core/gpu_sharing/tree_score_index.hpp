#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/gpu_sharing/gpu_domains.hpp"
#include "core/gpu_sharing/tree_policy.hpp"
#include "core/index/lack_counts.hpp"
#include "core/index/pod_index.hpp"
#include "core/index/server_rule.hpp"

namespace berth::core {

/// The PodIndex of one pod shape under a TreePolicy. Each node of the tree knows, for either way to
/// take GPUs, the lowest cost of putting the pod below it.
///
/// Cost:  building is O(nodes); afterwards catch_up() computes the costs of each server that
///        changed and looks at the siblings on the way up; best() is O(depth x siblings).
/// Order: equal costs go to the first child, and to devices in use.
class TreeScoreIndex final : public PodIndex {
public:
    /// The arguments are as for GpuScoreIndex. All but the request outlive the index.
    TreeScoreIndex(const Ledger& ledger,
                   GpuDomains& domains,
                   std::vector<Amount> demand,
                   const GpuRequest& request,
                   GpuPod pod,
                   TreePolicy& policy,
                   const ServerRule* also);

    void catch_up() override;
    [[nodiscard]] std::optional<ServerId> best() override;
    [[nodiscard]] bool fits(ServerId server) const override {
        return std::ranges::min(costs_[tree_.node_of(server).index]) != no_way;
    }
    [[nodiscard]] std::uint32_t feasible_count() const override { return lacks_.feasible(); }
    [[nodiscard]] std::uint32_t insufficient_count(std::size_t resource) const override {
        return lacks_.insufficient(resource);
    }
    [[nodiscard]] std::uint32_t refused_count() const override { return lacks_.refused(); }
    [[nodiscard]] std::optional<Violation> find_violation() const override;
    [[nodiscard]] std::uint64_t servers_scored() const override { return servers_scored_; }

private:
    void rescore(ServerId server);
    [[nodiscard]] bool refuses(ServerId server) const;
    void settle(NodeId node);
    [[nodiscard]] TakeCosts below(NodeId inner) const;
    [[nodiscard]] std::int64_t devices_of(std::size_t take) const;

    const Ledger& ledger_;
    const Topology& tree_;
    GpuDomains& domains_;
    std::vector<Amount> demand_;
    std::size_t cpu_;
    GpuPod pod_;
    TreePolicy& policy_;
    /// Whether each model is accepted; empty: the pod asks for no GPU.
    std::vector<char> accepted_;
    const ServerRule* also_;
    ChangeReader changes_;
    /// For each node, the lowest costs below it, including its own.
    std::vector<TakeCosts> costs_;
    LackCounts lacks_;
    std::uint64_t servers_scored_ = 0;
};

}  // namespace berth::core
