#include "core/ledger/ledger_invariants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Core>
#include <algorithm>
#include <string>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::core {
namespace {

using Sums = std::vector<std::vector<Amount>>;  ///< The sum of each resource for each node.

/// What each node has if each server has what `of_server` says: an inner node has the sum over its
/// children.
template <class OfServer>
Sums sums(const Topology& tree, std::size_t resources, OfServer of_server) {
    Sums sums(tree.node_count(), std::vector<Amount>(resources));
    for (std::uint32_t index = tree.node_count(); index-- > 0;) {
        const NodeId node{index};
        if (tree.is_server(node)) {
            sums[index] = of_server(tree.server_of(node));
        }
        for (std::size_t r = 0; node != tree.root() && r < resources; ++r) {
            sums[tree.parent(node).index][r] += sums[index][r];
        }
    }
    return sums;
}

template <class Of>
std::optional<Violation> find_other(const Ledger& ledger,
                                    const Sums& expected,
                                    const char* invariant,
                                    Of of) {
    const Topology& tree = ledger.topology();
    for (std::uint32_t index = 0; index < tree.node_count(); ++index) {
        for (std::size_t r = 0; r < ledger.resource_count(); ++r) {
            const Amount found = of(NodeId{index})[r];
            if (found != expected[index][r]) {
                return Violation{
                    invariant,
                    fmt::format("{}, {}", tree.path(NodeId{index}), tree.resources().name(r)),
                    fmt::format("{}", found),
                    fmt::format("{}", expected[index][r])};
            }
        }
    }
    return std::nullopt;
}

std::optional<Violation> find_wrong_capacity(const Ledger& ledger) {
    const Topology& tree = ledger.topology();
    const auto of_server = [&](ServerId server) {
        std::vector<Amount> amounts(ledger.resource_count());
        for (std::size_t r = 0; ledger.is_up(server) && r < amounts.size(); ++r) {
            amounts[r] = tree.machine_type(server).capacity(static_cast<Eigen::Index>(r));
        }
        return amounts;
    };
    return find_other(ledger,
                      sums(tree, ledger.resource_count(), of_server),
                      "a node has the capacity of its servers that are up",
                      [&](NodeId node) { return ledger.capacity(node); });
}

std::optional<Violation> find_wrong_available(const Ledger& ledger) {
    const Topology& tree = ledger.topology();
    const auto of_server = [&](ServerId server) {
        const auto here = ledger.available(tree.node_of(server));
        return std::vector<Amount>(here.begin(), here.end());
    };
    return find_other(ledger,
                      sums(tree, ledger.resource_count(), of_server),
                      "a node has available what its servers have",
                      [&](NodeId node) { return ledger.available(node); });
}

/// Checks that a server's set is that of its devices, and that its kinds are those of the pods on
/// it.
std::optional<Violation> find_wrong_gpus(const Ledger& ledger, ServerId server) {
    const GpuShares& gpus = ledger.gpus();
    const auto devices = gpus.free(server);
    std::vector<GpuMilli> free(devices.begin(), devices.end());
    std::ranges::sort(free);
    const std::string where = ledger.topology().path(ledger.topology().node_of(server));
    const auto known = gpus.sets().free(gpus.set(server));
    if (!std::ranges::equal(known, free)) {
        return Violation{"the set of a server's GPUs is what is free of each",
                         where,
                         fmt::format("{}", fmt::join(known, " ")),
                         fmt::format("{}", fmt::join(free, " "))};
    }
    const GpuShares::Taken taken = gpus.taken(server);  // first by device, then pods by kind
    const std::size_t stride = taken.size() / 2;
    // the last one stands for all kinds above it
    for (std::size_t kind = 0; kind < stride; ++kind) {
        const bool found = (gpus.kinds(server) >> kind & 1) != 0;
        const bool expected = taken[stride + kind] > 0;
        if (found != expected) {
            return Violation{"a server knows the kinds of its GPU pods",
                             fmt::format("{}, kind {}", where, kind),
                             found ? "some" : "none",
                             expected ? "some" : "none"};
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Violation> find_violation(const Ledger& ledger) {
    if (auto violation = find_wrong_capacity(ledger)) {
        return violation;
    }
    return find_wrong_available(ledger);
}

std::optional<Violation> find_wrong_gpus(const Ledger& ledger) {
    for (std::uint32_t server = 0; server < ledger.topology().server_count(); ++server) {
        if (auto violation = find_wrong_gpus(ledger, ServerId{server})) {
            return violation;
        }
    }
    return std::nullopt;
}

}  // namespace berth::core
