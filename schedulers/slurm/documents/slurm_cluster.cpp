#include "schedulers/slurm/documents/slurm_cluster.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "schedulers/slurm/documents/read_accounting.hpp"
#include "schedulers/slurm/documents/read_nodes.hpp"
#include "schedulers/slurm/documents/read_partitions.hpp"

namespace berth::experiments {
namespace {

namespace slurm = core::slurm;

/// What a server has, in Slurm's units.
struct ServerSize {
    std::int64_t cpus = 0;
    std::int64_t memory_mib = 0;
    std::int64_t gpus = 0;
};

ServerSize size_of(core::ServerId server, const core::Topology& tree) {
    constexpr core::Amount mib = 1024 * 1024;
    const core::ResourceSchema& resources = tree.resources();
    ServerSize size;
    for (std::size_t i = 0; i < resources.size(); ++i) {
        const core::Amount amount =
            tree.machine_type(server).capacity(static_cast<Eigen::Index>(i));
        if (resources.is_gpu(i)) {
            size.gpus += amount / resources.per_unit(i);
        } else if (resources.name(i) == "cpu") {
            size.cpus = amount / resources.per_unit(i);
        } else if (resources.name(i) == "memory") {
            size.memory_mib = amount / mib;
        }
    }
    return size;
}

/// Each server as a node.
void take_servers(const core::Topology& tree, sim::SlurmSettings& settings) {
    constexpr std::int64_t gpus_max = 64;
    for (std::uint32_t i = 0; i < tree.server_count(); ++i) {
        const core::ServerId server{i};
        const ServerSize size = size_of(server, tree);
        slurm::Node node;
        node.name = tree.name(tree.node_of(server));
        node.cores_per_socket = static_cast<int>(std::clamp<std::int64_t>(size.cpus, 1, 8192));
        node.memory_mib = std::max<std::int64_t>(size.memory_mib, 1);
        node.gpus.resize(static_cast<std::size_t>(std::min(size.gpus, gpus_max)));
        settings.cluster.nodes.push_back(std::move(node));
        settings.servers.push_back(server);
    }
}

/// Finds the server of each node.
void match_servers(const std::string& place,
                   const core::Topology& tree,
                   sim::SlurmSettings& settings) {
    const auto fail = [&](const std::string& what) {
        throw SlurmFault(
            fmt::format("{}: {}: expected topology: {{nodes: {{format: slurm, file: slurm.conf}}}}",
                        place,
                        what));
    };
    std::map<std::string_view, core::ServerId> servers;
    for (std::uint32_t i = 0; i < tree.server_count(); ++i) {
        servers.emplace(tree.name(tree.node_of(core::ServerId{i})), core::ServerId{i});
    }
    for (const slurm::Node& node : settings.cluster.nodes) {
        const auto found = servers.find(node.name);
        if (found == servers.end()) {
            fail(fmt::format("the cluster has no server {}", node.name));
        }
        const ServerSize size = size_of(found->second, tree);
        if (node.cpus() > size.cpus || std::ssize(node.gpus) > size.gpus ||
            (size.memory_mib > 0 && node.memory_mib > size.memory_mib)) {
            fail(
                fmt::format("node {} has {} CPUs, {} MiB and {} GPUs, and the server of that name "
                            "has {}, {} and {}",
                            node.name,
                            node.cpus(),
                            node.memory_mib,
                            node.gpus.size(),
                            size.cpus,
                            size.memory_mib,
                            size.gpus));
        }
        settings.servers.push_back(found->second);
    }
}

}  // namespace

std::shared_ptr<sim::SlurmSettings> slurm_settings_of(const SlurmFiles& files,
                                                      const core::Topology& tree,
                                                      std::vector<std::string>& not_followed) {
    auto settings = std::make_shared<sim::SlurmSettings>();
    slurm::Cluster& cluster = settings->cluster;
    std::vector<SlurmSetting> keys = settings_of_conf(files.conf);
    keys.insert(keys.end(), files.settings.begin(), files.settings.end());
    SlurmConfiguration read = read_configuration(keys, files.version);
    cluster.configuration = read.configuration;
    cluster.licenses = std::move(read.licenses);
    settings->clocks = read.clocks;
    not_followed = std::move(read.not_followed);
    const auto line =
        std::ranges::find_if(files.conf, [](const auto& each) { return each[0].is("NodeName"); });
    if (line == files.conf.end()) {
        take_servers(tree, *settings);
    } else {
        cluster.nodes = nodes_of_conf(files.conf, files.gres);
        match_servers((*line)[0].place, tree, *settings);
    }
    cluster.partitions = read_partitions(files.conf, cluster.nodes, not_followed);
    if (cluster.partitions.empty()) {
        slurm::Partition all;
        all.name = "batch";
        all.nodes = slurm::NodeSet(cluster.nodes.size()).set();
        all.is_default = true;
        cluster.partitions.push_back(std::move(all));
    }
    read_accounting(files.accounting, cluster, not_followed);
    const bool has_memory = tree.resources().find("memory").has_value();
    if (!cluster.configuration.counts_memory && has_memory) {
        throw SlurmFault(
            "SelectTypeParameters does not count memory, and the cluster does: expected "
            "CR_Core_Memory, or topology: {nodes: {format: slurm, file: slurm.conf}}");
    }
    cluster.configuration.counts_memory = has_memory;
    return settings;
}

}  // namespace berth::experiments
