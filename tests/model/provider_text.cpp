#include "tests/model/provider_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::tests {
namespace {

std::string inventory_text(const core::ProviderInventory& inventory) {
    return fmt::format(
        "{{total: {}, reserved: {}, min_unit: {}, max_unit: {}, step_size: {}, "
        "allocation_ratio: {}}}",
        inventory.total,
        inventory.reserved,
        inventory.min_unit,
        inventory.max_unit,
        inventory.step_size,
        inventory.allocation_ratio);
}

}  // namespace

std::string machine_providers_text(const PlainTree& tree, std::size_t type) {
    std::string out;
    if (type < tree.numa_nodes.size() && tree.numa_nodes[type] > 0) {
        out += fmt::format(", numa: {}", tree.numa_nodes[type]);
    }
    if (type < tree.traits.size() && !tree.traits[type].empty()) {
        out += fmt::format(", traits: [{}]", fmt::join(tree.traits[type], ", "));
    }
    return out;
}

std::string shared_providers_text(const PlainTree& tree) {
    std::string out;
    for (const core::SharedProvider& shared : tree.shared) {
        std::string inventories;
        for (const auto& [resource_class, inventory] : shared.inventories) {
            inventories += fmt::format("{}{}: {}",
                                       inventories.empty() ? "" : ", ",
                                       resource_class,
                                       inventory_text(inventory));
        }
        out += fmt::format(
            "          - {{name: {}, level: {}, traits: [{}], inventories: {{{}}}}}\n",
            shared.name,
            shared.level.index == 0 ? "root" : fmt::format("level-{}", shared.level.index),
            fmt::join(shared.traits, ", "),
            inventories);
    }
    return out.empty() ? "" : "        sharedProviders:\n" + out;
}

std::string candidates_text(const sim::CandidatePlugin& plugin) {
    const char* choice = plugin.choice == sim::CandidateChoice::first  ? "first"
                         : plugin.choice == sim::CandidateChoice::pack ? "pack"
                                                                       : "spread";
    return fmt::format("      filter: [{{name: allocation-candidates, choice: {}}}]\n", choice);
}

}  // namespace berth::tests
