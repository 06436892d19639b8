#pragma once

#include <vector>

#include "sim/cluster/cluster.hpp"
#include "sim/profile/placer.hpp"

namespace berth::tests {

/// A placer with its cluster; whatever the placer finds is claimed.
struct Decider {
    Decider(const sim::Profile& profile, core::Ledger& ledger)
        : cluster(ledger, profile.inside), placer(profile, cluster, false) {}

    struct Decision : sim::Attempt {
        std::vector<std::vector<sim::Grant>> grants;  ///< Grants by server.
    };
    Decision schedule(const sim::Job& job, core::Members members) {
        Decision decision{placer.find(job, members), {}};
        if (decision.found) {
            decision.grants = cluster.claim(job, decision.servers, decision.placement);
        }
        return decision;
    }

    sim::Cluster cluster;
    sim::Placer placer;
};

}  // namespace berth::tests
