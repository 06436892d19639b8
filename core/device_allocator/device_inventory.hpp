#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/device_allocator/gpu_partitions.hpp"
#include "core/device_allocator/gpu_topology.hpp"
#include "core/tree/device_names.hpp"

namespace berth::core {

struct DeviceTopology {
    std::int32_t socket = 0;
    std::int32_t numa_node = -1;  ///< -1: not known. It then counts as a NUMA node of its own.
    std::string pcie;
    std::string bus_id;
};

struct VirtualFunction {
    std::int32_t minor = 0;
    std::string bus_id;
};

struct VirtualFunctionGroup {
    Labels labels;
    std::vector<VirtualFunction> functions;
};

/// One device as the Device object describes it.
/// Units: whole units of each resource; memory in bytes.
struct DeviceDescription {
    DeviceType type = DeviceType::gpu;
    std::int32_t minor = 0;
    std::string uuid;
    std::optional<std::int32_t> module_id;
    Labels labels;
    bool healthy = true;
    /// False for a device that is still in use but that no object names any more.
    bool listed = true;
    std::optional<DeviceTopology> topology;
    std::map<std::string, Amount, std::less<>> resources;
    std::vector<VirtualFunctionGroup> vf_groups;
};

/// One machine's devices as its Device and Node objects describe them.
struct MachineDevices {
    std::vector<DeviceDescription> devices;
    Labels device_labels;
    Labels node_labels;
    /// The table in the annotation of the Device object.
    std::optional<GpuPartitionTable> partitions;
    /// Resources to count beyond those that a device publishes.
    std::vector<std::pair<DeviceType, std::string>> also_counted;
};

/// A virtual function in its device's list, which is in the order of bus ids.
struct VfEntry {
    VirtualFunction function;
    std::size_t group = 0;
    std::size_t slot = 0;  ///< An index into DeviceState, equal for entries with the same bus id.
};

/// The devices of one type in dense arrays, where index d is the d-th device by minor.
struct DevicesOfType {
    static constexpr std::int16_t nowhere = -1;

    std::vector<DeviceDescription> devices;
    std::vector<std::string> resources;    ///< Resource names; r is an index into these.
    std::vector<Amount> total;             ///< [d * resources.size() + r]; 0 when unhealthy.
    std::vector<std::uint64_t> published;  ///< [d], a bit for each resource; none when unhealthy.
    DeviceMask listed = 0;
    DeviceMask healthy = 0;          ///< The devices that have anything to give.
    std::vector<std::int16_t> pcie;  ///< [d], dense over all types, by NUMA node and id.
    /// [d], the same where only the id distinguishes switches.
    std::vector<std::int16_t> pcie_name;
    std::vector<std::int16_t> numa;               ///< [d], dense over all types.
    std::vector<std::vector<VfEntry>> functions;  ///< [d]
    std::size_t first_used = 0;  ///< The position of this type's first amount in DeviceState.
    bool has_vf_groups = false;

    [[nodiscard]] std::size_t size() const { return devices.size(); }
    [[nodiscard]] DeviceMask all() const { return size() == 64 ? ~DeviceMask{0} : bit(size()) - 1; }
    [[nodiscard]] std::optional<std::size_t> find_minor(std::int32_t minor) const;
    [[nodiscard]] std::optional<std::size_t> find_resource(std::string_view name) const;
};

/// The devices of one machine type. It is immutable and shared by all servers of the type; what is
/// taken of one server's devices is a DeviceState.
///
/// Shape: at most 64 devices of each type and 64 PCIe switches (`refusal` tells), with minors
///        unique within a type.
class DeviceInventory {
public:
    explicit DeviceInventory(MachineDevices machine);

    /// Why a machine cannot be counted, as a sentence; nothing if it can.
    [[nodiscard]] static std::optional<std::string> refusal(const MachineDevices& machine);

    [[nodiscard]] const DevicesOfType& of(DeviceType type) const { return types_[type]; }
    /// The tree of the GPUs; nullptr if a GPU has no topology, or there is no GPU.
    [[nodiscard]] const GpuScope* gpu_tree() const { return tree_ ? &*tree_ : nullptr; }
    /// The table of the Device object, or else the built-in one for the GPU model, or else nullptr.
    [[nodiscard]] const GroupedPartitions* partitions() const {
        return partitions_ ? &*partitions_ : nullptr;
    }
    /// Whether GPUs are handed out only by the table.
    [[nodiscard]] bool honors_partitions() const { return honors_partitions_; }
    /// Whether every NIC is known to belong to its GPUs (secondary-device-well-planned).
    [[nodiscard]] bool well_planned() const { return well_planned_; }
    [[nodiscard]] std::size_t amount_count() const { return amount_count_; }
    [[nodiscard]] std::size_t vf_slot_count() const { return vf_slot_count_; }

private:
    void count_resources(const MachineDevices& machine);
    void number_places();
    void number_functions();
    void build_tree();
    void choose_partitions(const MachineDevices& machine);

    ByDeviceType<DevicesOfType> types_;
    std::optional<GpuScope> tree_;
    std::optional<GroupedPartitions> partitions_;
    bool honors_partitions_ = false;
    bool well_planned_ = false;
    std::size_t amount_count_ = 0;
    std::size_t vf_slot_count_ = 0;
};

}  // namespace berth::core
