#include "topologies/writers.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/machine_views/provider_forest_view.hpp"
#include "core/support/text.hpp"
#include "topologies/json_parts.hpp"

namespace berth::topologies {

void write_providers(std::ostream& out, const core::Topology& topology) {
    out << "{\"providers\": [";
    bool first = true;
    core::for_each_provider(topology, [&](const core::ResourceProvider& provider) {
        std::vector<std::string> inventories;
        for (const auto& [name, inventory] : provider.inventories) {
            inventories.push_back(
                fmt::format("{}: {}", json_quoted(name), json_inventory(inventory)));
        }
        out << fmt::format(
            "{}\n{{\"uuid\": {}, \"name\": {}, \"parent_uuid\": {}, \"inventories\": {{{}}}, "
            "\"traits\": {}, \"aggregates\": {}}}",
            first ? "" : ",",
            json_quoted(provider.uuid),
            json_quoted(provider.name),
            provider.parent_uuid ? json_quoted(*provider.parent_uuid) : "null",
            core::join(inventories, ", "),
            json_names(provider.traits),
            json_names(provider.aggregates));
        first = false;
    });
    out << "\n]}\n";
}

}  // namespace berth::topologies
