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

/// How near to each other a pod's devices are: all GPUs on one PCIe switch, one NVLink island, one
/// NUMA node; a NIC on each switch that has one of its GPUs.
inline constexpr std::array<std::string_view, 4> nearness_kinds{
    "pcie", "nvlink", "numa", "nic_beside"};
inline constexpr std::size_t pcie_kind = 0;
inline constexpr std::size_t nvlink_kind = 1;
inline constexpr std::size_t numa_kind = 2;
inline constexpr std::size_t nic_kind = 3;
using Nearness = std::array<bool, nearness_kinds.size()>;

/// One row of devices.csv. Places that are not known are empty.
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
    std::vector<MachineDevice> devices;  ///< As the file has them.

    /// How many of a kind there are.
    [[nodiscard]] std::size_t count(std::string_view kind) const;
    /// The GPUs of each NVLink island, or of each NUMA node where no island is known: by index.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> gpu_domains() const;
    /// The largest number of GPUs that share one NUMA node; 0 when none is known.
    [[nodiscard]] std::size_t gpus_of_numa_max() const;
};

/// A row of nodes.csv of a machine type with devices.
struct DeviceServer {
    std::string name;
    std::string place;          ///< The names above it, with slashes.
    std::uint32_t machine = 0;  ///< Into Devices::machines.
};

/// A pod that was placed and has GPUs or NICs, by its last start.
struct DevicePod {
    std::int64_t replication = 0;
    std::string name;  ///< Of replication 0 only: no picture shows the others.
    std::uint32_t server = 0;
    double start_s = 0;
    double finish_s = 0;  ///< Infinite when it still runs at the end.
    std::vector<std::uint32_t> gpus;
    std::vector<std::uint32_t> nics;
    Nearness reached{};
    Nearness attainable{};     ///< With what was free then, on that server.
    std::uint32_t reason = 0;  ///< Into Devices::reasons.

    /// A GPU is always near itself: what has one and no NIC is not counted.
    [[nodiscard]] bool counts() const {
        return gpus.size() > 1 || (gpus.size() == 1 && !nics.empty());
    }
    /// NICs beside GPUs are a question only to pods that have NICs.
    [[nodiscard]] bool counts(std::size_t kind) const {
        return counts() && (kind != nic_kind || !nics.empty());
    }
    /// Its GPUs are on more than one NUMA node.
    [[nodiscard]] bool crosses() const { return gpus.size() > 1 && !reached[numa_kind]; }
};

/// Which devices the pods of a run had.
struct Devices {
    std::vector<DeviceMachine> machines;
    std::vector<DeviceServer> servers;
    std::vector<DevicePod> pods;           ///< Of all replications, as pods.csv has them.
    std::vector<std::string> reasons{""};  ///< Each text once; the first is none.
    bool evictions = false;   ///< Pods can have lost places that are not among their last.
    bool background = false;  ///< GPUs were in use before the run: nobody knows which.

    [[nodiscard]] const DeviceMachine& machine_of(const DevicePod& pod) const {
        return machines[servers[pod.server].machine];
    }
    /// Its GPUs are on several NUMA nodes, though one would be large enough.
    [[nodiscard]] bool splits(const DevicePod& pod) const {
        return pod.crosses() && pod.gpus.size() <= machine_of(pod).gpus_of_numa_max();
    }
};

/// Reads devices.csv, and what nodes.csv and pods.csv tell of devices; nothing when one of the
/// three is not there.
///
/// Errors: core::InputError with the file, the line and the column.
/// Cost:   O(rows); of pods.csv it keeps the pods with devices.
[[nodiscard]] std::optional<Devices> read_devices(const std::filesystem::path& directory);

}  // namespace berth::report
