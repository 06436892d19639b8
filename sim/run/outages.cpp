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
      drained_(cluster.topology().server_count()),
      holds_(settings.failure_causes.empty() ? 0 : cluster.topology().node_count()),
      hidden_(holds_.size()) {
    for (const ServerId server : settings.absent) {
        taken_away_[server.index] = true;
    }
}

void Outages::change(const NodeChange& change) {
    const NodeId node = cluster_.topology().node_of(change.server);
    const bool was_out = is_out(node);
    taken_away_[change.server.index] = !change.up;
    (void)settle(node, was_out, std::nullopt);
}

void Outages::happen(FailureEvent&& event) {
    if (event.begins) {
        BERTH_ASSERT(event.number == first_ + outages_.size(), "outages are counted as they begin");
        begin(std::move(*event.begins), event.detected);
        return;
    }
    BERTH_ASSERT(event.number >= first_ && event.number - first_ < outages_.size(),
                 "what is detected, or over, has begun");
    Entry& entry = outages_[event.number - first_];
    if (event.detected) {
        detect(entry);
        return;
    }
    entry.outage.back = event.at;
    finish(entry);
    while (!outages_.empty() && outages_.front().over) {
        record_front();
    }
}

void Outages::drain(ServerId server, bool drained) {
    BERTH_ASSERT(drained_[server.index] != drained, "a server leaves for one drain at a time");
    drained_[server.index] = drained;
    (void)settle_server(server, std::nullopt);
}

void Outages::keep_as_spare(ServerId server, bool spare) {
    cluster_.set_spare(server, spare);
    (void)settle_server(server, std::nullopt);
}

void Outages::begin(Outage&& outage, bool detected) {
    ++open_;
    for_each_below(outage.node, [&](NodeId node) {
        const bool was_out = is_out(node);
        ++(detected ? holds_ : hidden_)[node.index];
        outage.jobs += settle(node, was_out, outage.cause);
    });
    outages_.push_back({std::move(outage), detected});
}

void Outages::detect(Entry& entry) {
    BERTH_ASSERT(!entry.detected, "an outage is detected once");
    entry.detected = true;
    for_each_below(entry.outage.node, [&](NodeId node) {
        --hidden_[node.index];
        ++holds_[node.index];
        entry.outage.jobs += settle(node, true, entry.outage.cause);
    });
}

void Outages::finish(Entry& entry) {
    BERTH_ASSERT(entry.detected && !entry.over, "an outage is over once, when it is known");
    --open_;
    entry.over = true;
    for_each_below(entry.outage.node, [&](NodeId node) {
        BERTH_ASSERT(holds_[node.index] > 0, "only what is held is let go");
        --holds_[node.index];
        (void)settle(node, true, std::nullopt);
    });
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

void Outages::for_each_below(NodeId node, const std::function<void(NodeId)>& visit) const {
    const core::Topology& tree = cluster_.topology();
    std::uint32_t begin = node.index;
    std::uint32_t end = node.index + 1;
    while (true) {
        for (std::uint32_t below = begin; below < end; ++below) {
            visit(NodeId{below});
        }
        if (tree.is_server(NodeId{begin})) {
            return;
        }
        begin = tree.child_begin(NodeId{begin});
        end = tree.child_end(NodeId{end - 1});
    }
}

bool Outages::is_out(NodeId node) const {
    const core::Topology& tree = cluster_.topology();
    return (!holds_.empty() && holds_[node.index] + hidden_[node.index] > 0) ||
           (tree.is_server(node) && taken_away_[tree.server_of(node).index]);
}

std::uint64_t Outages::settle(NodeId node, bool was_out, std::optional<std::uint32_t> cause) {
    const core::Topology& tree = cluster_.topology();
    if (const bool out = is_out(node); out != was_out) {
        measures_.nodes_out(tree.level_of(node), out ? 1 : -1);
    }
    return tree.is_server(node) ? settle_server(tree.server_of(node), cause) : 0;
}

/// A server that should be there comes, and one that should not leaves, with all jobs that run
/// there. A server that has failed unnoticed is there, and no job works on it. Schedulers that plan
/// are told of what does not go as the server's drain said. A spare that fails or is drained is no
/// longer a spare.
std::uint64_t Outages::settle_server(ServerId server, std::optional<std::uint32_t> cause) {
    const NodeId node = cluster_.topology().node_of(server);
    const bool failed = taken_away_[server.index] || (!holds_.empty() && holds_[node.index] > 0);
    if (cluster_.is_spare(server) && (failed || drained_[server.index])) {
        cluster_.set_spare(server, false);
        lost_spares_.push_back(server);
    }
    const bool known = failed || drained_[server.index] || cluster_.is_spare(server);
    const bool broken = !hidden_.empty() && hidden_[node.index] > 0;
    std::uint64_t jobs = 0;
    if (!broken || known) {
        jobs_.set_broken(server, false);
    }
    const bool was_drained = cluster_.is_drained(server);
    const bool is_drained = drained_[server.index] && !failed;
    cluster_.set_drained(server, is_drained);
    if (cluster_.ledger().is_up(server) == known) {
        jobs = jobs_.change_server(server, !known, cause, was_drained || is_drained);
    } else if (was_drained != is_drained) {
        jobs_.change_drains(false);
    }
    if (broken && !known) {
        jobs_.set_broken(server, true);
    }
    return jobs;
}

}  // namespace berth::sim
