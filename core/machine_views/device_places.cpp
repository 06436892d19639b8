#include "core/machine_views/device_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "core/support/parse_number.hpp"

namespace berth::core {
namespace {

/// The NUMA nodes on which each switch number occurs, as far as they are known.
using SwitchNumbers = std::map<std::int64_t, std::set<std::int64_t>>;

std::optional<std::int64_t> at(const std::vector<std::int64_t>& list, std::size_t device) {
    return device < list.size() ? std::optional(list[device]) : std::nullopt;
}

SwitchNumbers switch_numbers(const std::vector<DeviceGroup>& groups) {
    SwitchNumbers numbers;
    for (const DeviceGroup& group : groups) {
        for (std::size_t device = 0; device < group.pcie.size(); ++device) {
            auto& nodes = numbers[group.pcie[device]];
            if (const auto numa = at(group.numa, device)) {
                nodes.insert(*numa);
            }
        }
    }
    return numbers;
}

/// The value that all of them have in common, or nothing.
template <class T>
T common(const std::vector<SeenDevice>& devices, T SeenDevice::* field) {
    const bool same = std::ranges::all_of(
        devices, [&](const SeenDevice& device) { return device.*field == devices[0].*field; });
    return same ? devices[0].*field : T{};
}

std::vector<std::int64_t> pcie_numbers(const std::vector<SeenDevice>& devices) {
    std::vector<std::int64_t> numbers;
    if (std::ranges::any_of(devices, &std::string::empty, &SeenDevice::pcie)) {
        return numbers;
    }
    const bool ours = std::ranges::all_of(
        devices, [](const SeenDevice& device) { return pcie_number(device.pcie).has_value(); });
    std::map<std::string_view, std::int64_t> number_of;
    for (const SeenDevice& device : devices) {
        const auto next = static_cast<std::int64_t>(number_of.size());
        const auto [entry, fresh] = number_of.try_emplace(device.pcie, next);
        numbers.push_back(ours ? *pcie_number(device.pcie) : entry->second);
    }
    return numbers;
}

std::vector<std::vector<std::int64_t>> islands(const std::vector<SeenDevice>& devices) {
    const auto shorter_first = [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    };
    std::map<std::string, std::vector<std::int64_t>, decltype(shorter_first)> members;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (!devices[i].island.empty()) {
            members[devices[i].island].push_back(static_cast<std::int64_t>(i));
        }
    }
    std::vector<std::vector<std::int64_t>> out;
    for (auto& [name, island] : members) {
        out.push_back(std::move(island));
    }
    return out;
}

}  // namespace

std::vector<std::vector<DevicePlace>> device_places(const std::vector<DeviceGroup>& groups) {
    const SwitchNumbers numbers = switch_numbers(groups);
    const bool ambiguous =
        std::ranges::any_of(numbers, [](const auto& entry) { return entry.second.size() > 1; });
    std::vector<std::vector<DevicePlace>> places;
    for (const DeviceGroup& group : groups) {
        auto& of_group = places.emplace_back(static_cast<std::size_t>(group.count));
        for (std::size_t device = 0; device < of_group.size(); ++device) {
            DevicePlace& place = of_group[device];
            place.numa = at(group.numa, device);
            const auto number = at(group.pcie, device);
            if (!number) {
                continue;
            }
            const auto& nodes = numbers.at(*number);
            const auto numa =
                place.numa || nodes.size() != 1 ? place.numa : std::optional(*nodes.begin());
            place.pcie = !ambiguous ? fmt::format("{}", *number)
                         : numa     ? fmt::format("{}-{}", *numa, *number)
                                    : fmt::format("x-{}", *number);
        }
        for (std::size_t island = 0; island < group.nvlink.size(); ++island) {
            for (const std::int64_t device : group.nvlink[island]) {
                of_group[static_cast<std::size_t>(device)].island = island;
            }
        }
    }
    return places;
}

std::optional<std::int64_t> natural_number(std::string_view text) {
    const auto number = parse_number<std::int64_t>(text);
    return number && *number >= 0 ? number : std::nullopt;
}

std::optional<std::int64_t> pcie_number(std::string_view id) {
    const std::size_t dash = id.find('-');
    if (dash == std::string_view::npos) {
        return natural_number(id);
    }
    const std::string_view numa = id.substr(0, dash);
    return numa == "x" || natural_number(numa) ? natural_number(id.substr(dash + 1)) : std::nullopt;
}

std::vector<DeviceGroup> device_groups(std::vector<SeenDevice> devices) {
    std::vector<std::string> kinds;
    std::map<std::string, std::vector<SeenDevice>> by_kind;
    for (SeenDevice& device : devices) {
        std::vector<SeenDevice>& of_kind = by_kind[device.kind];
        if (of_kind.empty()) {
            kinds.push_back(device.kind);
        }
        of_kind.push_back(std::move(device));
    }
    std::vector<DeviceGroup> groups;
    for (const std::string& kind : kinds) {
        std::vector<SeenDevice>& of_kind = by_kind[kind];
        std::ranges::stable_sort(of_kind, {}, &SeenDevice::index);
        DeviceGroup& group = groups.emplace_back();
        group.kind = kind;
        group.count = static_cast<std::int64_t>(of_kind.size());
        group.model = common(of_kind, &SeenDevice::model);
        group.memory_bytes = common(of_kind, &SeenDevice::memory_bytes);
        group.virtual_functions = common(of_kind, &SeenDevice::virtual_functions);
        for (const SeenDevice& device : of_kind) {
            if (device.numa) {
                group.numa.push_back(*device.numa);
            }
        }
        if (group.numa.size() != of_kind.size()) {
            group.numa.clear();
        }
        group.pcie = pcie_numbers(of_kind);
        group.nvlink = islands(of_kind);
        if (std::ranges::any_of(of_kind, [](const SeenDevice& d) { return !d.traits.empty(); })) {
            std::ranges::transform(of_kind, std::back_inserter(group.traits), &SeenDevice::traits);
        }
    }
    return groups;
}

}  // namespace berth::core
