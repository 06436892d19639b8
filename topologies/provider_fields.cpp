#include "topologies/provider_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "core/allocation_candidates/provider_names.hpp"
#include "core/allocation_candidates/provider_rules.hpp"

namespace berth::topologies {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

/// Traits that distinguish the inner providers of a machine and the providers that serve others.
/// Only berth may assign them.
constexpr std::array berths_own{
    std::string_view("HW_NUMA_ROOT"), std::string_view("CUSTOM_PCIE_SWITCH"), core::sharing_trait};

void warn_of_name(const Value& value,
                  const std::string& name,
                  std::string_view what,
                  std::span<const std::string_view> standard,
                  Diagnostics& diagnostics) {
    if (!name.starts_with("CUSTOM_") && !std::ranges::binary_search(standard, name)) {
        diagnostics.warning(
            value.span,
            fmt::format("{} '{}' is not a standard one: expected one of those, or CUSTOM_...{}",
                        what,
                        name,
                        core::suggestion(name, {standard.begin(), standard.end()})));
    }
}

core::ProviderInventory read_inventory(const Value& value, Diagnostics& diagnostics) {
    constexpr core::Amount most = core::provider_amount_max;
    core::ProviderInventory inventory;
    if (value.is_scalar()) {
        inventory.total = core::read_integer(value, diagnostics, 0, most).value_or(0);
        return inventory;
    }
    MapReader map(value, "an inventory", diagnostics);
    (void)map.need("total");
    inventory.total = map.integer("total", 0, 0, most);
    inventory.reserved = map.integer("reserved", inventory.reserved, 0, most);
    inventory.min_unit = map.integer("min_unit", inventory.min_unit, 1, most);
    inventory.max_unit = map.integer("max_unit", inventory.max_unit, 1, most);
    inventory.step_size = map.integer("step_size", inventory.step_size, 1, most);
    inventory.allocation_ratio =
        map.number("allocation_ratio", 1, 0, std::numeric_limits<double>::infinity());
    map.report_unknown_keys();
    return inventory;
}

void read_inventories(const Value& inventories,
                      core::SharedProvider& shared,
                      Diagnostics& diagnostics) {
    if (!inventories.is_map() || inventories.members.empty()) {
        core::expected(inventories,
                       "inventories such as {DISK_GB: 20000, IPV4_ADDRESS: {total: 250}}",
                       diagnostics);
    }
    core::ResourceProvider one{
        "00000000-0000-4000-8000-000000000000", shared.name, {}, {}, {}, {}, {}};
    for (const core::Member& member : inventories.members) {
        const std::string_view what = "resource class";
        if (!core::is_placement_name(member.key)) {
            diagnostics.error(
                member.key_span,
                fmt::format("{} '{}': expected 1 to 255 of A-Z, 0-9 and _", what, member.key));
            continue;
        }
        Value name = member.value;
        name.span = member.key_span;
        warn_of_name(name, member.key, what, core::standard_resource_classes(), diagnostics);
        one.inventories = {{member.key, read_inventory(member.value, diagnostics)}};
        for (const core::ProviderFault& fault : core::check_providers({&one, 1})) {
            diagnostics.error(member.value.span, fault.message);
        }
        shared.inventories.insert(*one.inventories.begin());
    }
}

}  // namespace

std::vector<std::string> read_traits(const Value& list, Diagnostics& diagnostics) {
    std::vector<std::string> traits;
    if (!list.is_list()) {
        core::expected(list, "a list of traits", diagnostics);
    }
    for (const Value& item : list.items) {
        const auto name = core::read_text(item, diagnostics);
        if (!name) {
            continue;
        }
        if (!core::is_placement_name(*name)) {
            diagnostics.error(
                item.span, fmt::format("trait '{}': expected 1 to 255 of A-Z, 0-9 and _", *name));
        } else if (std::ranges::find(berths_own, *name) != berths_own.end()) {
            diagnostics.error(
                item.span,
                fmt::format("trait '{}' follows from the topology: expected another", *name));
        } else {
            warn_of_name(item, *name, "trait", core::standard_traits(), diagnostics);
            traits.push_back(*name);
        }
    }
    return traits;
}

std::vector<core::SharedProvider> read_shared_providers(const Value* list,
                                                        const std::vector<std::string>& level_names,
                                                        Diagnostics& diagnostics) {
    constexpr std::size_t shared_max = 1000;
    std::vector<core::SharedProvider> out;
    if (list == nullptr) {
        return out;
    }
    if (!list->is_list() || list->items.size() > shared_max) {
        core::expected(
            *list, fmt::format("a list of at most {} shared providers", shared_max), diagnostics);
        return out;
    }
    std::set<std::string> names;
    for (const Value& item : list->items) {
        MapReader map(item, "a shared provider", diagnostics);
        core::SharedProvider& shared = out.emplace_back();
        const Value* name = map.need("name");
        shared.name = map.text("name", "");
        if (name != nullptr && !names.insert(shared.name).second) {
            diagnostics.error(name->span,
                              fmt::format("shared provider '{}' occurs twice: expected distinct "
                                          "names",
                                          shared.name));
        }
        const std::vector<std::string> above(level_names.begin(),
                                             level_names.end() - (level_names.empty() ? 0 : 1));
        shared.level.index = static_cast<std::uint32_t>(map.choice("level", above, 0));
        if (const Value* inventories = map.need("inventories")) {
            read_inventories(*inventories, shared, diagnostics);
        }
        if (const Value* traits = map.take("traits")) {
            shared.traits = read_traits(*traits, diagnostics);
        }
        map.report_unknown_keys();
    }
    return out;
}

}  // namespace berth::topologies
