#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/index/fit_index.hpp"

namespace berth::core {
namespace {

/// Compares the children that are kept in order with all children sorted afresh.
std::optional<Violation> find_wrong_order(const FitIndex& index, NodeId node) {
    const Topology& tree = index.ledger().topology();
    const SortedChildren* sorted = index.sorted_children(node);
    if (sorted == nullptr) {
        return std::nullopt;
    }
    std::vector<Child> expected;
    for (const NodeId child : tree.children(node)) {
        expected.push_back({index.fit(child), child});
    }
    std::ranges::sort(expected, TriedBefore<ChildOrder::increasing_fit>());
    const auto text = [&](const Child& child) {
        return fmt::format("{} with a fit of {}", tree.path(child.node), child.fit);
    };
    auto found = sorted->walk(ChildOrder::increasing_fit, std::numeric_limits<Members>::min());
    for (std::size_t i = 0; i < expected.size(); ++i, found.next()) {
        if (found.done() || found.child().node != expected[i].node ||
            found.child().fit != expected[i].fit) {
            return Violation{"the children of a wide node are kept in order",
                             fmt::format("{}, child {}", tree.path(node), i),
                             found.done() ? "none" : text(found.child()),
                             text(expected[i])};
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Violation> FitIndex::find_violation() const {
    const FitIndex fresh(ledger_, demand_, rule_, servers_);
    for (std::uint32_t index = 0; index < tree_.node_count(); ++index) {
        if (fit_[index] != fresh.fit_[index]) {
            return Violation{"a fit index has the fits of an index that is built anew",
                             tree_.path(NodeId{index}),
                             fmt::format("{}", fit_[index]),
                             fmt::format("{}", fresh.fit_[index])};
        }
    }
    for (std::uint32_t index = 0; index < tree_.node_count() - tree_.server_count(); ++index) {
        if (auto violation = find_wrong_order(*this, NodeId{index})) {
            return violation;
        }
    }
    return std::nullopt;
}

}  // namespace berth::core
