#include "experiments/program/config/experiment/read_topology_file.hpp"

#include <algorithm>
#include <sstream>

#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/support/documents.hpp"
#include "topologies/graphml_reader.hpp"
#include "topologies/read_topology.hpp"

namespace berth::experiments {

std::optional<core::Topology> read_topology_file(const std::filesystem::path& file,
                                                 core::Diagnostics& diagnostics) {
    const auto source = read_source(file);
    if (file.filename().string().find(".graphml") != std::string::npos) {
        std::istringstream in(source->text);
        return topologies::read_graphml(in, source->name, {});
    }
    const core::Value document = document_of_kind(
        source, {"Topology", "TopologyTree", "Node", "NodeList", "List", "Experiment"});
    if (document.find("kind")->text != "Experiment") {
        return topologies::read_topology(document, {}, diagnostics);
    }
    const auto spec = read_experiment(resolve_experiment(file, {}).document, diagnostics);
    return spec ? std::optional(*spec->topology) : std::nullopt;
}

}  // namespace berth::experiments
