#include "schedulers/kueue/decide/topology_aware/topology_snapshot.hpp"

#include <algorithm>
#include <utility>

#include "core/support/assert.hpp"
#include "core/support/text.hpp"
#include "schedulers/kueue/decide/amounts.hpp"

namespace berth::core::kueue {

TopologySnapshot::TopologySnapshot(Spec spec, const Ledger* ledger)
    : spec_(std::move(spec)), ledger_(ledger) {
    BERTH_ASSERT(!spec_.levels.empty(), "a topology has levels");
    if (ledger_ == nullptr) {
        return;
    }
    BERTH_ASSERT(tree().level_count() == spec_.levels.size() + 1, "the tree has the same levels");
    BERTH_ASSERT(!has_nodes() || spec_.nodes.size() == tree().server_count(),
                 "each leaf that is a node has its properties");
    for (std::uint32_t i = 0; i < tree().server_count(); ++i) {
        const NodeId leaf = tree().node_of(ServerId{i});
        leaves_.emplace(joined(leaf_values(leaf)), leaf);
    }
    if (spec_.tree != nullptr) {
        BERTH_ASSERT(spec_.servers.size() == tree().server_count(), "each leaf is a server");
        leaf_of_.resize(ledger_->topology().server_count());
        for (std::uint32_t i = 0; i < spec_.servers.size(); ++i) {
            leaf_of_[spec_.servers[i].index] = tree().node_of(ServerId{i});
        }
    }
}

ServerId TopologySnapshot::server_of(NodeId leaf) const {
    const ServerId own = tree().server_of(leaf);
    return spec_.tree != nullptr ? spec_.servers[own.index] : own;
}

std::optional<NodeId> TopologySnapshot::leaf_of(ServerId server) const {
    return spec_.tree != nullptr ? leaf_of_[server.index] : tree().node_of(server);
}

std::optional<std::size_t> TopologySnapshot::find_level(std::string_view label) const {
    const auto found = std::ranges::find(spec_.levels, label);
    return found == spec_.levels.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - spec_.levels.begin()));
}

std::vector<NodeId> TopologySnapshot::domains(std::size_t level) const {
    if (is_empty()) {
        return {};
    }
    const auto nodes = tree().level_nodes(Level{static_cast<std::uint32_t>(level + 1)});
    return {nodes.begin(), nodes.end()};
}

std::vector<std::string> TopologySnapshot::values(NodeId domain) const {
    std::vector<std::string> values;
    for (NodeId node = domain; node != tree().root(); node = tree().parent(node)) {
        values.emplace_back(tree().name(node));
    }
    std::ranges::reverse(values);
    return values;
}

std::vector<std::string> TopologySnapshot::leaf_values(NodeId leaf) const {
    return has_nodes() ? std::vector<std::string>{std::string(tree().name(leaf))} : values(leaf);
}

std::optional<NodeId> TopologySnapshot::find_leaf(const std::vector<std::string>& values) const {
    const auto found = leaves_.find(joined(values));
    return found == leaves_.end() ? std::nullopt : std::optional(found->second);
}

std::string TopologySnapshot::joined(const std::vector<std::string>& values) {
    return join(values, ",");
}

std::vector<Amount> TopologySnapshot::free(NodeId leaf, bool empty) const {
    const ServerId server = server_of(leaf);
    const std::span<const Amount> available =
        ledger_->available(ledger_->topology().node_of(server));
    std::vector<Amount> free(available.begin(), available.end());
    if (empty && spec_.held != nullptr) {
        const auto held = spec_.held->find(server);
        if (held != spec_.held->end()) {
            std::ranges::transform(free, held->second, free.begin(), plus);
        }
    }
    return free;
}

}  // namespace berth::core::kueue
