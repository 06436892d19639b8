#include "topologies/alibaba_nodes_reader.hpp"

#include <string>

namespace berth::topologies {

std::optional<core::Topology> read_openb_nodes(
    const std::shared_ptr<const core::SourceText>& source,
    const std::vector<InventedLevel>& levels,
    const core::ResourceSchema& also,
    core::Diagnostics& diagnostics) {
    enum Column : std::size_t { sn, cpu_milli, memory_mib, gpu, model };
    NodeTable table(
        source, {{"sn"}, {"cpu_milli"}, {"memory_mib"}, {"gpu"}, {"model"}}, diagnostics);
    NodeList nodes(levels, diagnostics);
    constexpr std::int64_t mebibyte = std::int64_t{1} << 20U;
    while (table.next()) {
        const auto cpu = table.number(cpu_milli, node_cpu_milli_max);
        const auto memory = table.number(memory_mib, node_memory_bytes_max / mebibyte);
        const auto gpus = table.number(gpu, node_gpus_max);
        if (!cpu || !memory || !gpus) {
            continue;
        }
        nodes.add({std::string(table.text(sn)),
                   *cpu,
                   *memory * mebibyte,
                   *gpus,
                   std::string(*gpus > 0 ? table.text(model) : "")},
                  table.span(sn));
    }
    return nodes.finish(also, {source, 1, 1});
}

std::optional<core::Topology> read_spot_nodes(const std::shared_ptr<const core::SourceText>& source,
                                              const std::vector<InventedLevel>& levels,
                                              const core::ResourceSchema& also,
                                              core::Diagnostics& diagnostics) {
    enum Column : std::size_t { gpu_model, gpu_capacity_num, cpu_num, node_name };
    NodeTable table(
        source, {{"gpu_model"}, {"gpu_capacity_num"}, {"cpu_num"}, {"node_name"}}, diagnostics);
    NodeList nodes(levels, diagnostics);
    while (table.next()) {
        const auto gpus = table.number(gpu_capacity_num, node_gpus_max);
        const auto cores = table.number(cpu_num, node_cpu_milli_max / 1000);
        if (!gpus || !cores) {
            continue;
        }
        nodes.add({std::string(table.text(node_name)),
                   1000 * *cores,
                   std::nullopt,
                   *gpus,
                   std::string(*gpus > 0 ? table.text(gpu_model) : "")},
                  table.span(node_name));
    }
    return nodes.finish(also, {source, 1, 1});
}

}  // namespace berth::topologies
