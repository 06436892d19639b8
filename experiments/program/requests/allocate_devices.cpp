#include "experiments/program/requests/allocate_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/device_allocator/device_allocator.hpp"
#include "core/device_allocator/device_locality.hpp"
#include "core/tree/resources.hpp"
#include "experiments/program/config/workload/device_annotations.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::DeviceType;

/// Upper bound for amounts of a device, so that sums over a machine do not overflow.
constexpr Amount device_amount_max = Amount{1} << 56;

std::string text_or_empty(const RequestValue& object, const char* key) {
    const RequestValue value = object[key];
    return value.is_null() ? "" : text(value, key);
}

std::int32_t small(const RequestValue& value, const NamesPlace auto& where, std::int32_t min) {
    const Amount number = whole(value, where, min);
    if (number > std::numeric_limits<std::int32_t>::max()) {
        throw RequestError(
            fmt::format("{} is {}: expected at most 2147483647", place_text(where), number));
    }
    return static_cast<std::int32_t>(number);
}

DeviceType type_of(const RequestValue& device, std::string_view where) {
    const std::string name = text(need(device, "type", where), "type");
    const auto type = core::device_type_named(name);
    if (!type) {
        throw RequestError(
            fmt::format("{} has type '{}': expected gpu, rdma or fpga", where, name));
    }
    return *type;
}

std::map<std::string, Amount, std::less<>> read_amounts(const RequestValue& object,
                                                        std::string_view where,
                                                        Amount max) {
    std::map<std::string, Amount, std::less<>> amounts;
    const RequestValue resources = object["resources"];
    if (resources.is_null()) {
        return amounts;
    }
    if (!resources.is_map()) {
        throw RequestError(
            fmt::format("{}.resources is {}: expected an object", where, shown(resources)));
    }
    for (auto [name, value] : resources.members()) {
        const auto place = [&, &name = name] {
            return fmt::format("{}.resources.{}", where, name);
        };
        const Amount amount = read_device_amount(value, place);
        if (amount > max) {
            throw RequestError(fmt::format("{} is {}: expected at most {}", place(), amount, max));
        }
        amounts.insert_or_assign(std::move(name), amount);
    }
    return amounts;
}

/// The entries of a list; none if it is absent or null.
auto list_of(const RequestValue& object, const char* key, std::string_view where) {
    const RequestValue value = object[key];
    if (!value.is_null() && !value.is_list()) {
        throw RequestError(fmt::format("{} is {}: expected a list", where, shown(value)));
    }
    return value.items();
}

std::vector<core::VirtualFunctionGroup> read_vf_groups(const RequestValue& device) {
    std::vector<core::VirtualFunctionGroup> groups;
    for (const RequestValue& json : list_of(device, "vfGroups", "vfGroups")) {
        core::VirtualFunctionGroup group;
        group.labels = read_labels(json, "labels");
        for (const RequestValue& function : list_of(json, "vfs", "vfs")) {
            const RequestValue minor = function["minor"];
            group.functions.push_back({minor.is_null() ? 0 : small(minor, "vfs.minor", INT32_MIN),
                                       text_or_empty(function, "busID")});
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

core::DeviceDescription read_device(const RequestValue& json, std::string_view where) {
    const auto at = [&](const char* key) {
        return [where, key] { return fmt::format("{}.{}", where, key); };
    };
    core::DeviceDescription device;
    device.type = type_of(json, where);
    device.minor = small(need(json, "minor", where), at("minor"), 0);
    device.uuid = text_or_empty(json, "uuid");
    device.labels = read_labels(json, "labels");
    device.healthy = boolean(json, "health", true);
    device.resources = read_amounts(json, where, device_amount_max);
    device.vf_groups = read_vf_groups(json);
    const RequestValue numa = json["numaNode"];
    const RequestValue pcie = json["pcieID"];
    if (!numa.is_null() && !pcie.is_null()) {
        core::DeviceTopology topology;
        const RequestValue socket = json["socketID"];
        topology.socket = socket.is_null() ? 0 : small(socket, at("socketID"), -1);
        topology.numa_node = small(numa, at("numaNode"), -1);
        topology.pcie = text(pcie, at("pcieID"));
        topology.bus_id = text_or_empty(json, "busID");
        device.topology = std::move(topology);
    }
    return device;
}

/// Adds devices that are in use but not in the list; they count as gone.
void add_missing(const RequestValue& node, core::MachineDevices& machine) {
    for (const RequestValue& entry : list_of(node, "allocated", "node.allocated")) {
        const DeviceType type = type_of(entry, "node.allocated");
        const std::int32_t minor =
            small(need(entry, "minor", "node.allocated"), "node.allocated.minor", 0);
        const auto is_it = [&](const core::DeviceDescription& device) {
            return device.type == type && device.minor == minor;
        };
        if (std::ranges::none_of(machine.devices, is_it)) {
            core::DeviceDescription gone;
            gone.type = type;
            gone.minor = minor;
            gone.listed = false;
            machine.devices.push_back(std::move(gone));
        }
        for (const auto& [name, amount] :
             read_amounts(entry, "node.allocated", device_amount_max)) {
            machine.also_counted.emplace_back(type, name);
        }
    }
}

core::MachineDevices read_machine(const RequestValue& node, const core::DevicePod& pod) {
    core::MachineDevices machine;
    for (const RequestValue& device : list_of(node, "devices", "node.devices")) {
        machine.devices.push_back(
            read_device(device, fmt::format("node.devices[{}]", machine.devices.size())));
    }
    machine.device_labels = read_labels(node, "deviceLabels");
    machine.node_labels = read_labels(node, "nodeLabels");
    const core::Labels annotations = read_labels(node, "deviceAnnotations");
    const auto table = annotations.find(device_annotation::partitions);
    if (table != annotations.end() && !table->second.empty()) {
        machine.partitions = read_gpu_partitions(table->second);
    }
    add_missing(node, machine);
    for (const auto& [name, amount] : pod.requests) {
        for (const std::string_view npu : {core::device_resource::npu_core,
                                           core::device_resource::npu_cpu,
                                           core::device_resource::npu_dvpp}) {
            if (name == npu) {
                machine.also_counted.emplace_back(DeviceType::gpu, name);
            }
        }
    }
    if (const auto refusal = core::DeviceInventory::refusal(machine)) {
        throw RequestError("node.devices: " + *refusal);
    }
    return machine;
}

/// The devices that an entry of `allocated` closes to others: `exclusivePolicy`, as in a hint.
core::DeviceMask closed_by(const RequestValue& entry,
                           const core::DevicesOfType& devices,
                           std::size_t device) {
    if (entry["exclusivePolicy"].is_null()) {
        return 0;
    }
    const bool is_switch = choice(entry, "exclusivePolicy", {"DeviceLevel", "PCIeLevel"}) == 1;
    core::DeviceMask closed = core::bit(device);
    for (std::size_t d = 0; is_switch && d < devices.size(); ++d) {
        const std::int16_t at = devices.pcie[device];
        closed |= at != core::DevicesOfType::nowhere && devices.pcie[d] == at ? core::bit(d) : 0;
    }
    return closed;
}

void take(const RequestValue& entry,
          const core::DeviceInventory& inventory,
          core::DeviceState& state) {
    const DeviceType type = type_of(entry, "node.allocated");
    const core::DevicesOfType& devices = inventory.of(type);
    const std::size_t device = *devices.find_minor(small(entry["minor"], "minor", 0));
    const std::size_t width = devices.resources.size();
    core::DeviceAllocation allocation;
    core::DeviceGrants& grants = allocation[type];
    const auto add = [&](std::int32_t vf) {
        grants.devices.push_back(static_cast<std::uint8_t>(device));
        grants.amounts.resize(grants.amounts.size() + width, core::DeviceGrants::absent);
        grants.vfs.push_back(vf);
    };
    add(core::DeviceGrants::no_vf);
    for (const auto& [name, amount] : read_amounts(entry, "node.allocated", device_amount_max)) {
        const std::size_t r = *devices.find_resource(name);
        grants.amounts[r] = amount;
        if (!core::checked_add(state.used(devices.first_used + device * width + r), amount)) {
            throw RequestError(fmt::format("allocated {} of one device: expected less", name));
        }
    }
    std::vector<std::size_t> slots;
    for (const RequestValue& function : list_of(entry, "vfs", "allocated.vfs")) {
        const std::string bus_id = text(function, "allocated.vfs");
        const auto& entries = devices.functions[device];
        const auto at = std::ranges::find(
            entries, bus_id, [](const core::VfEntry& e) { return e.function.bus_id; });
        if (at != entries.end() && !state.is_vf_taken(at->slot) &&
            std::ranges::find(slots, at->slot) == slots.end()) {
            slots.push_back(at->slot);
            add(static_cast<std::int32_t>(at - entries.begin()));
        }
    }
    grants.closed = closed_by(entry, devices, device) & ~state.closed(type);
    state.take(inventory, allocation);
}

core::DeviceScorer default_scorer() {
    core::DeviceScorer scorer;
    for (const std::string_view name : {core::device_resource::gpu_memory_ratio,
                                        core::device_resource::gpu_memory,
                                        core::device_resource::rdma,
                                        core::device_resource::fpga}) {
        scorer.weights.emplace(name, 1);
    }
    return scorer;
}

std::optional<core::DeviceScorer> read_scorer(const RequestValue& options) {
    const auto given = options.find("scorer");
    if (!given) {
        return default_scorer();
    }
    const RequestValue json = *given;
    if (json.is_null()) {
        return std::nullopt;
    }
    core::DeviceScorer scorer;
    (void)need(json, "type", "the scorer");
    scorer.strategy = static_cast<core::DeviceScorer::Strategy>(
        choice(json, "type", {"LeastAllocated", "MostAllocated"}));
    const RequestValue weights = need(json, "resources", "the scorer");
    if (!weights.is_map()) {
        throw RequestError(
            fmt::format("the scorer's resources are {}: expected an object", shown(weights)));
    }
    for (const auto& [name, weight] : weights.members()) {
        const std::string where = fmt::format("the scorer's weight of {}", name);
        scorer.weights[name] = whole(weight, where, 0);
        if (scorer.weights[name] > 1'000'000'000) {
            throw RequestError(
                fmt::format("{} is {}: expected at most 1000000000", where, scorer.weights[name]));
        }
    }
    return scorer;
}

core::DeviceOptions read_options(const RequestValue& request) {
    core::DeviceOptions out;
    if (choice(request, "rules", {"documented", "published"}) == 1) {
        out.rules = core::published_rules();
    }
    out.solver = static_cast<core::DeviceSolver>(choice(request, "solver", {"greedy", "exact"}));
    const RequestValue given = request["options"];
    if (!given.is_null() && !given.is_map()) {
        throw RequestError(fmt::format("options is {}: expected an object", shown(given)));
    }
    out.mode =
        static_cast<core::DeviceOptions::Mode>(choice(given, "mode", {"schedule", "allocate"}));
    out.scorer = read_scorer(given);
    return out;
}

Json refused(const core::DeviceRefusal& refusal) {
    return {{"unschedulable", refusal.text()},
            {"code", refusal.resolvable ? "Unschedulable" : "UnschedulableAndUnresolvable"},
            {"phase", to_string(refusal.phase)}};
}

/// The devices that are closed to others from now on, by type.
Json closed_devices(const core::DeviceInventory& inventory,
                    const core::DeviceAllocation& allocation) {
    Json out = Json::object();
    for (const DeviceType type : core::device_request_order) {
        core::for_each_bit(allocation[type].closed, [&](std::size_t d) {
            out[std::string(to_string(type))].push_back(inventory.of(type).devices[d].minor);
        });
    }
    return out;
}

core::DevicePod read_requests(const RequestValue& json) {
    core::DevicePod pod;
    const RequestValue requests = need(json, "requests", "pod");
    if (!requests.is_map()) {
        throw RequestError(fmt::format("pod.requests is {}: expected an object", shown(requests)));
    }
    for (const auto& [name, value] : requests.members()) {
        pod.requests[name] =
            read_device_amount(value, [&, &name = name] { return "pod.requests." + name; });
    }
    return pod;
}

}  // namespace

Json answer_device_request(const RequestValue& request) {
    const core::DeviceOptions options = read_options(request);
    const RequestValue pod_json = need(request, "pod", "the request");
    core::DevicePod pod = read_requests(pod_json);
    const RequestValue node = need(request, "node", "the request");
    const auto unknown =
        options.rules.unpublished_fits ? UnknownWords::ignored : UnknownWords::refused;
    const auto bad_annotation =
        read_device_annotations(read_labels(pod_json, "annotations"), unknown, pod);
    const auto inventory = std::make_shared<const core::DeviceInventory>(read_machine(node, pod));
    core::DeviceState state(*inventory);
    for (const RequestValue& entry : list_of(node, "allocated", "node.allocated")) {
        take(entry, *inventory, state);
    }
    const auto translated = translate(pod, options.rules);
    if (const auto* refusal = std::get_if<core::DeviceRefusal>(&translated)) {
        return refused(*refusal);
    }
    const auto& wanted = std::get<core::DeviceRequest>(translated);
    if (wanted.empty()) {
        return {{"skip", true}};
    }
    if (bad_annotation) {
        return refused(*bad_annotation);
    }
    const core::DeviceAllocator allocator(inventory, wanted, options);
    const core::DeviceOutcome outcome = allocator.allocate(state);
    if (const auto* refusal = std::get_if<core::DeviceRefusal>(&outcome)) {
        return refused(*refusal);
    }
    const auto& granted = std::get<core::GrantedDevices>(outcome);
    Json answer{{"allocations", device_allocations(*inventory, granted.devices)},
                {"annotation", device_allocated_annotation(*inventory, granted.devices)}};
    if (granted.score) {
        answer["score"] = *granted.score;
    }
    if (const Json closed = closed_devices(*inventory, granted.devices); !closed.empty()) {
        answer["closed"] = closed;
    }
    return answer;
}

}  // namespace berth::experiments
