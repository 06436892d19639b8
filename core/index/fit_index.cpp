#include "core/index/fit_index.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::core {

FitIndex::FitIndex(const Ledger& ledger,
                   std::vector<Amount> demand,
                   NumFit rule,
                   const ServerRule* servers)
    : ledger_(ledger),
      tree_(ledger.topology()),
      demand_(std::move(demand)),
      rule_(rule),
      servers_(servers),
      limited_(servers != nullptr ||
               std::ranges::all_of(demand_, [](Amount amount) { return amount == 0; })),
      changes_(&ledger.changes()),
      rule_changes_(servers != nullptr ? servers->most_changes() : nullptr),
      first_server_(tree_.node_count() - tree_.server_count()) {
    BERTH_ASSERT(demand_.size() == ledger.resource_count(), "a demand is by the schema");
    rebuild();
}

const SortedChildren* FitIndex::sorted_children(NodeId inner) const {
    if (inner.index >= sorted_.size() || !sorted_[inner.index]) {
        return nullptr;
    }
    return &*sorted_[inner.index];
}

Members FitIndex::most_by_rule(NodeId node, Members fit) const {
    if (fit <= 0) {
        return fit;
    }
    const ServerId server = tree_.server_of(node);
    if (!ledger_.is_up(server)) {
        return 0;  // by amounts alone, a pod that asks for nothing would fit here
    }
    if (servers_ == nullptr) {
        return fit;
    }
    const Members most = servers_->most(server, fit);
    BERTH_ASSERT(most >= 0 && most <= fit, "a rule allows no more members than the amounts do");
    return most;
}

inline Members FitIndex::fit_of_server(NodeId node) const {
    const Members fit = fit_of(ledger_.available(node), demand_);
    return limited_ ? most_by_rule(node, fit) : fit;
}

void FitIndex::rebuild() {
    const std::uint32_t nodes = tree_.node_count();
    const std::uint32_t inner_nodes = nodes - tree_.server_count();
    fit_.assign(nodes, 0);
    for (std::uint32_t index = nodes; index-- > 0;) {
        const NodeId node{index};
        if (index >= inner_nodes) {
            fit_[index] = fit_of_server(node);
        } else if (rule_ == NumFit::aggregate) {
            fit_[index] = fit_of(ledger_.available(node), demand_);
        }
        if (index > 0 && rule_ == NumFit::percolated) {
            fit_[tree_.parent(node).index] += fit_[index];
        }
    }
    sorted_.clear();
    for (std::uint32_t index = 0; index < inner_nodes; ++index) {
        const NodeId node{index};
        if (tree_.child_end(node) - tree_.child_begin(node) >= wide_node_min) {
            std::vector<Child> children;
            for (const NodeId child : tree_.children(node)) {
                children.push_back({fit(child), child});
            }
            sorted_.resize(index + 1);
            sorted_[index].emplace(std::move(children));
        }
    }
    pending_.assign(tree_.level_count() - 1, {});
    NodeId path = NodeId{inner_nodes};
    for (Pending& pending : pending_) {
        path = tree_.parent(path);
        pending.node = path;
    }
    changes_.skip();
    rule_changes_.skip();
    servers_refitted_ += tree_.server_count();
}

/// Settles the part of the path that differs, then follows the path of a server with this parent.
void FitIndex::follow(NodeId parent) {
    std::size_t shared = 0;
    NodeId ancestor = parent;
    while (ancestor != pending_[shared].node) {
        BERTH_AUDIT(shared + 1 < pending_.size(), "two paths meet at the root at last");
        ++shared;
        ancestor = tree_.parent(ancestor);
    }
    settle(shared);
    ancestor = parent;
    for (std::size_t level = 0; level < shared; ++level) {
        pending_[level].node = ancestor;
        ancestor = tree_.parent(ancestor);
    }
}

/// Computes the fit of the changed servers afresh. The servers of one claim stand together in the
/// log, so what is the same for a whole rack is looked up once, and the change of an ancestor is
/// summed up until the log leaves it: each ancestor settles once instead of once for each server.
void FitIndex::refit(ChangeReader& changes) {
    const std::size_t resources = demand_.size();
    const std::span<const Amount> demand = demand_;
    const Amount* const available = ledger_.available(tree_.root()).data();
    Members* const fits = fit_.data();
    Siblings siblings = siblings_below(pending_[0].node);
    Members delta = 0;
    changes.each([&](ServerId server) {
        const NodeId node{first_server_ + server.index};
        ++servers_refitted_;
        if (node.index - siblings.first >= siblings.count) {
            pending_[0].delta += delta;
            delta = 0;
            const NodeId parent = tree_.parent(node);
            follow(parent);
            siblings = siblings_below(parent);
        }
        const Members before = fits[node.index];
        Members now = fit_of({available + node.index * resources, resources}, demand);
        if (limited_) {
            now = most_by_rule(node, now);
        }
        if (before != now) {
            if (siblings.sorted != nullptr) {
                siblings.sorted->change_fit(node, before, now);
            }
            fits[node.index] = now;
            delta += now - before;
        }
    });
    pending_[0].delta += delta;
}

FitIndex::Siblings FitIndex::siblings_below(NodeId parent) {
    const std::uint32_t first = tree_.child_begin(parent);
    const bool wide = parent.index < sorted_.size() && sorted_[parent.index];
    return {first, tree_.child_end(parent) - first, wide ? &*sorted_[parent.index] : nullptr};
}

void FitIndex::catch_up() {
    if (changes_.has_missed() || rule_changes_.has_missed()) {
        rebuild();
        return;
    }
    const std::uint64_t before = servers_refitted_;
    refit(changes_);
    refit(rule_changes_);
    if (servers_refitted_ > before) {
        settle(pending_.size());
    }
    BERTH_AUDIT(!find_violation(), "an index that caught up is as one built anew");
}

void FitIndex::settle(std::size_t levels) {
    BERTH_ASSERT(levels <= pending_.size(), "no more levels change than lie above the servers");
    for (std::size_t level = 0; level < levels; ++level) {
        Pending& pending = pending_[level];
        const Members before = fit_[pending.node.index];
        const Members now = rule_ == NumFit::percolated
                                ? before + pending.delta
                                : fit_of(ledger_.available(pending.node), demand_);
        if (level + 1 < pending_.size()) {
            const NodeId parent = pending_[level + 1].node;
            pending_[level + 1].delta += pending.delta;
            if (parent.index < sorted_.size() && sorted_[parent.index]) {
                sorted_[parent.index]->change_fit(pending.node, before, now);
            }
        }
        fit_[pending.node.index] = now;
        pending.delta = 0;
    }
}

}  // namespace berth::core
