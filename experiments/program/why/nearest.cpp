#include "experiments/program/why/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>

#include "core/support/text.hpp"
#include "sim/job/node_selector.hpp"

namespace berth::experiments {

using core::Amount;
using core::NodeId;
using core::ServerId;

std::vector<NearServer> nearest_servers(const sim::Turn& turn, std::size_t count) {
    const core::Topology& tree = turn.ledger.topology();
    const sim::Demand& demand = turn.record.job.demand;
    std::vector<NearServer> near;
    for (std::uint32_t index = 0; index < tree.server_count(); ++index) {
        NearServer here{ServerId{index}, std::vector<Amount>(demand.size(), 0), 0};
        const NodeId node = tree.node_of(here.server);
        const auto available = turn.ledger.available(node);
        const auto capacity = turn.ledger.capacity(node);
        bool large_enough = turn.ledger.is_up(here.server);
        for (std::size_t r = 0; r < demand.size(); ++r) {
            large_enough = large_enough && capacity[r] >= demand[r];
            if (large_enough && available[r] < demand[r]) {
                here.lacking[r] = demand[r] - available[r];
                const auto share =
                    (static_cast<core::Quantity>(here.lacking[r]) << 32) / capacity[r];
                here.share = std::max(here.share, static_cast<std::int64_t>(share));
            }
        }
        if (large_enough) {
            near.push_back(std::move(here));
        }
    }
    const sim::NodeSelector* nodes = turn.record.job.nodes.get();
    const auto less = [nodes](const NearServer& a, const NearServer& b) {
        const auto forbidden = [&](const NearServer& one) {
            return nodes != nullptr && !nodes->selects(one.server);
        };
        return std::tuple(forbidden(a), a.share, a.server) <
               std::tuple(forbidden(b), b.share, b.server);
    };
    const std::size_t kept = std::min(count, near.size());
    std::ranges::partial_sort(near, near.begin() + static_cast<std::ptrdiff_t>(kept), less);
    near.resize(kept);
    return near;
}

std::string amounts_text(const core::ResourceSchema& schema, std::span<const Amount> amounts) {
    std::vector<std::string> parts;
    for (std::size_t r = 0; r < amounts.size(); ++r) {
        if (amounts[r] != 0) {
            parts.push_back(fmt::format("{} {}", schema.name(r), schema.format(r, amounts[r])));
        }
    }
    return core::join(parts, ", ");
}

LevelRoom room_in_the_way(const sim::Turn& turn,
                          const Finding& finding,
                          const std::vector<LevelRoom>& rooms) {
    LevelRoom out = rooms.front();
    for (const LevelRoom& room : rooms) {
        const std::string& name = turn.ledger.topology().level_name(room.level);
        const bool named = finding.subject == name || finding.subject.ends_with(" and " + name);
        out = finding.stage == WhyStage::level && named ? room : out;
    }
    return out;
}

core::Members members_below(const sim::JobRecord& running,
                            NodeId node,
                            const core::Topology& tree) {
    const core::Level level = tree.level_of(node);
    core::Members count = 0;
    for (const sim::Stint& stint : running.stints) {
        const bool here = tree.ancestor(tree.node_of(stint.server), level) == node;
        count += !stint.finish && here ? stint.members : 0;
    }
    return count;
}

}  // namespace berth::experiments
