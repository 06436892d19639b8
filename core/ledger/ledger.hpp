#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "core/gpu_shares/gpu_shares.hpp"
#include "core/ledger/change_log.hpp"
#include "core/support/assert.hpp"
#include "core/tree/ids.hpp"
#include "core/tree/logical_tree.hpp"
#include "core/tree/topology.hpp"

namespace berth::core {

/// The capacity of a cluster and what is taken of it. Amounts change nowhere else.
///
/// Shape:  one column for each node of the topology, where an inner node has the sum of its
///         servers; one row for each resource of the topology's schema.
/// Order:  every change of a server gets the next sequence number and an entry in a bounded change
///         log, from which everything derived from the ledger catches up when it is read.
/// Source: Tantawi, "Placement Group Scheduling on Hierarchical Topology" (2021), "pNode: cap,
///         alloc".
class Ledger {
public:
    /// At first, the whole capacity of the servers is free.
    /// Errors: InputError when the sum over the cluster does not fit into an Amount.
    explicit Ledger(std::shared_ptr<const Topology> topology);
    /// Throws what the constructor would throw for this topology, or if a sum is more than `most`.
    /// Cost: O(servers), without memory for each server.
    static void check_sums(const Topology& topology,
                           Amount most = std::numeric_limits<Amount>::max());

    [[nodiscard]] const Topology& topology() const { return *topology_; }
    [[nodiscard]] std::size_t resource_count() const {
        return static_cast<std::size_t>(capacity_.rows());
    }
    /// The amounts of a node, by resource.
    [[nodiscard]] std::span<const Amount> capacity(NodeId node) const {
        return column(capacity_, node);
    }
    /// The capacity less what is claimed. It is negative on a server that was over-committed from
    /// outside.
    [[nodiscard]] std::span<const Amount> available(NodeId node) const {
        return column(available_, node);
    }
    [[nodiscard]] Amount allocated(NodeId node, std::size_t resource) const {
        return capacity(node)[resource] - available(node)[resource];
    }

    /// Makes the processor fetch what claim() and release() read of a server first.
    [[gnu::always_inline]] void fetch(ServerId server) const {
        const NodeId node = topology_->node_of(server);
        __builtin_prefetch(available(node).data());
        __builtin_prefetch(capacity(node).data());
        topology_->fetch_parent(node);
    }

    /// Takes `members` times `demand` from a server.
    /// Errors: claiming an amount that is not available is a bug of the caller and aborts.
    /// Cost:   O(depth x resources), and one entry in the change log.
    void claim(ServerId server, std::span<const Amount> demand, Members members);
    /// Gives back what claim() took.
    void release(ServerId server, std::span<const Amount> demand, Members members);
    /// Does the same for all members of a group.
    /// Cost: O(nodes of the logical tree x resources), and an entry in the log for each server.
    void claim(const LogicalTree& placement, std::span<const Amount> demand);
    void release(const LogicalTree& placement, std::span<const Amount> demand);
    /// Counts GPUs device by device from now on, so that pods may share them. GPUs that are already
    /// in use are the devices with the lowest numbers.
    void share_gpus();
    /// Only for a ledger that shares GPUs.
    [[nodiscard]] const GpuShares& gpus() const {
        BERTH_AUDIT(gpus_, "the ledger shares its GPUs");
        return *gpus_;
    }
    /// Takes the devices of a pod whose amounts claim() takes; the log has one entry for both.
    void claim_gpus(ServerId server, GpuGrant grant) {
        BERTH_ASSERT(gpus_, "devices are taken of a ledger that shares its GPUs");
        gpus_->take(server, grant);
    }
    void release_gpus(ServerId server, GpuGrant grant) {
        BERTH_ASSERT(gpus_, "devices are given back to a ledger that shares its GPUs");
        gpus_->give_back(server, grant);
    }
    /// For a copy that plans: sets what is taken of a server's GPUs from now on. The log has no
    /// entry for this; the accompanying change of amounts has one.
    void show_gpus(ServerId server, const GpuShares::Taken& taken) {
        BERTH_ASSERT(gpus_, "devices are shown of a ledger that shares its GPUs");
        gpus_->show(server, taken);
    }
    /// Takes what is in use before the run begins, even if it is more than the capacity.
    void occupy(ServerId server, std::span<const Amount> amounts);

    /// Takes a server out of the cluster: it has no capacity until bring_up(). What was claimed on
    /// it has been released before; what occupies it from outside stays, unless the caller releases
    /// it.
    /// Cost: O(depth x resources), and one entry in the change log.
    void take_down(ServerId server);
    void bring_up(ServerId server);
    [[nodiscard]] bool is_up(ServerId server) const {
        return down_.empty() || !down_.contains(server);
    }

    /// The log from which everything derived from the ledger catches up.
    [[nodiscard]] const ChangeLog& changes() const { return log_; }

private:
    using Columns = Eigen::Array<Amount, Eigen::Dynamic, Eigen::Dynamic>;
    [[nodiscard]] static std::span<const Amount> column(const Columns& columns, NodeId node) {
        BERTH_AUDIT(node.index < columns.cols(), "a node is one of the tree's");
        const auto rows = static_cast<std::size_t>(columns.rows());
        return {columns.data() + node.index * rows, rows};
    }
    void take(NodeId node, std::span<const Amount> demand, Members members);
    void add_capacity(ServerId server, Amount sign);
    void take_above(ServerId server, std::span<const Amount> demand, Members members);
    void check_change(ServerId server, std::span<const Amount> demand) const;
    template <bool claims>
    void take_of_server(NodeId server, std::span<const Amount> demand, Members members);
    template <bool claims>
    void take_all(const LogicalTree& placement, std::span<const Amount> demand);
    [[nodiscard]] bool sums_hold() const;

    std::shared_ptr<const Topology> topology_;
    Columns capacity_;
    Columns available_;
    std::set<ServerId> down_;
    std::optional<GpuShares> gpus_;
    ChangeLog log_;
};

}  // namespace berth::core
