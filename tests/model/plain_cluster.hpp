#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/index/num_fit.hpp"
#include "core/tree/topology.hpp"
#include "sim/job/job.hpp"
#include "tests/model/plain_devices.hpp"
#include "tests/model/plain_gpus.hpp"
#include "tests/model/plain_providers.hpp"
#include "tests/model/plain_sharing.hpp"

namespace berth::tests {

/// What is free on each server; sums over nodes are computed anew for every question.
struct PlainCluster {
    const core::Topology* tree = nullptr;
    std::vector<std::vector<core::Amount>> free;  ///< Free amounts by server.
    std::vector<bool> up;                         ///< Whether each server is up.
    /// Number of pods of an application on a server.
    std::map<std::pair<std::string, std::uint32_t>, core::Members> pods_of{};
    const PlainSharing* sharing = nullptr;  ///< Null if GPUs are not shared.
    PlainGpus gpus{};                       ///< GPUs, if they are shared.
    bool has_devices = false;               ///< Whether an allocator gives out devices.
    PlainDevices devices{};                 ///< Devices, if it does.
    bool has_providers = false;             ///< Whether pods take allocation candidates.
    PlainProviders providers{};             ///< Providers, if they do.

    [[nodiscard]] core::Amount capacity(std::uint32_t server, std::size_t resource) const {
        return tree->machine_type(core::ServerId{server})
            .capacity(static_cast<Eigen::Index>(resource));
    }
    [[nodiscard]] core::Amount free_of(std::uint32_t server, std::size_t resource) const {
        return up[server] ? free[server][resource] : 0;
    }
    void claim(const sim::Job& job, std::uint32_t server, core::Members members) {
        for (std::size_t r = 0; r < job.demand.size(); ++r) {
            free[server][r] -= members * job.demand[r];
        }
        pods_of[{job.application, server}] += job.per_server_max > 0 ? members : 0;
    }
    /// Frees what a pod holds on a server.
    void release(const sim::Job& job, std::uint32_t server, const PlainGrant& grant) {
        claim(job, server, -1);
        if (has_providers) {
            take_candidate(server, grant, -1);
        } else {
            has_devices ? devices.give_back(server, grant) : gpus.give_back(server, grant);
        }
    }
    /// Takes what a pod gets inside a server.
    void take(std::uint32_t server, const PlainGrant& grant) {
        if (has_providers) {
            take_candidate(server, grant, 1);
        } else {
            has_devices ? devices.take(server, grant) : gpus.take(server, grant);
        }
    }
    /// Amounts that a grant takes of the server in addition to the pod's demand.
    [[nodiscard]] std::vector<core::Amount> beside(std::uint32_t server,
                                                   const PlainGrant& grant) const {
        return has_providers ? providers.beside(server, grant)
                             : std::vector<core::Amount>(free[server].size(), 0);
    }
    /// For plans: takes what is left of a grant, since another pod may still hold parts of it.
    void take_what_is_left(std::uint32_t server, const PlainGrant& grant) {
        if (has_providers) {
            take_candidate(server, grant, 1);  // taking more than there is leaves nothing, either
        } else {
            has_devices ? devices.take_what_is_left(server, grant)
                        : gpus.take_what_is_left(server, grant);
        }
    }
    void join_inside(const PlainCluster& other) {
        gpus.join(other.gpus);
        devices.join(other.devices);
        providers.join(other.providers);
    }
    [[nodiscard]] bool is_free(std::uint32_t server, const PlainGrant& grant) const {
        return has_providers ? providers.is_free(grant)
               : has_devices ? devices.is_free(server, grant)
                             : gpus.is_free(server, grant);
    }

    /// Whether the server has the amounts for one more pod.
    [[nodiscard]] bool has_amounts(const sim::Job& job, std::uint32_t server) const {
        return up[server] && fit_by_amounts(job, {server}) > 0;
    }
    /// Whether the pod's application may have one more pod on the server.
    [[nodiscard]] bool may_spread(const sim::Job& job, std::uint32_t server) const {
        return spread_limit(job, server) > 0;
    }
    /// The number of pods for which the server has what they ask for besides amounts; counting may
    /// stop at `most`.
    [[nodiscard]] core::Members serves(const sim::Job& job,
                                       std::uint32_t server,
                                       core::Members most) const {
        return sharing != nullptr ? gpus.fit(*tree, job, server)
               : has_devices      ? devices.fit(job, server)
               : has_providers    ? providers.fit(job, server, most)
                                  : std::numeric_limits<core::Members>::max();
    }
    /// Whether one more pod may be placed there.
    [[nodiscard]] bool has_room(const sim::Job& job, std::uint32_t server) const {
        return has_amounts(job, server) && may_spread(job, server) && serves(job, server, 1) > 0;
    }
    /// The number of members that are assumed to fit below a node.
    [[nodiscard]] core::Members fit(const sim::Job& job,
                                    core::NodeId node,
                                    core::NumFit rule) const {
        if (tree->is_server(node)) {
            const std::uint32_t server = tree->server_of(node).index;
            const core::Members fit = fit_by_amounts(job, {server});
            const core::Members most = up[server] ? spread_limit(job, server) : 0;
            const core::Members limit = std::min(fit, most);
            return limit > 0 ? std::min(limit, serves(job, server, limit)) : limit;
        }
        if (rule == core::NumFit::aggregate) {
            return fit_by_amounts(job, servers_below(node));
        }
        core::Members sum = 0;
        for (const core::NodeId child : tree->children(node)) {
            sum += fit(job, child, rule);
        }
        return sum;
    }

private:
    void take_candidate(std::uint32_t server, const PlainGrant& grant, core::Amount sign) {
        sign > 0 ? providers.take(grant) : providers.give_back(grant);
        const std::vector<core::Amount> more = beside(server, grant);
        for (std::size_t r = 0; r < more.size(); ++r) {
            free[server][r] -= sign * more[r];
        }
    }
    [[nodiscard]] core::Members spread_limit(const sim::Job& job, std::uint32_t server) const {
        const auto here = pods_of.find({job.application, server});
        const core::Members pods = here == pods_of.end() ? 0 : here->second;
        return job.per_server_max > 0 ? std::max<core::Members>(job.per_server_max - pods, 0)
                                      : std::numeric_limits<core::Members>::max();
    }
    [[nodiscard]] std::vector<std::uint32_t> servers_below(core::NodeId node) const {
        if (tree->is_server(node)) {
            return {tree->server_of(node).index};
        }
        std::vector<std::uint32_t> out;
        for (const core::NodeId child : tree->children(node)) {
            const std::vector<std::uint32_t> below = servers_below(child);
            out.insert(out.end(), below.begin(), below.end());
        }
        return out;
    }
    /// How many more pods the amounts of these servers allow. Without any demand it is the number
    /// that the published program uses for "unlimited".
    [[nodiscard]] core::Members fit_by_amounts(const sim::Job& job,
                                               const std::vector<std::uint32_t>& servers) const {
        core::Members fit = 2147483647;
        for (std::size_t r = 0; r < job.demand.size(); ++r) {
            core::Amount sum = 0;
            for (const std::uint32_t server : servers) {
                sum += free_of(server, r);
            }
            fit = job.demand[r] > 0 ? std::min(fit, sum / job.demand[r]) : fit;
        }
        return fit;
    }
};

}  // namespace berth::tests
