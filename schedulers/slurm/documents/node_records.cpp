#include "schedulers/slurm/documents/node_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "core/support/text.hpp"
#include "schedulers/slurm/documents/read_configuration.hpp"
#include "schedulers/slurm/documents/read_nodes.hpp"
#include "schedulers/slurm/documents/read_partitions.hpp"

namespace berth::experiments {
namespace {

namespace slurm = core::slurm;

/// GPUs as a Gres, such as gpu:a100:4.
std::string gres_of(const slurm::Node& node) {
    std::map<std::string, std::size_t> counts;
    for (const slurm::Gpu& gpu : node.gpus) {
        ++counts[gpu.type];
    }
    std::vector<std::string> parts;
    for (const auto& [type, count] : counts) {
        parts.push_back(type.empty() ? fmt::format("gpu:{}", count)
                                     : fmt::format("gpu:{}:{}", type, count));
    }
    return core::join(parts, ",");
}

std::string record_of(const slurm::Node& node,
                      bool counts_memory,
                      const std::vector<std::string>& partitions,
                      const std::string& features) {
    return fmt::format(
        "NodeName={} CPUTot={}{} State=IDLE Gres={} ActiveFeatures={} Partitions={}\n",
        node.name,
        node.cpus(),
        counts_memory ? fmt::format(" RealMemory={}", node.memory_mib) : "",
        gres_of(node),
        features,
        core::join(partitions, ","));
}

std::string records_of(const std::vector<ConfLine>& lines) {
    const std::vector<slurm::Node> nodes = nodes_of_conf(lines, {});
    std::vector<std::string> not_followed;
    const auto partitions = read_partitions(lines, nodes, not_followed);
    const std::map<std::string, std::string> features = features_of_conf(lines);
    const bool counts_memory =
        read_configuration(settings_of_conf(lines), {}).configuration.counts_memory;
    std::string records;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        std::vector<std::string> names;
        for (const slurm::Partition& partition : partitions) {
            if (partition.nodes[i]) {
                names.push_back(partition.name);
            }
        }
        const auto found = features.find(nodes[i].name);
        records += record_of(nodes[i],
                             counts_memory,
                             names,
                             found == features.end() ? std::string() : found->second);
    }
    return records;
}

}  // namespace

std::optional<std::string> records_of_conf(const core::SourceText& text) {
    const bool is_conf = text.text.find("NodeName=") != std::string::npos &&
                         text.text.find("CPUTot=") == std::string::npos &&
                         text.text.find("CPUEfctv=") == std::string::npos;
    if (!is_conf) {
        return std::nullopt;
    }
    try {
        return records_of(conf_lines(text.text, text.name));
    } catch (const SlurmFault& fault) {
        throw core::InputError(fault.what());
    }
}

}  // namespace berth::experiments
