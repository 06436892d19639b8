#include "topologies/read_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

#include "topologies/spec_reader.hpp"
#include "topologies/tree_reader.hpp"

namespace berth::topologies {
namespace {

const std::vector<std::string>& kinds() {
    static const std::vector<std::string> all{
        "Topology", "TopologyTree", "Node", "NodeList", "List"};
    return all;
}

}  // namespace

const core::Value* read_topology_frame(const core::Value& document,
                                       const std::string& kind,
                                       core::Diagnostics& diagnostics) {
    const std::string_view version = kind == "TopologyTree" ? "" : "berth/v1";
    core::MapReader map(document, "a " + kind, diagnostics);
    std::ignore = map.take("kind");
    std::ignore = map.take("metadata");
    const core::Value* api = map.take("apiVersion");
    if (api != nullptr && !version.empty() && (!api->is_scalar() || api->text != version)) {
        core::expected(*api, version, diagnostics);
    }
    const core::Value* spec = map.need("spec");
    map.report_unknown_keys();
    return spec;
}

bool is_topology_kind(std::string_view kind) {
    return std::ranges::find(kinds(), kind) != kinds().end();
}

std::optional<core::Topology> read_topology(const core::Value& document,
                                            const core::ResourceSchema& also,
                                            core::Diagnostics& diagnostics,
                                            const std::vector<LabelLevel>& levels) {
    const core::Value* value = document.find("kind");
    const std::string kind = value ? value->text : "";
    if (!is_topology_kind(kind)) {
        const core::SourceSpan& span = value ? value->span : document.span;
        diagnostics.error(span,
                          fmt::format("{}: expected {}{}",
                                      value ? fmt::format("unknown kind '{}' of topology", kind)
                                            : "the document has no 'kind'",
                                      core::alternatives(kinds()),
                                      core::suggestion(kind, kinds())));
        return std::nullopt;
    }
    if (kind != "Topology" && kind != "TopologyTree") {
        return read_kubernetes_nodes(document, levels, also, diagnostics);
    }
    const bool tree = kind == "TopologyTree";
    const core::Value* spec = read_topology_frame(document, kind, diagnostics);
    if (spec == nullptr) {
        return std::nullopt;
    }
    return tree ? read_topology_tree_spec(*spec, also, diagnostics)
                : read_spec(*spec, also, diagnostics);
}

std::optional<core::Topology> read_spec(const core::Value& spec,
                                        const core::ResourceSchema& also,
                                        core::Diagnostics& diagnostics) {
    return spec.find("nodes") != nullptr ? read_node_list_spec(spec, also, diagnostics)
                                         : read_topology_spec(spec, also, diagnostics);
}

}  // namespace berth::topologies
