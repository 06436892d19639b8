#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/machine_views/device_places.hpp"
#include "core/machine_views/group_key_view.hpp"
#include "core/machine_views/provider_view.hpp"

/// Reads the views of a machine back, for tests that compare the result with the machine.
namespace berth::tests {

using namespace core;

/// The parts of a name `resource/group[/gpugrp1/OUTER][/gpugrp0/INNER]/KIND/DEVICE/RESOURCE`.
struct Key {
    std::string_view outer;
    std::string_view inner;
    std::string_view kind;
    std::string_view device;
    std::string_view resource;
};

inline std::optional<Key> parse_key(std::string_view name) {
    if (!name.starts_with(group_prefix) || name.size() == group_prefix.size()) {
        return std::nullopt;
    }
    name.remove_prefix(group_prefix.size() + 1);
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t slash = name.find('/');
        parts.push_back(name.substr(0, slash));
        if (slash == std::string_view::npos) {
            break;
        }
        name.remove_prefix(slash + 1);
    }
    Key key;
    std::size_t at = 0;
    for (const auto& [group, index] :
         {std::pair(std::string_view("gpugrp1"), &Key::outer), {"gpugrp0", &Key::inner}}) {
        if (parts.size() > at + 1 && parts[at] == group) {
            key.*index = parts[at + 1];
            at += 2;
        }
    }
    if (parts.size() != at + 3) {
        return std::nullopt;
    }
    key.kind = parts[at];
    key.device = parts[at + 1];
    key.resource = parts[at + 2];
    return key;
}

/// The number that follows `prefix` in `name`; absent if it is none.
inline std::optional<std::int64_t> numbered(std::string_view name, std::string_view prefix) {
    return name.starts_with(prefix) ? natural_number(name.substr(prefix.size())) : std::nullopt;
}

inline void read_places(const Key& key, SeenDevice& device) {
    const auto plain = natural_number(key.outer);
    device.numa = plain ? plain : numbered(key.outer, "numa");
    const auto inner_numa = numbered(key.inner, "numa");
    if (key.inner.starts_with("pcie") && pcie_number(key.inner.substr(4))) {
        device.pcie = key.inner.substr(4);
    } else if (inner_numa) {
        device.numa = inner_numa;
    } else if (!numbered(key.inner, "single")) {
        device.island = key.inner;
    }
}

/// A device, and the number or text in its name that distinguishes it from others of its kind.
struct NamedDevice {
    std::string_view name;
    SeenDevice device;
};

/// Numbers the devices of a kind: by the number at the end of their names if all have distinct
/// ones, else in the given order.
inline void number_devices(const std::vector<NamedDevice*>& devices) {
    std::set<std::int64_t> seen;
    for (NamedDevice* named : devices) {
        const std::size_t digits = named->name.find_last_not_of("0123456789") + 1;
        const auto number = natural_number(named->name.substr(digits));
        if (!number || !seen.insert(*number).second) {
            for (std::size_t i = 0; i < devices.size(); ++i) {
                devices[i]->device.index = static_cast<std::int64_t>(i);
            }
            return;
        }
        named->device.index = *number;
    }
}

/// The devices that the names of group resources describe. Also understands names written by other
/// programs: groups that group_key_view() does not name are NVLink islands (`gpugrp0`) and, if a
/// number, NUMA nodes (`gpugrp1`). Names that belong to no device are skipped.
inline std::vector<DeviceGroup> devices_of_group_keys(const GroupAmounts& keys) {
    std::map<std::string_view, NamedDevice> devices;  // by the name without its resource
    std::map<std::string_view, std::vector<NamedDevice*>> of_kind;
    for (const auto& [name, amount] : keys) {
        const auto key = parse_key(name);
        if (!key) {
            continue;
        }
        const auto [entry, fresh] = devices.try_emplace(
            std::string_view(name).substr(0, name.size() - key->resource.size()));
        SeenDevice& device = entry->second.device;
        if (fresh) {
            entry->second.name = key->device;
            device.kind = key->kind;
            read_places(*key, device);
            of_kind[key->kind].push_back(&entry->second);
        }
        if (key->resource == "memory") {
            device.memory_bytes = amount;
        } else if (key->resource == "vfs") {
            device.virtual_functions = amount;
        }
    }
    std::vector<SeenDevice> all;
    for (const auto& [kind, list] : of_kind) {
        number_devices(list);
        for (NamedDevice* named : list) {
            all.push_back(std::move(named->device));
        }
    }
    return device_groups(std::move(all));
}

inline constexpr std::string_view island_trait = "CUSTOM_NVLINK_";
inline constexpr std::string_view switch_trait = "CUSTOM_PCIE_SWITCH";
inline constexpr std::string_view numa_trait = "HW_NUMA_ROOT";

/// The rest of a name after the prefix, "0" for `numa0` and `numa`; absent if the name begins
/// differently.
inline std::optional<std::string_view> after(std::string_view name, std::string_view prefix) {
    return name.starts_with(prefix) ? std::optional(name.substr(prefix.size())) : std::nullopt;
}

/// A provider's name without that of its parent.
inline std::string_view own_name(const std::vector<ProviderNode>& providers, std::size_t node) {
    const std::string_view name = providers[node].name;
    const std::string& parent = providers[*providers[node].parent].name;
    return after(name, parent + "_").value_or(name);
}

inline void read_traits(const ProviderNode& provider, SeenDevice& device) {
    std::string model = "CUSTOM_" + device.kind + "_";
    std::ranges::transform(model, model.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c == '-' ? '_' : c;
    });
    for (const std::string& trait : provider.traits) {
        if (const auto island = after(trait, island_trait)) {
            device.island = *island;
        } else if (const auto name = after(trait, model)) {
            device.model = *name;
        } else {
            device.traits.push_back(trait);
        }
    }
}

inline bool has_trait(const ProviderNode& provider, std::string_view trait) {
    return std::ranges::find(provider.traits, trait) != provider.traits.end();
}

/// The devices that a tree of providers describes. Models come back as their traits spell them.
inline std::vector<DeviceGroup> devices_of_providers(const std::vector<ProviderNode>& providers) {
    std::vector<SeenDevice> devices;
    for (std::size_t node = 1; node < providers.size(); ++node) {
        const ProviderNode& provider = providers[node];
        const bool place = has_trait(provider, numa_trait) || has_trait(provider, switch_trait);
        if (place || !provider.parent) {
            continue;
        }
        const std::string_view name = own_name(providers, node);
        const std::size_t split = name.rfind('_');
        SeenDevice& device = devices.emplace_back();
        device.kind = name.substr(0, split);
        device.index = natural_number(name.substr(split + 1)).value_or(0);
        for (const auto& [resource, total] : provider.inventory) {
            device.virtual_functions = resource == "VGPU" || resource == "SRIOV_NET_VF" ? total : 0;
        }
        read_traits(provider, device);
        for (std::size_t above = *provider.parent; providers[above].parent;
             above = *providers[above].parent) {
            const std::string_view inner = own_name(providers, above);
            if (has_trait(providers[above], switch_trait)) {
                device.pcie = after(inner, "pcie").value_or("");
            } else if (has_trait(providers[above], numa_trait)) {
                device.numa = natural_number(after(inner, "numa").value_or(""));
            }
        }
    }
    return device_groups(std::move(devices));
}

}  // namespace berth::tests
