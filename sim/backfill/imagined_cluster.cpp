#include "sim/backfill/imagined_cluster.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace berth::sim {

using core::Amount;
using core::Members;
using core::ServerId;

ImaginedCluster::ImaginedCluster(const Profile& profile, const Cluster& real)
    : real_(real),
      ledger_(real.ledger()),
      cluster_(real.plan_over(ledger_)),
      placer_(profile, *cluster_, false) {}

void ImaginedCluster::show(std::uint32_t server, std::span<const Amount> available) {
    const ServerId id{server};
    if (const bool there = real_.is_in_plans(id); ledger_.is_up(id) != there) {
        if (there) {
            ledger_.bring_up(id);
            cluster_->inside().join(id);
        } else {
            ledger_.take_down(id);
            cluster_->inside().leave(id);
        }
    }
    const auto shown = ledger_.available(ledger_.topology().node_of(id));
    if (std::ranges::equal(shown, available)) {
        return;
    }
    std::vector<Amount> difference(available.size());
    std::ranges::transform(shown, available, difference.begin(), std::minus());
    ledger_.occupy(id, difference);
}

void ImaginedCluster::hide(std::uint32_t server, bool hidden) {
    if (cluster_->hide(ServerId{server}, hidden)) {
        note_change(server);
    }
}

void ImaginedCluster::show_inside(std::uint32_t place, const Inside::Taken& taken) {
    if (cluster_->inside().taken(place) != taken) {
        cluster_->inside().show(place, taken);
        if (place < ledger_.topology().server_count()) {
            note_change(place);
        }
    }
}

void ImaginedCluster::show_pods(const Job& job, std::uint32_t server, Members pods) {
    if (cluster_->show_pods(job, ServerId{server}, pods)) {
        note_change(server);
    }
}

/// Makes everything that is derived from the ledger look at this server again.
void ImaginedCluster::note_change(std::uint32_t server) {
    ledger_.occupy(ServerId{server}, std::vector<Amount>(ledger_.resource_count()));
}

std::optional<Attempt> ImaginedCluster::find(const Job& job, Members members) {
    Attempt attempt = placer_.find(job, members);
    if (!attempt.found) {
        return std::nullopt;
    }
    if (cluster_->inside().rule(job) != nullptr) {
        attempt.grants = cluster_->grants_on(job, attempt.servers);
        for (const core::PlacedNode& placed : attempt.servers) {
            note_change(cluster_->topology().server_of(placed.node).index);  // and changed back
        }
    }
    return attempt;
}

}  // namespace berth::sim
