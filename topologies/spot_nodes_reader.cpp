#include "topologies/spot_nodes_reader.hpp"

namespace berth::topologies {
namespace {

enum Column : std::size_t { gpu_model, gpu_capacity_num, cpu_num, node_name };

}  // namespace

std::optional<core::Topology> read_spot_nodes(const std::shared_ptr<const core::SourceText>& source,
                                              const std::vector<InventedLevel>& levels,
                                              const core::ResourceSchema& also,
                                              core::Diagnostics& diagnostics) {
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
