#include "core/machine_views/group_key_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/machine_views/device_places.hpp"

namespace berth::core {
namespace {

constexpr std::string_view gpu_kind = "gpu";

/// The `gpugrp1` of each NUMA node: those that an NVLink island joins have one.
class NumaGroups {
public:
    NumaGroups(const std::vector<DeviceGroup>& groups,
               const std::vector<std::vector<DevicePlace>>& places) {
        for (std::size_t g = 0; g < groups.size(); ++g) {
            std::map<std::size_t, std::int64_t> of_island;
            for (const DevicePlace& place : places[g]) {
                if (!place.numa) {
                    continue;
                }
                members_.try_emplace(*place.numa, std::set{*place.numa});
                if (place.island && groups[g].kind == gpu_kind) {
                    join(of_island.try_emplace(*place.island, *place.numa).first->second,
                         *place.numa);
                }
            }
        }
    }
    [[nodiscard]] std::string name(std::int64_t numa) const {
        return fmt::format("numa{}", fmt::join(members_.at(numa), "-"));
    }

private:
    void join(std::int64_t a, std::int64_t b) {
        std::set<std::int64_t> both = members_.at(a);
        both.insert(members_.at(b).begin(), members_.at(b).end());
        for (const std::int64_t numa : both) {
            members_[numa] = both;
        }
    }

    std::map<std::int64_t, std::set<std::int64_t>> members_;  ///< By each of them.
};

/// The groups that a GPU stands in, or "".
std::string groups_of_gpu(const DevicePlace& place, std::size_t gpu, const NumaGroups& numa) {
    const std::string inner = place.island ? fmt::format("nvlink{}", *place.island)
                              : place.pcie ? fmt::format("pcie{}", *place.pcie)
                              : place.numa ? fmt::format("numa{}", *place.numa)
                                           : fmt::format("single{}", gpu);
    return fmt::format("/gpugrp1/{}/gpugrp0/{}",
                       place.numa ? numa.name(*place.numa) : std::string("machine"),
                       inner);
}

/// A name taken apart: `resource/group[/gpugrp1/OUTER][/gpugrp0/INNER]/KIND/DEVICE/RESOURCE`.
struct Key {
    std::string_view outer;
    std::string_view inner;
    std::string_view kind;
    std::string_view device;
    std::string_view resource;
};

std::optional<Key> parse_key(std::string_view name) {
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

/// What follows `prefix` in `name`, if it is a number.
std::optional<std::int64_t> numbered(std::string_view name, std::string_view prefix) {
    return name.starts_with(prefix) ? natural_number(name.substr(prefix.size())) : std::nullopt;
}

void read_places(const Key& key, SeenDevice& device) {
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

/// A device and its own name, the number or text that tells it from others of its kind.
struct NamedDevice {
    std::string_view name;
    SeenDevice device;
};

/// Orders the devices of a kind: by the number at the end of their names if all have one, else as
/// they stand.
void number_devices(const std::vector<NamedDevice*>& devices) {
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

}  // namespace

GroupAmounts group_key_view(const MachineType& type) {
    const auto places = device_places(type.devices);
    const NumaGroups numa(type.devices, places);
    GroupAmounts out;
    for (std::size_t g = 0; g < type.devices.size(); ++g) {
        const DeviceGroup& group = type.devices[g];
        const bool flat = group.numa.empty() && group.pcie.empty() && group.nvlink.empty();
        std::string kind = group.kind;
        std::ranges::replace(kind, '/', '.');
        for (std::size_t i = 0; i < places[g].size(); ++i) {
            const DevicePlace& place = places[g][i];
            std::string base(group_prefix);
            if (group.kind == gpu_kind && !flat) {
                base += groups_of_gpu(place, i, numa);
            } else if (place.numa) {
                base += fmt::format("/gpugrp1/{}", numa.name(*place.numa));
            }
            base += fmt::format("/{}/{}/", kind, i);
            out[base + "cards"] = 1;
            if (group.memory_bytes > 0) {
                out[base + "memory"] = group.memory_bytes;
            }
            if (group.virtual_functions > 0) {
                out[base + "vfs"] = group.virtual_functions;
            }
        }
    }
    return out;
}

std::vector<DeviceGroup> devices_of_group_keys(const GroupAmounts& keys) {
    std::map<std::string_view, NamedDevice> devices;  // by all of the name but the resource
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

}  // namespace berth::core
