#include "core/ledger/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/assert.hpp"
#include "core/support/source.hpp"

namespace berth::core {
namespace {

/// The size of the change log. A reader further behind than this reads the whole ledger again,
/// which costs about as much.
std::size_t log_size(std::uint32_t servers) {
    return std::clamp<std::size_t>(servers, 1024, std::size_t{1} << 16);
}

}  // namespace

void Ledger::check_sums(const Topology& tree, Amount most) {
    std::vector<Amount> servers_of(tree.machine_types().size(), 0);
    for (std::uint32_t index = 0; index < tree.server_count(); ++index) {
        ++servers_of[tree.machine_type_index(ServerId{index})];
    }
    for (std::size_t resource = 0; resource < tree.resources().size(); ++resource) {
        std::optional<Amount> sum = 0;
        for (std::size_t type = 0; type < servers_of.size() && sum; ++type) {
            const Amount of_one =
                tree.machine_types()[type].capacity[static_cast<Eigen::Index>(resource)];
            const auto more = checked_multiply(of_one, servers_of[type]);
            sum = more ? checked_add(*sum, *more) : std::nullopt;
        }
        if (!sum || *sum > most) {
            throw InputError(
                fmt::format("the {} of all servers together overflows: expected at most {} {}",
                            tree.resources().name(resource),
                            most,
                            tree.resources().unit(resource)));
        }
    }
}

Ledger::Ledger(std::shared_ptr<const Topology> topology)
    : topology_(std::move(topology)), log_(log_size(topology_->server_count())) {
    const Topology& tree = *topology_;
    check_sums(tree);
    const std::size_t resources = tree.resources().size();
    capacity_.resize(static_cast<Eigen::Index>(resources), tree.node_count());
    const auto column_of = [&](NodeId node) { return capacity_.data() + node.index * resources; };
    const NodeId first_server = tree.node_of(ServerId{0});
    std::fill(column_of(tree.root()), column_of(first_server), Amount{0});
    for (std::uint32_t index = 0; index < tree.server_count(); ++index) {
        const ServerId server{index};
        std::ranges::copy(tree.machine_type(server).capacity, column_of(tree.node_of(server)));
    }
    for (std::uint32_t index = tree.node_count() - 1; index > 0; --index) {
        const Amount* const from = column_of(NodeId{index});
        Amount* const sum = column_of(tree.parent(NodeId{index}));
        for (std::size_t resource = 0; resource < resources; ++resource) {
            sum[resource] += from[resource];
        }
    }
    available_ = capacity_;
}

inline void Ledger::take(NodeId node, std::span<const Amount> demand, Members members) {
    Amount* column = available_.data() + node.index * demand.size();
    for (std::size_t resource = 0; resource < demand.size(); ++resource) {
        column[resource] -= demand[resource] * members;
    }
}

inline void Ledger::check_change(ServerId server, std::span<const Amount> demand) const {
    BERTH_ASSERT(demand.size() == resource_count(), "a demand is by the schema");
    BERTH_ASSERT(server.index < topology_->server_count(), "a server is one of the cluster's");
}

template <bool claims>
inline void Ledger::take_of_server(NodeId server, std::span<const Amount> demand, Members members) {
    Amount* const left = available_.data() + server.index * demand.size();
    const Amount* const whole = capacity_.data() + server.index * demand.size();
    for (std::size_t resource = 0; resource < demand.size(); ++resource) {
        const Amount each = demand[resource];
        const Amount now =
            claims ? left[resource] - each * members : left[resource] + each * members;
        left[resource] = now;
        if (claims) {
            BERTH_ASSERT(now >= 0 || each == 0, "a claim takes what is available");
        } else {
            BERTH_ASSERT(now <= whole[resource], "only what was claimed is released");
        }
    }
}

/// Takes from all nodes above a server what was taken from it, and records that it changed.
void Ledger::take_above(ServerId server, std::span<const Amount> demand, Members members) {
    const Topology& tree = *topology_;
    NodeId node = tree.node_of(server);
    while (node != tree.root()) {
        node = tree.parent(node);
        take(node, demand, members);
    }
    log_.add(server);
}

void Ledger::claim(ServerId server, std::span<const Amount> demand, Members members) {
    check_change(server, demand);
    BERTH_ASSERT(members >= 0, "a claim gives nothing back");
    take_of_server<true>(topology_->node_of(server), demand, members);
    take_above(server, demand, members);
}

void Ledger::release(ServerId server, std::span<const Amount> demand, Members members) {
    check_change(server, demand);
    BERTH_ASSERT(members >= 0, "a release takes nothing");
    take_of_server<false>(topology_->node_of(server), demand, members);
    take_above(server, demand, -members);
}

template <bool claims>
void Ledger::take_all(const LogicalTree& placement, std::span<const Amount> demand) {
    BERTH_ASSERT(demand.size() == resource_count(), "a demand is by the schema");
    const NodeId first_server = topology_->node_of(ServerId{0});
    for (const PlacedNode& node : placement.nodes) {
        BERTH_ASSERT(node.count > 0, "a used node has members");
        if (node.node < first_server) {
            take(node.node, demand, claims ? node.count : -node.count);
        } else {
            take_of_server<claims>(node.node, demand, node.count);
            log_.add(ServerId{node.node.index - first_server.index});
        }
    }
    BERTH_AUDIT(sums_hold(), "a logical tree counts on each node what its children hold");
}

void Ledger::claim(const LogicalTree& placement, std::span<const Amount> demand) {
    take_all<true>(placement, demand);
}

void Ledger::release(const LogicalTree& placement, std::span<const Amount> demand) {
    take_all<false>(placement, demand);
}

bool Ledger::sums_hold() const {
    Columns sums = Columns::Zero(available_.rows(), available_.cols());
    for (Eigen::Index node = available_.cols() - 1; node >= 0; --node) {
        const NodeId id{static_cast<std::uint32_t>(node)};
        if (topology_->is_server(id)) {
            sums.col(node) = available_.col(node);
        }
        if (id != topology_->root()) {
            sums.col(topology_->parent(id).index) += sums.col(node);
        }
    }
    return (sums == available_).all();
}

void Ledger::add_capacity(ServerId server, Amount sign) {
    const Amounts& amounts = topology_->machine_type(server).capacity;
    for (NodeId node = topology_->node_of(server);; node = topology_->parent(node)) {
        capacity_.col(node.index) += sign * amounts;
        available_.col(node.index) += sign * amounts;
        if (node == topology_->root()) {
            break;
        }
    }
    log_.add(server);
    BERTH_AUDIT(sums_hold(), "a node has available what its servers have");
}

void Ledger::take_down(ServerId server) {
    BERTH_ASSERT(down_.insert(server).second, "a server that is there is taken down");
    add_capacity(server, -1);
}

void Ledger::bring_up(ServerId server) {
    BERTH_ASSERT(down_.erase(server) == 1, "a server that was taken down is brought up");
    add_capacity(server, 1);
}

void Ledger::share_gpus() {
    BERTH_ASSERT(!gpus_, "GPUs begin to be shared once");
    gpus_.emplace(*topology_);
    const auto resource = topology_->resources().find(device_resource::nvidia_gpu);
    for (std::uint32_t index = 0; resource && index < topology_->server_count(); ++index) {
        const ServerId server{index};
        gpus_->occupy(server, allocated(topology_->node_of(server), *resource));
    }
}

void Ledger::occupy(ServerId server, std::span<const Amount> amounts) {
    BERTH_ASSERT(amounts.size() == resource_count(), "what is in use is by the schema");
    for (std::size_t resource = 0; resource < amounts.size(); ++resource) {
        // No sum on the way up may overflow, whatever the outside reports to be in use.
        for (NodeId node = topology_->node_of(server);; node = topology_->parent(node)) {
            if (!checked_add(available(node)[resource], -amounts[resource])) {
                throw InputError(fmt::format("the {} in use on {} overflows: expected less",
                                             topology_->resources().name(resource),
                                             topology_->path(node)));
            }
            if (node == topology_->root()) {
                break;
            }
        }
    }
    take(topology_->node_of(server), amounts, 1);
    take_above(server, amounts, 1);
}

}  // namespace berth::core
