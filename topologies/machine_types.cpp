#include "topologies/machine_types.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <variant>

#include "core/node_rules/labels.hpp"
#include "core/support/quantity_hint.hpp"
#include "core/tree/device_names.hpp"
#include "core/tree/gpu_resource.hpp"
#include "topologies/provider_fields.hpp"

namespace berth::topologies {
namespace {

using core::Amount;
using core::DeviceGroup;
using core::Diagnostics;
using core::MapReader;
using core::Value;

constexpr std::int64_t devices_max = 4096;
constexpr std::int64_t numa_nodes_max = 1024;

std::optional<Amount> amount_of(const Value& value,
                                const std::variant<Amount, core::QuantityFault>& parsed,
                                std::string_view unit,
                                Diagnostics& diagnostics) {
    if (const auto* fault = std::get_if<core::QuantityFault>(&parsed)) {
        const bool malformed = *fault == core::QuantityFault::malformed;
        core::expected(
            value,
            core::describe(*fault, unit) + (malformed ? core::quantity_hint(value.text) : ""),
            diagnostics);
        return std::nullopt;
    }
    return std::get<Amount>(parsed);
}

/// Reads the devices of one kind, in either form: `count` with a list for each property, or a list
/// with a map for each device.
class DeviceGroupReader {
public:
    DeviceGroupReader(const std::string& kind, Diagnostics& diagnostics)
        : what_(fmt::format("devices '{}'", kind)), diagnostics_(diagnostics) {
        group_.kind = kind;
    }

    DeviceGroup read(const Value& value) {
        if (value.is_list()) {
            read_devices(value);
        } else {
            read_group(value);
        }
        return std::move(group_);
    }

private:
    void read_group(const Value& value) {
        MapReader map(value, what_, diagnostics_);
        const Value* count = map.need("count");
        group_.count =
            count ? core::read_integer(*count, diagnostics_, 1, devices_max).value_or(0) : 0;
        read_common(map);
        group_.numa = read_per_device(map.take("numa"));
        group_.pcie = read_per_device(map.take("pcie"));
        if (const Value* islands = map.take("nvlink")) {
            read_islands(*islands);
        }
        read_traits_per_device(map.take("traits"));
        map.report_unknown_keys();
    }

    /// False if the count itself is wrong: lists are then not checked against it.
    [[nodiscard]] bool count_known() const { return group_.count > 0; }

    void read_common(MapReader& map) {
        group_.model = map.text("model", "");
        if (const Value* memory = map.take("memory")) {
            group_.memory_bytes =
                amount_of(*memory, core::parse_quantity(memory->text, 1), "bytes", diagnostics_)
                    .value_or(0);
        }
        group_.virtual_functions = map.integer("vfs", 0, 0, devices_max);
    }

    std::vector<std::int64_t> read_per_device(const Value* list) {
        std::vector<std::int64_t> numbers;
        if (list == nullptr) {
            return numbers;
        }
        const auto size = static_cast<std::int64_t>(list->items.size());
        if (!list->is_list() || (count_known() && size != group_.count)) {
            const std::string want =
                fmt::format("a list of {} numbers, one a device", group_.count);
            if (list->is_list()) {
                diagnostics_.error(list->span,
                                   fmt::format("found a list of {}: expected {}", size, want));
            } else {
                core::expected(*list, want, diagnostics_);
            }
            return numbers;
        }
        for (const Value& item : list->items) {
            numbers.push_back(core::read_integer(item, diagnostics_, 0, INT32_MAX).value_or(0));
        }
        return numbers;
    }

    /// Reads a trait, or a list of traits, for each device.
    void read_traits_per_device(const Value* list) {
        if (list == nullptr) {
            return;
        }
        const auto size = static_cast<std::int64_t>(list->items.size());
        if (!list->is_list() || (count_known() && size != group_.count)) {
            core::expected(
                *list,
                fmt::format("a list of {} traits, or lists of traits, one a device", group_.count),
                diagnostics_);
            return;
        }
        for (const Value& item : list->items) {
            group_.traits.push_back(read_traits(listed(item), diagnostics_));
        }
    }

    static Value listed(const Value& value) {
        if (!value.is_scalar()) {
            return value;
        }
        return {Value::Kind::list, "", {value}, {}, value.span};
    }

    void read_islands(const Value& islands) {
        if (!islands.is_list()) {
            core::expected(islands, "a list of islands, each a list of devices", diagnostics_);
            return;
        }
        const std::int64_t last_device = count_known() ? group_.count - 1 : devices_max;
        std::set<std::int64_t> seen;
        for (const Value& island : islands.items) {
            if (!island.is_list()) {
                core::expected(island, "an island: a list of devices", diagnostics_);
                continue;
            }
            std::vector<std::int64_t>& members = group_.nvlink.emplace_back();
            for (const Value& item : island.items) {
                const auto device = core::read_integer(item, diagnostics_, 0, last_device);
                if (device && !seen.insert(*device).second) {
                    core::expected(item, "each device in one island at most", diagnostics_);
                }
                members.push_back(device.value_or(0));
            }
        }
    }

    void read_devices(const Value& list) {
        group_.count = static_cast<std::int64_t>(list.items.size());
        if (group_.count == 0 || group_.count > devices_max) {
            diagnostics_.error(
                list.span,
                fmt::format(
                    "found a list of {}: expected 1 to {} devices", group_.count, devices_max));
            return;
        }
        std::map<std::int64_t, std::vector<std::int64_t>> islands;
        std::optional<DeviceGroup> first;
        for (std::size_t i = 0; i < list.items.size(); ++i) {
            read_device(list.items[i], static_cast<std::int64_t>(i), islands);
            if (first &&
                (first->model != group_.model || first->memory_bytes != group_.memory_bytes ||
                 first->virtual_functions != group_.virtual_functions)) {
                diagnostics_.error(list.items[i].span,
                                   fmt::format("{} differ: expected the model, memory and vfs of "
                                               "the first device",
                                               what_));
            }
            if (!first) {
                first = group_;
            }
        }
        check_all_or_none(list, "numa", group_.numa);
        check_all_or_none(list, "pcie", group_.pcie);
        if (std::ranges::all_of(group_.traits, &std::vector<std::string>::empty)) {
            group_.traits.clear();
        }
        for (auto& [number, members] : islands) {
            group_.nvlink.push_back(std::move(members));
        }
    }

    void read_device(const Value& device,
                     std::int64_t index,
                     std::map<std::int64_t, std::vector<std::int64_t>>& islands) {
        MapReader map(device, what_, diagnostics_);
        read_common(map);
        for (auto [key, numbers] : {std::pair("numa", &group_.numa), {"pcie", &group_.pcie}}) {
            if (const Value* number = map.take(key)) {
                numbers->push_back(
                    core::read_integer(*number, diagnostics_, 0, INT32_MAX).value_or(0));
            }
        }
        if (const Value* island = map.take("nvlink")) {
            const auto number = core::read_integer(*island, diagnostics_, 0, INT32_MAX);
            islands[number.value_or(0)].push_back(index);
        }
        const Value* traits = map.take("traits");
        group_.traits.push_back(traits != nullptr ? read_traits(listed(*traits), diagnostics_)
                                                  : std::vector<std::string>());
        map.report_unknown_keys();
    }

    void check_all_or_none(const Value& list,
                           std::string_view key,
                           const std::vector<std::int64_t>& numbers) {
        const auto count = static_cast<std::int64_t>(numbers.size());
        if (count != 0 && count != group_.count) {
            diagnostics_.error(
                list.span,
                fmt::format(
                    "{} of {} devices have '{}': expected all or none", count, group_.count, key));
        }
    }

    std::string what_;
    Diagnostics& diagnostics_;
    DeviceGroup group_;
};

class MachineTypesReader {
public:
    explicit MachineTypesReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    void read(const std::string& name, const Value& value) {
        const std::string what = fmt::format("machine type '{}'", name);
        MapReader map(value, what, diagnostics_);
        core::MachineType& type = out_.types.emplace_back();
        SparseAmounts& amounts = amounts_.emplace_back();
        type.name = name;
        if (const Value* capacity = map.take("capacity")) {
            read_capacity(*capacity, amounts);
        }
        if (const Value* devices = map.take("devices")) {
            read_devices(*devices, type, amounts);
        }
        if (const Value* numa = map.take("numa")) {
            read_numa(*numa, type);
        }
        if (const Value* traits = map.take("traits")) {
            type.traits = read_traits(*traits, diagnostics_);
        }
        if (const Value* labels = map.take("labels")) {
            type.labels = core::read_labels(*labels, diagnostics_);
        }
        map.report_unknown_keys();
    }

    MachineTypes finish(const core::ResourceSchema& also) {
        for (const std::string& name : also.names()) {
            out_.resources.add(name);
        }
        for (std::size_t i = 0; i < out_.types.size(); ++i) {
            out_.types[i].capacity = dense(amounts_[i], out_.resources.size());
        }
        return std::move(out_);
    }

private:
    void read_capacity(const Value& capacity, SparseAmounts& amounts) {
        if (!capacity.is_map()) {
            core::expected(capacity, "a map from resources to amounts", diagnostics_);
        }
        for (const core::Member& member : capacity.members) {
            if (!check_resource_name(member.key, member.key_span, diagnostics_)) {
                continue;
            }
            const std::size_t resource = out_.resources.add(member.key);
            if (std::ranges::count(amounts, resource, &SparseAmounts::value_type::first) > 0) {
                diagnostics_.error(
                    member.key_span,
                    fmt::format("resource '{}' occurs twice: expected one amount", member.key));
            }
            const auto amount = read_amount(member.value, out_.resources, resource, diagnostics_);
            amounts.emplace_back(resource, amount.value_or(0));
        }
    }

    void read_devices(const Value& devices, core::MachineType& type, SparseAmounts& amounts) {
        if (!devices.is_map()) {
            core::expected(devices, "a map from kinds of devices to their groups", diagnostics_);
        }
        for (const core::Member& member : devices.members) {
            if (std::ranges::count(type.devices, member.key, &DeviceGroup::kind) > 0) {
                diagnostics_.error(
                    member.key_span,
                    fmt::format("devices '{}' occur twice: expected one group", member.key));
            }
            if (!check_resource_name(member.key, member.key_span, diagnostics_)) {
                continue;
            }
            DeviceGroup group = DeviceGroupReader(member.key, diagnostics_).read(member.value);
            const std::size_t resource = out_.resources.add(resource_of_device(member.key));
            if (std::ranges::count(amounts, resource, &SparseAmounts::value_type::first) == 0) {
                amounts.emplace_back(resource, group.count * out_.resources.per_unit(resource));
            }
            type.devices.push_back(std::move(group));
        }
    }

    void read_numa(const Value& numa, core::MachineType& type) {
        type.numa_nodes =
            core::read_integer(numa, diagnostics_, 1, numa_nodes_max).value_or(numa_nodes_max);
        for (const DeviceGroup& group : type.devices) {
            const auto last = std::ranges::max_element(group.numa);
            if (last != group.numa.end() && *last >= type.numa_nodes) {
                diagnostics_.error(
                    numa.span,
                    fmt::format("devices '{}' sit on NUMA node {}: expected more than {} nodes",
                                group.kind,
                                *last,
                                type.numa_nodes));
            }
        }
    }

    Diagnostics& diagnostics_;
    MachineTypes out_;
    std::vector<SparseAmounts> amounts_;  ///< Amounts of each type.
};

}  // namespace

std::optional<std::uint32_t> MachineTypes::find(const Value& value,
                                                Diagnostics& diagnostics) const {
    const auto name = core::read_text(value, diagnostics);
    if (!name) {
        return std::nullopt;
    }
    const auto at = std::ranges::find(types, *name, &core::MachineType::name);
    if (at == types.end()) {
        std::vector<std::string> names;
        std::ranges::transform(types, std::back_inserter(names), &core::MachineType::name);
        diagnostics.error(value.span,
                          fmt::format("unknown machine type '{}': expected one of machineTypes{}",
                                      *name,
                                      core::suggestion(*name, names)));
        return std::nullopt;
    }
    return static_cast<std::uint32_t>(at - types.begin());
}

MachineTypes read_machine_types(const Value& section,
                                const core::ResourceSchema& also,
                                Diagnostics& diagnostics) {
    MachineTypesReader reader(diagnostics);
    if (!section.is_map() || section.members.empty()) {
        core::expected(section, "a map from names to machine types", diagnostics);
    }
    std::set<std::string> names;
    for (const core::Member& member : section.members) {
        if (!names.insert(member.key).second) {
            diagnostics.error(
                member.key_span,
                fmt::format("machine type '{}' occurs twice: expected distinct names", member.key));
            continue;
        }
        reader.read(member.key, member.value);
    }
    return reader.finish(also);
}

MachineTypes read_machine_type(const std::string& name,
                               const Value& inside,
                               const core::ResourceSchema& also,
                               Diagnostics& diagnostics) {
    MachineTypesReader reader(diagnostics);
    reader.read(name, inside);
    return reader.finish(also);
}

core::Amounts dense(const SparseAmounts& amounts, std::size_t resource_count) {
    core::Amounts out = core::Amounts::Zero(static_cast<Eigen::Index>(resource_count));
    for (const auto& [resource, amount] : amounts) {
        out[static_cast<Eigen::Index>(resource)] = amount;
    }
    return out;
}

bool check_resource_name(const std::string& name,
                         const core::SourceSpan& span,
                         core::Diagnostics& diagnostics) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.' || c == '/';
    };
    if (!name.empty() && std::ranges::all_of(name, is_letter)) {
        return true;
    }
    diagnostics.error(
        span,
        fmt::format("found '{}': expected the name of a resource, of letters, digits, '-', '_', "
                    "'.' and '/'",
                    name));
    return false;
}

std::optional<Amount> read_amount(const Value& value,
                                  const core::ResourceSchema& resources,
                                  std::size_t resource,
                                  Diagnostics& diagnostics) {
    return amount_of(value,
                     core::parse_amount(resources, resource, value.text),
                     resources.unit(resource),
                     diagnostics);
}

std::optional<Amount> read_counted_amount(const Value& value,
                                          const core::ResourceSchema& resources,
                                          std::size_t resource,
                                          Diagnostics& diagnostics) {
    const bool is_rounded =
        resources.unit(resource) == "bytes" || resources.name(resource) == "cpu";
    return amount_of(value,
                     is_rounded ? core::parse_quantity_up(value.text, resources.per_unit(resource))
                                : core::parse_amount(resources, resource, value.text),
                     resources.unit(resource),
                     diagnostics);
}

std::string_view resource_of_device(std::string_view kind) {
    return kind == "gpu" ? core::device_resource::nvidia_gpu : kind;
}

}  // namespace berth::topologies
