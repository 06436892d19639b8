#include "sim/measure/gpu_idle_index.hpp"

#include <algorithm>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {

using core::Amount;
using core::ChangeReader;
using core::ServerId;

Amount idle_gpus(const core::Ledger& ledger, ServerId server, std::size_t gpu) {
    BERTH_AUDIT(gpu < ledger.resource_count(), "GPUs are a resource of the schema");
    return std::max<Amount>(ledger.available(ledger.topology().node_of(server))[gpu], 0);
}

GpuIdleIndex::GpuIdleIndex(const Cluster& cluster, Job job, std::size_t gpu, std::uint32_t met)
    : cluster_(cluster),
      job_(std::move(job)),
      gpu_(gpu),
      met_(met),
      changes_{
          ChangeReader(&cluster.ledger().changes()), ChangeReader(nullptr), ChangeReader(nullptr)},
      here_(cluster.topology().server_count()) {
    if (const core::ServerRule* rule = cluster.rule(job_, met_)) {
        changes_[1] = ChangeReader(rule->score_changes());
        changes_[2] = ChangeReader(rule->most_changes());
    }
    for (std::uint32_t server = 0; server < here_.size(); ++server) {
        look_at(ServerId{server});
    }
}

void GpuIdleIndex::catch_up() {
    if (std::ranges::any_of(changes_, &ChangeReader::has_missed)) {
        for (std::uint32_t server = 0; server < here_.size(); ++server) {
            look_at(ServerId{server});
        }
        std::ranges::for_each(changes_, &ChangeReader::skip);
    }
    for (ChangeReader& changes : changes_) {
        while (const auto server = changes.next()) {
            look_at(*server);
        }
    }
}

void GpuIdleIndex::look_at(ServerId server) {
    ++looks_;
    Here now;
    if (!cluster_.calendar().is_open(server)) {
        now.idle = idle_gpus(cluster_.ledger(), server, gpu_);
    }
    if (now.idle > 0) {
        now.lack = cluster_.lack(job_, server, met_);
        // Only a group asks for more than one place; what it does not need is not counted.
        now.places =
            job_.group && now.lack == Lack::nothing ? cluster_.places(job_, server, met_) : 0;
    }
    Here& before = here_[server.index];
    idle_[static_cast<std::size_t>(before.lack)] -= before.idle;
    idle_[static_cast<std::size_t>(now.lack)] += now.idle;
    places_ += now.places - before.places;
    BERTH_ASSERT(idle_[static_cast<std::size_t>(now.lack)] >= 0 && places_ >= 0,
                 "what a server adds is taken back once");
    before = now;
}

}  // namespace berth::sim
