#include "experiments/program/forecast/settings_at.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "experiments/program/run/run_experiment.hpp"
#include "sim/profile/admission.hpp"

namespace berth::experiments {
namespace {

using sim::SimTime;

void add_servers_below(core::NodeId node,
                       const core::Topology& tree,
                       std::set<core::ServerId>& servers) {
    if (tree.is_server(node)) {
        servers.insert(tree.server_of(node));
    }
    for (const core::NodeId child : tree.children(node)) {
        add_servers_below(child, tree, servers);
    }
}

/// Takes the servers away that are out at `now`, and keeps of what comes later only which servers
/// are added.
void set_servers(const Past& past,
                 SimTime now,
                 const core::Topology& tree,
                 sim::Settings& settings) {
    std::set<core::ServerId> out(settings.absent.begin(), settings.absent.end());
    std::set<core::ServerId> added_later = out;
    std::vector<sim::NodeChange> additions;
    for (const sim::NodeChange& change : settings.node_changes) {
        if (change.at <= now) {
            added_later.erase(change.server);
            change.up ? (void)out.erase(change.server) : (void)out.insert(change.server);
        } else if (change.up && added_later.erase(change.server) > 0) {
            additions.push_back({change.at - now, change.server, true});
        }
    }
    for (const PastOutage& outage : past.outages()) {
        if (outage.from <= now && (!outage.until || now < *outage.until)) {
            add_servers_below(outage.node, tree, out);
        }
    }
    settings.absent.assign(out.begin(), out.end());
    settings.node_changes = std::move(additions);
    settings.failure_causes.clear();
}

/// Changes that were made by `now` are made at once.
void set_quotas(SimTime now, sim::Settings& settings) {
    if (settings.quotas) {
        for (sim::QuotaChange& change : settings.quotas->changes) {
            change.at = std::max(change.at - now, SimTime(0));
        }
    }
    if (settings.admission != nullptr) {
        settings.admission = settings.admission->begun_at(now);
    }
}

void set_drains(SimTime now, sim::Settings& settings) {
    std::erase_if(settings.drains, [&](const auto& drain) { return drain.until <= now; });
    for (auto& drain : settings.drains) {
        drain.at = std::max(drain.at - now, SimTime(0));
        drain.until = drain.until == sim::never ? sim::never : drain.until - now;
    }
}

}  // namespace

sim::Settings settings_at(const ExperimentSpec& spec,
                          const Past& past,
                          SimTime now,
                          SimTime horizon) {
    sim::Settings settings = settings_of(spec, spec.seed);
    settings.until = horizon;
    settings.sample_every = SimTime(0);
    settings.sample_arrivals = false;
    settings.attainable = false;
    settings.window = {};
    set_servers(past, now, *spec.topology, settings);
    set_quotas(now, settings);
    set_drains(now, settings);
    return settings;
}

}  // namespace berth::experiments
