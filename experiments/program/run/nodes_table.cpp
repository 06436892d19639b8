#include "experiments/program/run/nodes_table.hpp"

#include <algorithm>
#include <set>

#include "experiments/program/results/tables/tables.hpp"
#include "experiments/program/run/table_row.hpp"

namespace berth::experiments {

using core::Level;

std::string nodes_csv(const core::Ledger& ledger,
                      const std::vector<core::ServerId>& left_out,
                      bool with_types) {
    const core::Topology& tree = ledger.topology();
    std::set<report::Part> parts{report::Part::always};
    if (with_types) {
        parts.insert(report::Part::devices);
    }
    std::vector<std::string> levels;
    for (std::uint32_t level = 1; level < tree.server_level().index; ++level) {
        levels.push_back(tree.level_name(Level{level}));
    }
    std::string out = report::header_of(
        report::Table::nodes, parts, {{"LEVEL", levels}, {"RESOURCE", tree.resources().names()}});
    for (const core::NodeId node : tree.level_nodes(tree.server_level())) {
        if (std::ranges::binary_search(left_out, tree.server_of(node))) {
            continue;
        }
        TableRow row(out);
        row.text(tree.name(node));
        for (std::uint32_t level = 1; level < tree.server_level().index; ++level) {
            row.text(tree.name(tree.ancestor(node, Level{level})));
        }
        for (std::size_t resource = 0; resource < ledger.resource_count(); ++resource) {
            row.amount(ledger.capacity(node)[resource], resource, tree.resources())
                .amount(ledger.allocated(node, resource), resource, tree.resources());
        }
        if (with_types) {
            row.text(tree.machine_type(tree.server_of(node)).name);
        }
        row.end();
    }
    return out;
}

}  // namespace berth::experiments
