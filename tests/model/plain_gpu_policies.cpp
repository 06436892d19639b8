// The policies of shared GPUs, as docs/reference/policies.md and the published FGD simulator define
// them.

#include "tests/model/plain_gpu_policies.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/gpu_sharing/gpu_score_index.hpp"
#include "sim/clock/random.hpp"
#include "tests/model/plain_fragments.hpp"
#include "tests/model/plain_gpu_tree.hpp"
#include "tests/model/plain_gpus.hpp"

namespace berth::tests {

using core::Amount;
using core::GpuRequest;

namespace {

/// Points out of 100, rounded down; then, for servers larger than the reference of 128 CPUs and 8
/// GPUs, how much better they are than others with equal points.
using Points = std::pair<std::int64_t, std::int64_t>;

class Policy {
public:
    Policy(const PlainCluster& cluster, const sim::Job& job, std::uint32_t server)
        : gpus_(cluster.gpus),
          sharing_(*cluster.sharing),
          server_(server),
          free_(gpus_.free(server)),
          cpu_free_(cluster.free_of(server, 0)),
          cpu_(job.demand[0]),
          model_(model_of(cluster.tree->machine_type(core::ServerId{server}))),
          asked_(gpus_asked(job)) {}

    [[nodiscard]] Points points() const {
        const std::string& name = sharing_.policy;
        return name == "best-fit"         ? best_fit()
               : name == "dot-product"    ? dot_product()
               : name == "gpu-clustering" ? clustering()
               : name == "gpu-packing"    ? packing()
                                          : fragmentation_descent();
    }
    /// The device of a share, if the policy chooses it.
    [[nodiscard]] std::size_t device() const {
        std::size_t best = free_.size();
        Points most;
        for (std::size_t i = 0; i < free_.size(); ++i) {
            if (free_[i] < asked_.milli) {
                continue;
            }
            const Points here = sharing_.policy == "fragmentation-gradient-descent"
                                    ? fragmentation_after(i)
                                    : Points(-free_[i], 0);
            if (best == free_.size() || here > most) {
                best = i;
                most = here;
            }
        }
        return best;
    }

private:
    static constexpr double cpu_reference = 128'000;
    static constexpr double gpu_reference = 8'000;
    [[nodiscard]] Amount asked() const { return asked_.milli * asked_.count; }

    [[nodiscard]] Points best_fit() const {
        double left = static_cast<double>(cpu_free_ - cpu_) / cpu_reference * 0.5;
        left += static_cast<double>(gpus_.all_free(server_) - asked()) / gpu_reference * 0.5;
        return {static_cast<std::int64_t>(100 * (1 - left)), 0};
    }
    [[nodiscard]] Points dot_product() const {
        const double cpu = static_cast<double>(cpu_free_) / cpu_reference *
                           (static_cast<double>(cpu_) / cpu_reference);
        const double gpu = static_cast<double>(gpus_.all_free(server_)) / gpu_reference *
                           (static_cast<double>(asked()) / gpu_reference);
        return {static_cast<std::int64_t>(100 * (1 - (cpu + gpu) / 2)), 0};
    }
    /// Among servers with more free than the reference has, fuller ones come first.
    [[nodiscard]] Points clustering() const {
        if (asked_.count == 0) {
            return {0, 0};
        }
        const std::set<std::int64_t> kinds = gpus_.kinds(server_);
        const bool here = kinds.contains(PlainGpus::kind_of(asked_));
        const Amount used = 8 * whole_gpu - gpus_.all_free(server_);
        const Amount base = std::max<Amount>(25 * used / (8 * whole_gpu), 0);
        const Amount bonus = here && kinds.size() == 1 ? 75 : here ? 50 : kinds.empty() ? 25 : 0;
        return {base + bonus, used < 0 ? used / 320 - 1 : 0};
    }
    [[nodiscard]] Points packing() const {
        if (asked_.count == 0) {
            return {0, 0};
        }
        const std::int64_t idle = gpus_.whole(server_);
        if (idle == std::ssize(free_)) {
            return {33 - idle, 0};
        }
        std::vector<Amount> shares;
        std::ranges::copy_if(
            free_, std::back_inserter(shares), [&](Amount share) { return share >= asked_.milli; });
        std::ranges::sort(shares);
        shares.resize(static_cast<std::size_t>(asked_.count));
        if (const std::int64_t broken = std::ranges::count(shares, whole_gpu); broken > 0) {
            return {std::max<std::int64_t>(50 - broken, 33),
                    17 - std::max<std::int64_t>(broken, 17)};
        }
        Amount hundredths = 0;
        for (const Amount share : shares) {
            hundredths += share * 100 / whole_gpu;
        }
        return {std::max<Amount>(100 - hundredths / 10, 50), 0};
    }

    [[nodiscard]] Points fragmentation_descent() const {
        if (asked_.count == 1 && asked_.milli < whole_gpu) {
            return fragmentation_after(device());
        }
        std::vector<Amount> after = free_;
        std::int64_t left = asked_.count;
        for (Amount& device : after) {
            if (left > 0 && device == whole_gpu) {
                device = 0;
                --left;
            }
        }
        return fragmentation_after(after);
    }
    [[nodiscard]] Points fragmentation_after(std::size_t device) const {
        std::vector<Amount> after = free_;
        after[device] -= asked_.milli;
        return fragmentation_after(after);
    }
    [[nodiscard]] Points fragmentation_after(const std::vector<Amount>& after) const {
        const double less = fragment(sharing_.typical, free_, cpu_free_, model_) -
                            fragment(sharing_.typical, after, cpu_free_ - cpu_, model_);
        const auto power = static_cast<double>(std::exp(static_cast<long double>(-less / 1000)));
        const auto points = static_cast<std::int64_t>(100 * (1 / (1 + power)));
        // On servers with more than 8 GPUs, where the points have flattened out, eighths of a GPU
        // count.
        const bool flat = after.size() > 8;
        const double beyond =
            flat ? std::ceil(std::max(std::abs(less) - gpu_reference, 0.0) / 125) : 0;
        return {points, static_cast<std::int64_t>(std::copysign(beyond, less))};
    }

    const PlainGpus& gpus_;
    const PlainSharing& sharing_;
    std::uint32_t server_;
    const std::vector<Amount>& free_;
    Amount cpu_free_;
    Amount cpu_;
    std::string model_;
    GpuRequest asked_;
};

bool looks_at_domains(const PlainCluster& cluster) {
    return cluster.sharing->policy.starts_with("topology-aware");
}

}  // namespace

PlainSharing sharing_of(const PlainCase& of) {
    const sim::GpuPlugin& plugin = *of.settings.profile.inside.gpus;
    PlainSharing sharing{
        plugin.policy, plugin.gangs, typical_pods(of.jobs, of.typical_percent), {}};
    const auto servers = static_cast<std::uint32_t>(of.tree.servers());
    const auto drawn =
        core::ServerOrder::drawn(servers, sim::random_bits(plugin.seed, "gpu-sharing/ties")());
    for (std::uint32_t i = 0; i < servers; ++i) {
        sharing.order.push_back(plugin.ties_at_random ? drawn.server[i].index : i);
    }
    return sharing;
}

std::optional<std::uint32_t> best_by_gpus(const PlainCluster& cluster, const sim::Job& job) {
    if (looks_at_domains(cluster)) {
        return best_by_domains(cluster, job);
    }
    std::optional<std::uint32_t> best;
    Points most;
    for (const std::uint32_t server : cluster.sharing->order) {
        if (!cluster.has_room(job, server)) {
            continue;
        }
        const Points points = Policy(cluster, job, server).points();
        if (!best || points > most) {
            best = server;
            most = points;
        }
    }
    return best;
}

PlainGrant choose_gpus(const PlainCluster& cluster, const sim::Job& job, std::uint32_t server) {
    const GpuRequest asked = gpus_asked(job);
    if (asked.milli > 0 && asked.milli < whole_gpu) {
        return {{looks_at_domains(cluster) ? device_by_domains(cluster, job, server)
                                           : Policy(cluster, job, server).device(),
                 asked.milli}};
    }
    if (looks_at_domains(cluster)) {
        return whole_by_islands(cluster, server, asked.count);
    }
    PlainGrant grant;
    const std::vector<Amount>& free = cluster.gpus.free(server);
    for (std::size_t i = 0; i < free.size() && std::ssize(grant) < asked.count; ++i) {
        if (free[i] == whole_gpu) {
            grant.push_back({i, whole_gpu});
        }
    }
    return grant;
}

}  // namespace berth::tests
