#include "experiments/program/config/cluster/read_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/node_rules/object_metadata.hpp"
#include "core/tree/resources.hpp"
#include "experiments/program/config/document/embedded_json.hpp"
#include "experiments/program/config/document/object_fields.hpp"
#include "workloads/unmodelled/object_fields.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

/// Reads one partition from a table's entry for `count` GPUs.
core::GpuPartition read_partition(const Value& value,
                                  std::optional<std::int64_t> count,
                                  Diagnostics& diagnostics) {
    MapReader map(value, "a partition", diagnostics);
    core::GpuPartition partition;
    if (const Value* minors = map.need("minors")) {
        const auto size = static_cast<std::int64_t>(minors->items.size());
        if (!minors->is_list()) {
            expected(*minors, "a list of minors", diagnostics);
        } else if (count && size != *count) {
            diagnostics.error(minors->span,
                              fmt::format("found {} minors: expected {}", size, *count));
        }
        std::set<std::int64_t> seen;
        for (const Value& item : minors->items) {
            const auto minor = core::read_integer(item, diagnostics, 0, INT32_MAX);
            if (minor && !seen.insert(*minor).second) {
                expected(item, "each minor once", diagnostics);
            }
            partition.minors.push_back(static_cast<std::int32_t>(minor.value_or(0)));
        }
    }
    (void)map.text("gpuLinkType", "");
    partition.allocation_score = map.integer("allocationScore", 0, INT32_MIN, INT32_MAX);
    if (const Value* bandwidth = map.take("ringBusBandwidth")) {
        partition.ring_bus_bandwidth = read_device_quantity(*bandwidth, "units", diagnostics);
    }
    map.report_unknown_keys();
    return partition;
}

constexpr std::string_view partitions_annotation = "scheduling.koordinator.sh/gpu-partitions";
constexpr std::string_view policy_label = "node.koordinator.sh/gpu-partition-policy";

const std::vector<std::string> device_types{"gpu", "rdma", "fpga"};

/// The resources that a Device object publishes, so that a typing error is noticed.
const std::vector<std::string> device_resources{
    std::string(core::device_resource::fpga),
    std::string(core::device_resource::gpu_core),
    std::string(core::device_resource::gpu_memory),
    std::string(core::device_resource::gpu_memory_ratio),
    std::string(core::device_resource::npu_core),
    std::string(core::device_resource::npu_cpu),
    std::string(core::device_resource::npu_dvpp),
    std::string(core::device_resource::rdma)};

bool is_kind(const Value& value, std::string_view kind) {
    const Value* stated = value.find("kind");
    return stated != nullptr && stated->text == kind;
}

/// The objects of kind Device in a document. An item of a DeviceList may omit its kind.
std::vector<const Value*> devices_in(const Value& document) {
    std::vector<const Value*> found;
    const Value* items = document.find("items");
    const bool typed = is_kind(document, "DeviceList");
    if (is_kind(document, "Device")) {
        found.push_back(&document);
    } else if ((typed || is_kind(document, "List")) && items != nullptr) {
        for (const Value& item : items->items) {
            if (is_kind(item, "Device") || (typed && item.find("kind") == nullptr)) {
                found.push_back(&item);
            }
        }
    }
    return found;
}

core::Labels read_labels(const Value* value, std::string_view what, Diagnostics& diagnostics) {
    core::Labels labels;
    if (value == nullptr) {
        return labels;
    }
    if (!value->is_map()) {
        expected(*value, fmt::format("a map of {}", what), diagnostics);
    }
    for (const core::Member& member : value->members) {
        labels[member.key] = core::read_text(member.value, diagnostics).value_or("");
    }
    return labels;
}

std::int32_t as_int32(std::int64_t number) {
    return static_cast<std::int32_t>(number);
}

/// Reads the devices of one object.
class DeviceReader {
public:
    explicit DeviceReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    std::vector<core::DeviceDescription> read(const Value& list) {
        std::vector<core::DeviceDescription> devices;
        if (!list.is_list()) {
            expected(list, "a list of devices", diagnostics_);
        }
        for (const Value& item : list.items) {
            auto device = read_device(item);
            if (device) {
                devices.push_back(std::move(*device));
            }
            complete_ = complete_ && device;
        }
        return devices;
    }
    /// Whether no device was left out.
    [[nodiscard]] bool complete() const { return complete_; }

private:
    /// Returns nothing if the device cannot be identified.
    std::optional<core::DeviceDescription> read_device(const Value& value) {
        MapReader map(value, "a device", diagnostics_);
        core::DeviceDescription device;
        const Value* type = map.need("type");
        const auto known = type != nullptr ? core::device_type_named(type->text)
                                           : std::optional<core::DeviceType>();
        if (type != nullptr && !known) {
            expected(*type,
                     core::alternatives(device_types) + core::suggestion(type->text, device_types),
                     diagnostics_);
        }
        device.type = known.value_or(core::DeviceType::gpu);
        const Value* minor = map.need("minor");
        const bool numbered = minor != nullptr && read_minor(*minor, type, device);
        read_id(map.take("id"), device);
        if (const Value* module = map.take("moduleID")) {
            const auto number = core::read_integer(*module, diagnostics_, 0, INT32_MAX);
            device.module_id = number ? std::optional(as_int32(*number)) : std::nullopt;
        }
        read_health(map, value, device);
        device.labels = read_labels(map.take("labels"), "labels", diagnostics_);
        read_resources(map.take("resources"), device);
        if (const Value* topology = map.take("topology")) {
            device.topology = read_topology(*topology);
        }
        if (const Value* groups = map.take("vfGroups")) {
            read_vf_groups(*groups, device);
        }
        (void)map.take("conditions");
        map.report_unknown_keys();
        return known && numbered ? std::optional(std::move(device)) : std::nullopt;
    }

    bool read_minor(const Value& value, const Value* type, core::DeviceDescription& device) {
        const auto minor = core::read_integer(value, diagnostics_, 0, INT32_MAX);
        if (!minor || type == nullptr) {
            return false;
        }
        device.minor = as_int32(*minor);
        const bool fresh = minors_.emplace(type->text, *minor).second;
        if (!fresh) {
            diagnostics_.error(value.span,
                               fmt::format("{} {} is there twice: expected each minor of a type "
                                           "once",
                                           type->text,
                                           *minor));
        }
        return fresh;
    }

    void read_id(const Value* value, core::DeviceDescription& device) {
        if (value == nullptr) {
            return;
        }
        device.uuid = core::read_text(*value, diagnostics_).value_or("");
        if (!device.uuid.empty() && !ids_.insert(device.uuid).second) {
            diagnostics_.error(
                value->span,
                fmt::format("id '{}' is there twice: expected each id once", device.uuid));
        }
    }

    /// A cluster treats a device without a `health` as unhealthy.
    void read_health(MapReader& map, const Value& value, core::DeviceDescription& device) {
        const Value* health = map.take("health");
        if (health == nullptr) {
            diagnostics_.warning(value.span, "a device has no health: it counts as false");
        }
        device.healthy =
            health != nullptr && core::read_boolean(*health, diagnostics_).value_or(false);
    }

    void read_resources(const Value* value, core::DeviceDescription& device) {
        if (value == nullptr) {
            return;
        }
        if (!value->is_map()) {
            expected(*value, "a map from resources to quantities", diagnostics_);
        }
        for (const core::Member& member : value->members) {
            if (std::ranges::find(device_resources, member.key) == device_resources.end()) {
                diagnostics_.warning(
                    member.key_span,
                    fmt::format("unknown resource '{}': expected one of a device{}",
                                member.key,
                                core::suggestion(member.key, device_resources)));
            }
            const bool memory = member.key == core::device_resource::gpu_memory;
            if (const auto amount =
                    read_device_quantity(member.value, memory ? "bytes" : "units", diagnostics_)) {
                device.resources[member.key] = *amount;
            }
        }
    }

    core::DeviceTopology read_topology(const Value& value) {
        MapReader map(value, "a device's topology", diagnostics_);
        core::DeviceTopology topology;
        topology.socket = as_int32(map.integer("socketID", 0, -1, INT32_MAX));
        if (const Value* node = map.need("nodeID")) {
            topology.numa_node =
                as_int32(core::read_integer(*node, diagnostics_, -1, INT32_MAX).value_or(-1));
        }
        if (const Value* pcie = map.need("pcieID")) {
            topology.pcie = core::read_text(*pcie, diagnostics_).value_or("");
        }
        topology.bus_id = map.text("busID", "");
        map.report_unknown_keys();
        return topology;
    }

    void read_vf_groups(const Value& value, core::DeviceDescription& device) {
        if (!value.is_list()) {
            expected(value, "a list of groups of virtual functions", diagnostics_);
        }
        std::set<std::string> seen;
        for (const Value& item : value.items) {
            MapReader map(item, "a group of virtual functions", diagnostics_);
            core::VirtualFunctionGroup& group = device.vf_groups.emplace_back();
            group.labels = read_labels(map.take("labels"), "labels", diagnostics_);
            if (const Value* functions = map.take("vfs")) {
                if (!functions->is_list()) {
                    expected(*functions, "a list of virtual functions", diagnostics_);
                }
                for (const Value& function : functions->items) {
                    group.functions.push_back(read_function(function, seen));
                }
            }
            map.report_unknown_keys();
        }
    }

    core::VirtualFunction read_function(const Value& value, std::set<std::string>& seen) {
        MapReader map(value, "a virtual function", diagnostics_);
        core::VirtualFunction function;
        function.minor = as_int32(map.integer("minor", 0, INT32_MIN, INT32_MAX));
        if (const Value* bus = map.need("busID")) {
            function.bus_id = core::read_text(*bus, diagnostics_).value_or("");
            if (!seen.insert(function.bus_id).second) {
                diagnostics_.error(
                    bus->span,
                    fmt::format("virtual function {} is there twice: expected each busID of a "
                                "device once",
                                function.bus_id));
            }
        }
        map.report_unknown_keys();
        return function;
    }

    Diagnostics& diagnostics_;
    std::set<std::pair<std::string, std::int64_t>> minors_;
    std::set<std::string> ids_;
    bool complete_ = true;
};

/// Checks for partitions with GPUs that the object does not list.
void check_partitions(const Value& annotation,
                      const core::MachineDevices& machine,
                      Diagnostics& diagnostics) {
    std::set<std::int32_t> minors;
    for (const core::DeviceDescription& device : machine.devices) {
        if (device.type == core::DeviceType::gpu) {
            minors.insert(device.minor);
        }
    }
    for (const auto& [count, partitions] : *machine.partitions) {
        for (const core::GpuPartition& partition : partitions) {
            for (const std::int32_t minor : partition.minors) {
                if (!minors.contains(minor)) {
                    diagnostics.error(
                        annotation.span,
                        fmt::format("a partition of {} has the GPU {}: expected the minors of GPUs "
                                    "in spec.devices",
                                    count,
                                    minor));
                    return;
                }
            }
        }
    }
}

/// Reads the object; nothing if it has no name.
std::optional<ReadDevice> read_device(const Value& document, Diagnostics& diagnostics) {
    MapReader object(document, "a Device", diagnostics);
    const std::string api_version = "scheduling.koordinator.sh/v1alpha1";
    if (const Value* version = object.take("apiVersion");
        version != nullptr && version->text != api_version) {
        expected(*version, api_version, diagnostics);
    }
    (void)object.take("kind");
    const Value* metadata = object.take("metadata");
    const Value* spec = object.take("spec");
    (void)object.take("status");
    object.report_unknown_keys();

    if (metadata != nullptr) {
        core::check_metadata(*metadata, diagnostics);
    }
    const Value* name = metadata != nullptr ? metadata->find("name") : nullptr;
    if (name == nullptr || !name->is_scalar() || name->text.empty()) {
        const Value& at = metadata != nullptr ? *metadata : document;
        diagnostics.error(at.span, "a Device has no metadata.name: expected the name of its node");
        return std::nullopt;
    }
    ReadDevice out{name->text, {}, name->span};
    const Value* labels = metadata->find("labels");
    out.machine.device_labels = read_labels(labels, "labels", diagnostics);
    const Value* policy = labels != nullptr ? labels->find(policy_label) : nullptr;
    if (policy != nullptr && policy->text != "Honor" && policy->text != "Prefer") {
        diagnostics.warning(
            policy->span,
            fmt::format("'{}' counts as Prefer: expected Honor or Prefer", policy->text));
    }
    DeviceReader reader(diagnostics);
    if (spec != nullptr) {
        MapReader fields(*spec, "a Device's spec", diagnostics);
        if (const Value* devices = fields.take("devices")) {
            out.machine.devices = reader.read(*devices);
        }
        fields.report_unknown_keys();
    }
    const Value* annotations = metadata->find("annotations");
    const Value* table =
        annotations != nullptr ? annotations->find(partitions_annotation) : nullptr;
    if (table != nullptr) {
        out.machine.partitions = read_partition_table(*table, diagnostics);
        if (out.machine.partitions && reader.complete()) {
            check_partitions(*table, out.machine, diagnostics);
        }
    }
    return out;
}

}  // namespace

std::optional<core::GpuPartitionTable> read_partition_table(const Value& annotation,
                                                            Diagnostics& diagnostics) {
    const std::string expectation =
        R"(a map from numbers of GPUs to partitions such as {"2": [{"minors": [0, 1]}]})";
    const auto json = parse_embedded_json(annotation, expectation, diagnostics);
    if (!json) {
        return std::nullopt;
    }
    if (!json->is_map()) {
        expected(*json, expectation, diagnostics);
        return std::nullopt;
    }
    bool sound = true;
    core::GpuPartitionTable table;
    for (const core::Member& member : json->members) {
        Value key;
        key.kind = Value::Kind::scalar;
        key.text = member.key;
        key.span = member.key_span;
        const auto count = core::read_integer(key, diagnostics, 1, core::devices_of_type_max);
        if (!member.value.is_list()) {
            expected(member.value, "a list of partitions", diagnostics);
        }
        sound = sound && count && member.value.is_list();
        for (const Value& item : member.value.items) {
            table[count.value_or(0)].push_back(read_partition(item, count, diagnostics));
        }
    }
    return sound ? std::optional(std::move(table)) : std::nullopt;
}

std::optional<core::Amount> read_device_quantity(const Value& value,
                                                 std::string_view unit,
                                                 Diagnostics& diagnostics) {
    const auto parsed =
        value.is_scalar() ? core::parse_quantity(value.text, 1) : core::QuantityFault::malformed;
    if (const auto* fault = std::get_if<core::QuantityFault>(&parsed)) {
        expected(value, core::describe(*fault, unit), diagnostics);
        return std::nullopt;
    }
    return std::get<core::Amount>(parsed);
}

bool holds_devices(const Value& document) {
    return is_kind(document, "DeviceList") || !devices_in(document).empty();
}

std::vector<ReadDevice> read_devices(std::span<const Value> documents, Diagnostics& diagnostics) {
    std::vector<ReadDevice> out;
    std::set<std::string> names;
    ObjectFields fields(workloads::device_fields());
    for (const Value& document : documents) {
        for (const Value* object : devices_in(document)) {
            fields.look_at(*object);
            auto device = read_device(*object, diagnostics);
            if (!device) {
                continue;
            }
            if (!names.insert(device->name).second) {
                diagnostics.error(device->span,
                                  fmt::format("Device {} is there twice: expected one for each "
                                              "node",
                                              device->name));
                continue;
            }
            if (const auto why = core::DeviceInventory::refusal(device->machine)) {
                diagnostics.error(device->span, *why);
                continue;
            }
            out.push_back(std::move(*device));
        }
    }
    fields.warn("Device", diagnostics);
    return out;
}

}  // namespace berth::experiments
