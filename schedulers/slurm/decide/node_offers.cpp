#include "schedulers/slurm/decide/node_offers.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "core/support/assert.hpp"

namespace berth::core::slurm {
namespace {

bool has(std::uint64_t set, std::size_t gpu) {
    return (set >> gpu & 1) != 0;
}

std::int64_t free_cores_of_socket(const Node& node, const BitSet& cores, int socket) {
    std::int64_t count = 0;
    for (int core = socket * node.cores_per_socket; core < (socket + 1) * node.cores_per_socket;
         ++core) {
        count += cores[static_cast<std::size_t>(core)] ? 1 : 0;
    }
    return count;
}

std::int64_t free_gpus_of_socket(const Node& node, std::uint64_t free, int socket) {
    std::int64_t count = 0;
    for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu) {
        count += has(free, gpu) && node.gpus[gpu].sockets[static_cast<std::size_t>(socket)];
    }
    return count;
}

/// The sockets whose cores count first: those with enough free GPUs for all that the job wants on
/// the node, otherwise those with any.
std::vector<int> near_sockets(const Job& job, const Node& node, std::uint64_t free) {
    const std::int64_t wanted = job.gpus_on_node();
    std::vector<int> enough;
    std::vector<int> any;
    for (int socket = 0; socket < node.sockets; ++socket) {
        const std::int64_t count = free_gpus_of_socket(node, free, socket);
        if (count > 0) {
            any.push_back(socket);
        }
        if (wanted > 0 && count >= wanted) {
            enough.push_back(socket);
        }
    }
    return enough.empty() ? any : enough;
}

}  // namespace

std::int64_t Job::gpus_on_node() const {
    std::int64_t count = 0;
    for (const GpuRequest& request : gpus_per_node) {
        count += request.count;
    }
    return count;
}

std::int64_t NodeOffers::memory_of(const Job& job, const Node& node, std::int64_t cpus) const {
    if (!configuration_.counts_memory) {
        return 0;
    }
    if (job.memory_mib) {
        return *job.memory_mib > 0 ? *job.memory_mib : node.memory_mib;
    }
    if (const std::int64_t per_cpu = memory_per_cpu(job); per_cpu > 0) {
        return per_cpu * cpus;
    }
    return configuration_.memory_per_node_mib > 0 ? configuration_.memory_per_node_mib
                                                  : node.memory_mib;
}

std::optional<std::uint64_t> NodeOffers::lowest_gpus(const Job& job,
                                                     const Node& node,
                                                     std::uint64_t free,
                                                     std::optional<int> socket) const {
    std::uint64_t taken = 0;
    for (const GpuRequest& request : job.gpus_per_node) {
        std::int64_t missing = request.count;
        for (std::size_t gpu = 0; gpu < node.gpus.size() && missing > 0; ++gpu) {
            const Gpu& device = node.gpus[gpu];
            const bool fits = (request.type.empty() || device.type == request.type) &&
                              (!socket || device.sockets[static_cast<std::size_t>(*socket)]);
            if (has(free & ~taken, gpu) && fits) {
                taken |= std::uint64_t{1} << gpu;
                --missing;
            }
        }
        if (missing > 0) {
            return std::nullopt;
        }
    }
    return taken;
}

std::int64_t NodeOffers::cpus(const Job& job,
                              std::size_t index,
                              const FreeResources& free,
                              bool near_only) const {
    const Node& node = nodes_[index];
    const std::int64_t needed =
        std::max<std::int64_t>(job.max_nodes == 1 ? job.cpus() : job.cpus_of_node(), 1);
    std::int64_t cores = free.core_count(index);
    if (free.is_down(index) || (job.allowed != nullptr && !(*job.allowed)[index])) {
        return 0;
    }
    if (cores * node.threads_per_core < needed || (job.exclusive && free.jobs(index) > 0)) {
        return 0;
    }
    if (!job.gpus_per_node.empty() && !lowest_gpus(job, node, free.gpus(index), std::nullopt)) {
        return 0;
    }
    if (near_only && node.has_near_cores()) {
        cores = 0;
        for (const int socket : near_sockets(job, node, free.gpus(index))) {
            cores += free_cores_of_socket(node, free.cores(index), socket);
        }
    }
    std::int64_t cpus = cores * node.threads_per_core;
    const std::int64_t per_cpu = memory_per_cpu(job);
    if (job.memory_mib || per_cpu == 0 || !configuration_.counts_memory) {
        if (free.memory_mib(index) < memory_of(job, node, cpus)) {
            return 0;
        }
    } else if (cpus * per_cpu > free.memory_mib(index)) {
        cpus = free.memory_mib(index) / per_cpu;
    }
    if (job.cpus_per_task > 1) {
        cpus -= cpus % job.cpus_per_task;
    }
    if (cpus < needed) {
        return 0;
    }
    if (job.gpus_per_node.empty() || job.exclusive) {
        return cpus;
    }
    // The CPUs of a job with GPUs on each node count only as far as it needs them.
    const std::int64_t most =
        job.tasks_per_node > 0 ? needed : std::max<std::int64_t>(1, job.cpus() - job.min_nodes + 1);
    return std::min(cpus, most);
}

std::uint64_t NodeOffers::gpus_of(const Job& job,
                                  std::size_t index,
                                  std::int64_t cores,
                                  const FreeResources& free) const {
    const Node& node = nodes_[index];
    if (node.has_near_cores()) {
        for (const int socket : near_sockets(job, node, free.gpus(index))) {
            if (free_cores_of_socket(node, free.cores(index), socket) >= cores) {
                if (const auto gpus = lowest_gpus(job, node, free.gpus(index), socket)) {
                    return *gpus;
                }
            }
        }
    }
    const auto gpus = lowest_gpus(job, node, free.gpus(index), std::nullopt);
    BERTH_ASSERT(gpus.has_value(), "a node is chosen only if it has the GPUs of the job");
    return *gpus;
}

BitSet NodeOffers::cores_of(const Node& node,
                            const BitSet& free,
                            std::int64_t count,
                            std::uint64_t gpus) const {
    BitSet near(static_cast<std::size_t>(node.sockets));
    for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu) {
        if (has(gpus, gpu) && !node.gpus[gpu].sockets.empty()) {
            near |= node.gpus[gpu].sockets;
        }
    }
    BitSet taken(free.size());
    // Sockets take turns: those near the GPUs first, then the others.
    for (const bool wanted : {true, false}) {
        for (int turn = 0; turn < node.cores_per_socket && count > 0; ++turn) {
            for (int socket = 0; socket < node.sockets && count > 0; ++socket) {
                if (near[static_cast<std::size_t>(socket)] != wanted) {
                    continue;
                }
                const auto first = static_cast<std::size_t>(socket) *
                                   static_cast<std::size_t>(node.cores_per_socket);
                const BitSet left = free - taken;
                const std::size_t core = first == 0 ? left.find_first() : left.find_next(first - 1);
                if (core < first + static_cast<std::size_t>(node.cores_per_socket)) {
                    taken.set(core);
                    --count;
                }
            }
        }
    }
    BERTH_ASSERT(count == 0, "a node is chosen only if it has the cores of the job");
    return taken;
}

Share NodeOffers::share(const Job& job,
                        std::size_t index,
                        std::int64_t cpus,
                        std::int64_t gpus,
                        const FreeResources& free) const {
    const Node& node = nodes_[index];
    if (job.exclusive) {
        cpus = node.cpus();
    } else if (job.tasks_per_node > 0) {
        cpus = job.cpus_of_node();
    }
    const std::int64_t cores = (cpus + node.threads_per_core - 1) / node.threads_per_core;
    Share share;
    share.node = index;
    if (job.gpus > 0) {
        for (std::size_t gpu = 0; gpu < node.gpus.size() && gpus > 0; ++gpu) {
            if (has(free.gpus(index), gpu)) {
                share.gpus |= std::uint64_t{1} << gpu;
                --gpus;
            }
        }
    } else if (!job.gpus_per_node.empty()) {
        share.gpus = gpus_of(job, index, cores, free);
    }
    share.cores = cores_of(node, free.cores(index), cores, share.gpus);
    share.core_count = cores;
    share.memory_mib = memory_of(job, node, cpus);
    return share;
}

}  // namespace berth::core::slurm
