#include "core/gpu_sharing/tree_score_index.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

constexpr TakeCosts nowhere{no_way, no_way};

/// Whether a cost is as small as TreePolicy promises, so that sums over the levels never overflow.
[[maybe_unused]] bool is_within_contract(std::int64_t cost, const Topology& tree) {
    const auto most = (std::int64_t{1} << 40) * static_cast<std::int64_t>(tree.level_count());
    return -most <= cost && cost <= most;
}

}  // namespace

TreeScoreIndex::TreeScoreIndex(const Ledger& ledger,
                               GpuDomains& domains,
                               std::vector<Amount> demand,
                               const GpuRequest& request,
                               GpuPod pod,
                               TreePolicy& policy,
                               const ServerRule* also)
    : ledger_(ledger),
      tree_(ledger.topology()),
      domains_(domains),
      demand_(std::move(demand)),
      cpu_(tree_.resources().find("cpu").value_or(demand_.size())),
      pod_(pod),
      policy_(policy),
      also_(also),
      changes_(&ledger.changes()),
      costs_(tree_.node_count(), nowhere),
      lacks_(tree_.server_count(), demand_.size()) {
    BERTH_ASSERT(demand_.size() == ledger.resource_count(), "a demand is by the schema");
    BERTH_ASSERT(request.count == pod.count && request.milli == pod.milli,
                 "the policy sees what the pod asks for");
    if (request.count > 0) {
        accepted_ = ledger.gpus().models().accepted(request);
    }
    domains_.catch_up();
    for (std::uint32_t server = 0; server < tree_.server_count(); ++server) {
        rescore(ServerId{server});
    }
    for (std::uint32_t node = tree_.node_count() - tree_.server_count(); node-- > 1;) {
        settle(NodeId{node});
    }
}

/// Whether the devices, the model or the other rule refuse the pod.
bool TreeScoreIndex::refuses(ServerId server) const {
    const GpuShares& gpus = ledger_.gpus();
    if (!accepted_.empty() && (accepted_[gpus.model(server)] == 0 ||
                               !gpus.sets().fits(gpus.set(server), pod_.milli, pod_.count))) {
        return true;
    }
    return also_ != nullptr && !also_->score(server);
}

void TreeScoreIndex::rescore(ServerId server) {
    ++servers_scored_;
    const NodeId node = tree_.node_of(server);
    const auto available = ledger_.available(node);
    Lacks lacking = lacking_amounts(ledger_, server, demand_);
    if (lacking == 0 && refuses(server)) {
        lacking = lacks_rule;
    }
    costs_[node.index] = nowhere;
    if (lacking == 0) {
        const GpuShares& gpus = ledger_.gpus();
        const GpuServer view{cpu_ < available.size() ? available[cpu_] : 0,
                             gpus.set(server),
                             gpus.free(server),
                             gpus.model(server),
                             gpus.kinds(server)};
        costs_[node.index] = policy_.server_costs(view, domains_.domain(node), pod_);
        BERTH_AUDIT(std::ranges::all_of(costs_[node.index],
                                        [&](std::int64_t cost) {
                                            return cost == no_way ||
                                                   is_within_contract(cost, tree_);
                                        }),
                    "a cost leaves room for all levels'");
    }
    lacks_.set(server, lacking);
}

std::int64_t TreeScoreIndex::devices_of(std::size_t take) const {
    return take == static_cast<std::size_t>(Take::free_devices) ? pod_.count : 0;
}

/// The least cost over the children.
TakeCosts TreeScoreIndex::below(NodeId inner) const {
    TakeCosts least = nowhere;
    for (std::uint32_t child = tree_.child_begin(inner); child < tree_.child_end(inner); ++child) {
        for (std::size_t take = 0; take < take_count; ++take) {
            least[take] = std::min(least[take], costs_[child][take]);
        }
    }
    return least;
}

void TreeScoreIndex::settle(NodeId node) {
    TakeCosts costs = below(node);
    const GpuDomain domain = domains_.domain(node);
    for (std::size_t take = 0; take < take_count; ++take) {
        if (costs[take] != no_way) {
            const std::int64_t more = policy_.domain_cost(domain, devices_of(take), pod_);
            BERTH_AUDIT(is_within_contract(more, tree_), "a cost leaves room for all levels'");
            costs[take] += more;
        }
    }
    costs_[node.index] = costs;
}

void TreeScoreIndex::catch_up() {
    domains_.catch_up();
    if (changes_.has_missed()) {
        for (std::uint32_t server = 0; server < tree_.server_count(); ++server) {
            rescore(ServerId{server});
        }
        for (std::uint32_t node = tree_.node_count() - tree_.server_count(); node-- > 1;) {
            settle(NodeId{node});
        }
        changes_.skip();
    }
    while (const auto server = changes_.next()) {
        rescore(*server);
        for (NodeId node = tree_.parent(tree_.node_of(*server)); node != tree_.root();
             node = tree_.parent(node)) {
            settle(node);
        }
    }
}

std::optional<ServerId> TreeScoreIndex::best() {
    // Below the root, which may have the most children, both ways are looked at together; further
    // down only the better one.
    TakeCosts least = nowhere;
    std::array<std::uint32_t, take_count> child_of{};
    const NodeId root = tree_.root();
    for (std::uint32_t child = tree_.child_begin(root); child < tree_.child_end(root); ++child) {
        for (std::size_t take = 0; take < take_count; ++take) {
            if (costs_[child][take] < least[take]) {
                least[take] = costs_[child][take];
                child_of[take] = child;
            }
        }
    }
    const std::size_t take = least[0] <= least[1] ? 0 : 1;
    if (least[take] == no_way) {
        return std::nullopt;
    }
    NodeId node{child_of[take]};
    while (!tree_.is_server(node)) {
        std::uint32_t best = tree_.child_begin(node);
        for (std::uint32_t child = best + 1; child < tree_.child_end(node); ++child) {
            best = costs_[child][take] < costs_[best][take] ? child : best;
        }
        node = NodeId{best};
    }
    BERTH_ASSERT(costs_[node.index][take] != no_way, "the best way from the root ends on a server");
    return tree_.server_of(node);
}

}  // namespace berth::core
