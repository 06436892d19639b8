#include "experiments/program/config/experiment/read_topology_file.hpp"

#include <new>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/node_rules/object_metadata.hpp"
#include "core/support/file_reader.hpp"
#include "experiments/program/config/document/foreign_kind.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/support/document_parts.hpp"
#include "experiments/program/support/documents.hpp"
#include "topologies/graphml_reader.hpp"
#include "topologies/read_topology.hpp"
#include "topologies/topology_parts.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {
namespace {

/// The parts of a Kubernetes Node that are read; most of its text is about other things.
std::vector<WantedKeys> parts_of_nodes() {
    return {{"kind", {}},
            {"metadata", {{"name", {}}, {"labels", {}}, {"", {}, &core::is_metadata_key}}},
            {"spec", {{"taints", {}}}},
            {"status", {{"allocatable", {}}, {"capacity", {}}}}};
}

/// The topology of a JSON file that lists nodes, read without holding the written form of all of
/// them in memory. Nothing if the file is something else, or if something is wrong with it.
std::optional<core::Topology> read_in_parts(const std::filesystem::path& file,
                                            core::Diagnostics& diagnostics) {
    DocumentParts parts(file);
    topologies::TopologyParts reader(diagnostics);
    bool first = true;
    const LongList items{
        {"items"}, parts_of_nodes(), [&](const core::Value& item, const core::Value& document) {
            return reader.take_item(item, document);
        }};
    const LongList nodes{
        {"spec", "nodes"}, {}, [&](const core::Value& node, const core::Value& spec) {
            if (std::exchange(first, false)) {
                parts.keep_lines(node.span.line);
            }
            return reader.take_node(node, spec);
        }};
    const auto document = parts.read({items, nodes});
    if (!document || !document->is_map() || foreign_document(*document)) {
        return std::nullopt;
    }
    if (reader.last_line_shown() > 0) {
        parts.keep_lines(reader.last_line_shown());
    }
    auto topology = reader.finish(*document);
    if (topology) {
        diagnostics = reader.diagnostics();
    }
    return topology;
}

/// The topology of a GraphML file as programs write it. Nothing if the graph library has to read
/// it.
std::optional<core::Topology> read_graphml_in_parts(const std::filesystem::path& file) {
    const std::string name = file.string();
    if (name == "-" || !name.ends_with(".graphml")) {  // compressed files may expand to any length
        return std::nullopt;
    }
    try {
        check_document_size(name, std::filesystem::file_size(file));
        return topologies::read_plain_graphml(*workloads::open_text(name), {});
    } catch (const core::ReadError&) {
        throw;  // an error of the disk, not of its content
    } catch (const std::bad_alloc&) {
        throw;  // an error of the machine, not of the file
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

}  // namespace

std::optional<core::Topology> read_topology_file(const std::filesystem::path& file,
                                                 core::Diagnostics& diagnostics) {
    const bool graphml = file.filename().string().find(".graphml") != std::string::npos;
    if (auto topology = graphml ? read_graphml_in_parts(file) : read_in_parts(file, diagnostics)) {
        return topology;
    }
    const auto source = read_source(file);
    if (graphml) {
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
