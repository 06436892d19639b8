#include "sim/run/outages.hpp"

#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {

using core::NodeId;
using core::ServerId;

Outages::Outages(Cluster& cluster,
                 JobLife& jobs,
                 const Measures& measures,
                 RecordSink& sink,
                 const Settings& settings)
    : cluster_(cluster),
      jobs_(jobs),
      measures_(measures),
      sink_(sink),
      taken_away_(cluster.topology().server_count()),
      holds_(settings.failure_causes.empty() ? 0 : cluster.topology().node_count()) {
    for (const ServerId server : settings.absent) {
        taken_away_[server.index] = true;
    }
}

void Outages::change(const NodeChange& change) {
    taken_away_[change.server.index] = !change.up;
    (void)settle_server(change.server, std::nullopt);
}

void Outages::happen(FailureEvent&& event) {
    if (event.begins) {
        BERTH_ASSERT(event.number == first_ + outages_.size(), "outages are counted as they begin");
        ++open_;
        outages_.push_back({std::move(*event.begins)});
        Outage& outage = outages_.back().outage;
        outage.jobs = hold(outage.node, outage.cause);
        return;
    }
    BERTH_ASSERT(event.number >= first_ && event.number - first_ < outages_.size(),
                 "what is over has begun");
    Entry& entry = outages_[event.number - first_];
    BERTH_ASSERT(!entry.over, "an outage is over once");
    --open_;
    entry.over = true;
    entry.outage.back = event.at;
    (void)hold(entry.outage.node, std::nullopt);
    while (!outages_.empty() && outages_.front().over) {
        record_front();
    }
}

void Outages::end() {
    while (!outages_.empty()) {
        record_front();
    }
}

void Outages::record_front() {
    sink_.outage(outages_.front().outage);
    outages_.pop_front();
    ++first_;
}

std::uint64_t Outages::hold(NodeId node, std::optional<std::uint32_t> cause) {
    const bool out = cause.has_value();
    const core::Topology& tree = cluster_.topology();
    std::uint64_t jobs = 0;
    std::uint32_t begin = node.index;
    std::uint32_t end = node.index + 1;
    while (true) {
        const bool servers = tree.is_server(NodeId{begin});
        for (std::uint32_t below = begin; below < end; ++below) {
            BERTH_ASSERT(out || holds_[below] > 0, "only what is held is let go");
            const bool changed = out ? holds_[below]++ == 0 : --holds_[below] == 0;
            if (changed && servers) {
                jobs += settle_server(tree.server_of(NodeId{below}), cause);
            } else if (changed) {
                count(NodeId{below}, out);
            }
        }
        if (servers) {
            return jobs;
        }
        begin = tree.child_begin(NodeId{begin});
        end = tree.child_end(NodeId{end - 1});
    }
}

/// A server that should be there comes, one that should not leaves, with all who run there.
std::uint64_t Outages::settle_server(ServerId server, std::optional<std::uint32_t> cause) {
    const NodeId node = cluster_.topology().node_of(server);
    const bool out = taken_away_[server.index] || (!holds_.empty() && holds_[node.index] > 0);
    if (cluster_.ledger().is_up(server) != out) {
        return 0;
    }
    count(node, out);
    return jobs_.change_server(server, !out, cause);
}

void Outages::count(NodeId node, bool out) const {
    measures_.nodes_out(cluster_.topology().level_of(node), out ? 1 : -1);
}

}  // namespace berth::sim
