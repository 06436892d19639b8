#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::report {

/// Kinds of nearness between a pod's devices: all GPUs on one PCIe switch, on one NVLink island, on
/// one NUMA node; a NIC on each switch that has one of the pod's GPUs.
inline constexpr std::array<std::string_view, 4> nearness_kinds{
    "pcie", "nvlink", "numa", "nic_beside"};
inline constexpr std::size_t pcie_kind = 0;
inline constexpr std::size_t nvlink_kind = 1;
inline constexpr std::size_t numa_kind = 2;
inline constexpr std::size_t nic_kind = 3;
using Nearness = std::array<bool, nearness_kinds.size()>;

/// A row of devices.csv. An unknown place is empty.
struct MachineDevice {
    std::string kind;
    std::uint32_t index = 0;
    std::string model;
    std::string numa;
    std::string pcie;
    std::string nvlink;
};

struct DeviceMachine {
    std::string type;
    std::vector<MachineDevice> devices;  ///< The devices, in the order of the file.

    /// The number of devices of a kind.
    [[nodiscard]] std::size_t count(std::string_view kind) const;
    /// The indices of the GPUs on each NVLink island, or on each NUMA node if no island is known.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> gpu_domains() const;
    /// The largest number of GPUs that share one NUMA node; 0 when none is known.
    [[nodiscard]] std::size_t gpus_of_numa_max() const;
};

/// A row of nodes.csv with a machine type that has devices.
struct DeviceServer {
    std::string name;
    std::string place;          ///< The names of the nodes above it, separated by slashes.
    std::uint32_t machine = 0;  ///< Index into Devices::machines.
};

/// A placed pod with GPUs or NICs, with its last start.
struct DevicePod {
    std::int64_t replication = 0;
    std::string name;  ///< Set only in replication 0, since no picture shows the others.
    std::uint32_t server = 0;
    double start_s = 0;
    double finish_s = 0;  ///< Infinite if it still runs at the end.
    std::vector<std::uint32_t> gpus;
    std::vector<std::uint32_t> nics;
    Nearness reached{};
    /// What was possible with the devices that were free then on that server.
    Nearness attainable{};
    std::uint32_t reason = 0;  ///< Index into Devices::reasons.

    /// Whether nearness is counted for the pod. A single GPU is always near itself, so a pod with
    /// one GPU and no NIC is not counted.
    [[nodiscard]] bool counts() const {
        return gpus.size() > 1 || (gpus.size() == 1 && !nics.empty());
    }
    /// Whether this kind is counted for the pod: NICs beside GPUs matter only to pods with NICs.
    [[nodiscard]] bool counts(std::size_t kind) const {
        return counts() && (kind != nic_kind || !nics.empty());
    }
    /// Whether its GPUs are on more than one NUMA node.
    [[nodiscard]] bool crosses() const { return gpus.size() > 1 && !reached[numa_kind]; }
};

/// The devices that the pods of a run had.
struct Devices {
    std::vector<DeviceMachine> machines;
    std::vector<DeviceServer> servers;
    std::vector<DevicePod> pods;  ///< The pods of all replications, in the order of pods.csv.
    std::vector<std::string> reasons{""};  ///< Each text once; the first one stands for no reason.
    bool evictions = false;   ///< Pods may have lost places that are not their last ones.
    bool background = false;  ///< Some GPUs were in use before the run; it is not known which.

    [[nodiscard]] const DeviceMachine& machine_of(const DevicePod& pod) const {
        return machines[servers[pod.server].machine];
    }
    /// Whether its GPUs are on several NUMA nodes although one would be large enough.
    [[nodiscard]] bool splits(const DevicePod& pod) const {
        return pod.crosses() && pod.gpus.size() <= machine_of(pod).gpus_of_numa_max();
    }
};

/// Reads devices.csv, and the columns about devices of nodes.csv and pods.csv; nothing if one of
/// the three files is missing.
///
/// Errors: core::InputError with the file, the line and the column.
/// Cost:   O(rows) time. Of pods.csv, only pods with devices are kept.
[[nodiscard]] std::optional<Devices> read_devices(const std::filesystem::path& directory);

}  // namespace berth::report
