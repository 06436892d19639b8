#include "tests/model/plain_inside.hpp"

#include "tests/model/plain_gpu_policies.hpp"
#include "tests/model/plain_gpus.hpp"
#include "tests/model/plain_scores.hpp"

namespace berth::tests {
namespace {

/// The server on which the pod's devices would be nearest to each other.
std::optional<std::uint32_t> best_by_nearness(const PlainCluster& cluster, const sim::Job& job) {
    std::optional<std::uint32_t> best;
    int most = -1;
    for (std::uint32_t server = 0; server < cluster.free.size(); ++server) {
        const int here =
            cluster.has_room(job, server) ? cluster.devices.nearness(job, server) : most;
        if (here > most) {
            best = server;
            most = here;
        }
    }
    return best;
}

}  // namespace

std::optional<std::uint32_t> best_server(const PlainCluster& cluster,
                                         const sim::Job& job,
                                         const PlainCase& of) {
    const sim::InsidePlugins& plugins = of.settings.profile.inside;
    if (plugins.gpus && !plugins.gpus->policy.empty()) {
        return best_by_gpus(cluster, job);
    }
    return plugins.devices && plugins.devices->weight > 0
               ? best_by_nearness(cluster, job)
               : PlainScores::best(cluster, job, of.score);
}

std::vector<PlainGrant> grants_at(PlainCluster cluster,
                                  const sim::Job& job,
                                  const PlainPlaces& places) {
    std::vector<PlainGrant> grants;
    const bool shares = cluster.sharing != nullptr && gpus_asked(job).count > 0;
    const bool candidates = cluster.has_providers && job.query != nullptr;
    if (!shares && !candidates && (!cluster.has_devices || job.devices == nullptr)) {
        return grants;
    }
    for (const auto& [node, count] : places) {
        const std::uint32_t server = cluster.tree->server_of(node).index;
        for (core::Members i = 0; i < count; ++i) {
            grants.push_back(shares       ? choose_gpus(cluster, job, server)
                             : candidates ? cluster.providers.choose(job, server).value()
                                          : cluster.devices.choose(job, server));
            cluster.claim(job, server, 1);
            cluster.take(server, grants.back());
        }
    }
    return grants;
}

core::Members servable(PlainCluster cluster, const sim::Job& job, const PlainPlaces& places) {
    core::Members served = 0;
    for (const auto& [node, count] : places) {
        const std::uint32_t server = cluster.tree->server_of(node).index;
        for (core::Members i = 0; i < count; ++i) {
            const auto grant = cluster.has_providers ? cluster.providers.choose(job, server)
                                                     : std::optional<PlainGrant>(PlainGrant());
            if (grant) {
                cluster.take(server, *grant);
                ++served;
            }
        }
    }
    return served;
}

}  // namespace berth::tests
