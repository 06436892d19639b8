#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "experiments/program/results/devices.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/stored/stored_table.hpp"

namespace berth::report {
namespace {

namespace fs = std::filesystem;

using Index = std::map<std::string, std::uint32_t, std::less<>>;

/// Reads the machine types; returns their indices by name.
Index read_machines(const fs::path& path, Devices& devices) {
    CsvReader csv(path);
    const auto [type, kind, index, model, numa, pcie, nvlink] =
        csv.columns("machine_type", "kind", "index", "model", "numa", "pcie", "nvlink");
    Index machines;
    while (csv.next()) {
        const auto next = static_cast<std::uint32_t>(devices.machines.size());
        const auto [at, is_new] = machines.try_emplace(csv.field(type), next);
        if (is_new) {
            devices.machines.push_back({csv.field(type), {}});
        }
        DeviceMachine& machine = devices.machines[at->second];
        // Pods name a device by its number, so the numbers must count the devices in order.
        const std::size_t number = machine.count(csv.field(kind));
        if (csv.required_number(index) != static_cast<double>(number)) {
            csv.fail(index,
                     fmt::format("'{}': expected {}: devices of a kind are numbered from 0",
                                 csv.field(index),
                                 number));
        }
        machine.devices.push_back({csv.field(kind),
                                   static_cast<std::uint32_t>(number),
                                   csv.field(model),
                                   csv.field(numa),
                                   csv.field(pcie),
                                   csv.field(nvlink)});
    }
    return machines;
}

/// Stands for a server without devices.
constexpr std::uint32_t no_server = 0xFFFFFFFF;
using ServerIndex = std::unordered_map<std::string, std::uint32_t>;

ServerIndex read_servers(const fs::path& path, const Index& machines, Devices& devices) {
    constexpr std::string_view capacity = "_capacity";
    CsvReader csv(path);
    const std::size_t node = csv.column("node");
    const std::size_t type = csv.column("machine_type");
    std::vector<std::size_t> backgrounds;
    for (std::size_t c = 0; c < csv.header().size(); ++c) {
        if (csv.header()[c].ends_with("gpu_background")) {
            backgrounds.push_back(c);
        }
    }
    ServerIndex servers;
    while (csv.next()) {
        for (const std::size_t c : backgrounds) {
            devices.background = devices.background || csv.number(c).value_or(0) > 0;
        }
        const auto machine = machines.find(csv.field(type));
        if (machine == machines.end()) {
            servers.emplace(csv.field(node), no_server);
            continue;
        }
        DeviceServer server{csv.field(node), "", machine->second};
        for (std::size_t c = node + 1; c < csv.header().size(); ++c) {
            if (csv.header()[c].ends_with(capacity) || c == type) {
                break;
            }
            server.place += (server.place.empty() ? "" : "/") + csv.field(c);
        }
        servers.emplace(server.name, static_cast<std::uint32_t>(devices.servers.size()));
        devices.servers.push_back(std::move(server));
    }
    return servers;
}

/// Reads the rows of pods.csv with devices.
class DevicePodsReader {
public:
    DevicePodsReader(const fs::path& path, const ServerIndex& servers, Devices& devices)
        : csv_(path), servers_(servers), devices_(devices) {}

    void read() {
        while (csv_.next()) {
            if (csv_.field(gpus_).empty() && csv_.field(nics_).empty()) {
                continue;
            }
            devices_.pods.push_back(read_pod());
        }
    }

private:
    DevicePod read_pod() {
        DevicePod pod;
        pod.replication = csv_.whole(replication_, 0);
        if (pod.replication == 0) {
            pod.name = csv_.field(name_);
        }
        const auto server = servers_.find(csv_.field(node_));
        if (server == servers_.end() || server->second == no_server) {
            csv_.fail(node_,
                      fmt::format("'{}': expected a node of nodes.csv whose machine type is in "
                                  "devices.csv",
                                  csv_.field(node_)));
        }
        pod.server = server->second;
        pod.start_s = csv_.required_number(start_);
        pod.finish_s = csv_.number(finish_).value_or(std::numeric_limits<double>::infinity());
        const DeviceMachine& machine = devices_.machines[devices_.servers[pod.server].machine];
        pod.gpus = indices(gpus_, machine, "gpu");
        pod.nics = indices(nics_, machine, "rdma");
        if (!pod.gpus.empty()) {
            read_scope(scope_, pod.reached);
            read_scope(scope_attainable_, pod.attainable);
            pod.reached[nvlink_kind] = truth(nvlink_);
            pod.attainable[nvlink_kind] = truth(nvlink_attainable_);
            pod.reached[nic_kind] = truth(nic_beside_);
            pod.attainable[nic_kind] = truth(nic_beside_attainable_);
        }
        pod.reason = reason(csv_.field(reason_));
        return pod;
    }

    /// Reads indices such as `0-1-5`, each below the machine's count of that kind.
    std::vector<std::uint32_t> indices(std::size_t column,
                                       const DeviceMachine& machine,
                                       std::string_view kind) const {
        std::vector<std::uint32_t> list;
        const std::string& text = csv_.field(column);
        const std::size_t count = machine.count(kind);
        const char* at = text.data();
        const char* const end = at + text.size();
        while (at != end) {
            std::uint32_t index = 0;
            const auto [stop, error] = std::from_chars(at, end, index);
            if (error != std::errc() || (stop != end && (*stop != '-' || stop + 1 == end))) {
                csv_.fail(column,
                          fmt::format("'{}': expected numbers of devices joined by '-'", text));
            }
            if (index >= count) {
                csv_.fail(column,
                          fmt::format("'{}': the machine type '{}' has {} of kind {}, from 0",
                                      index,
                                      machine.type,
                                      count,
                                      kind));
            }
            list.push_back(index);
            at = stop == end ? end : stop + 1;
        }
        return list;
    }

    void read_scope(std::size_t column, Nearness& nearness) const {
        const std::string& scope = csv_.field(column);
        if (scope != "pcie" && scope != "numa" && scope != "machine") {
            csv_.fail(column, fmt::format("'{}': expected pcie, numa or machine", scope));
        }
        nearness[pcie_kind] = scope == "pcie";
        nearness[numa_kind] = scope != "machine";
    }

    [[nodiscard]] bool truth(std::size_t column) const {
        const std::string& text = csv_.field(column);
        if (!text.empty() && text != "true" && text != "false") {
            csv_.fail(column, fmt::format("'{}': expected true or false", text));
        }
        return text == "true";
    }

    std::uint32_t reason(const std::string& text) {
        const auto next = static_cast<std::uint32_t>(devices_.reasons.size());
        const auto [at, is_new] = reason_index_.try_emplace(text, next);
        if (is_new) {
            devices_.reasons.push_back(text);
        }
        return at->second;
    }

    CsvReader csv_;
    const ServerIndex& servers_;
    Devices& devices_;
    Index reason_index_{{"", 0}};
    std::size_t replication_ = csv_.column("replication");
    std::size_t name_ = csv_.column("pod");
    std::size_t start_ = csv_.column("start_s");
    std::size_t finish_ = csv_.column("finish_s");
    std::size_t node_ = csv_.column("node");
    std::size_t gpus_ = csv_.column("devices");
    std::size_t nics_ = csv_.column("nics");
    std::size_t scope_ = csv_.column("scope");
    std::size_t scope_attainable_ = csv_.column("scope_attainable");
    std::size_t nvlink_ = csv_.column("nvlink");
    std::size_t nvlink_attainable_ = csv_.column("nvlink_attainable");
    std::size_t nic_beside_ = csv_.column("nic_beside");
    std::size_t nic_beside_attainable_ = csv_.column("nic_beside_attainable");
    std::size_t reason_ = csv_.column("locality_reason");
};

/// The GPUs of each place, such as a NUMA node, by the place's name. GPUs without a place are left
/// out.
std::map<std::string, std::vector<std::uint32_t>> gpus_by(const DeviceMachine& machine,
                                                          std::string MachineDevice::* place) {
    std::map<std::string, std::vector<std::uint32_t>> groups;
    for (const MachineDevice& device : machine.devices) {
        if (device.kind == "gpu" && !(device.*place).empty()) {
            groups[device.*place].push_back(device.index);
        }
    }
    return groups;
}

}  // namespace

std::size_t DeviceMachine::count(std::string_view kind) const {
    return static_cast<std::size_t>(std::ranges::count(devices, kind, &MachineDevice::kind));
}

std::vector<std::vector<std::uint32_t>> DeviceMachine::gpu_domains() const {
    auto groups = gpus_by(*this, &MachineDevice::nvlink);
    if (groups.empty()) {
        groups = gpus_by(*this, &MachineDevice::numa);
    }
    std::vector<std::vector<std::uint32_t>> domains;
    for (auto& [place, gpus] : groups) {
        domains.push_back(std::move(gpus));
    }
    return domains;
}

std::size_t DeviceMachine::gpus_of_numa_max() const {
    std::size_t most = 0;
    for (const auto& [place, gpus] : gpus_by(*this, &MachineDevice::numa)) {
        most = std::max(most, gpus.size());
    }
    return most;
}

std::optional<Devices> read_devices(const fs::path& directory) {
    const auto has = [&](const char* file) { return has_table(directory / file); };
    if (!has("devices.csv") || !has("nodes.csv") || !has("pods.csv")) {
        return std::nullopt;
    }
    Devices devices;
    const Index machines = read_machines(directory / "devices.csv", devices);
    const ServerIndex servers = read_servers(directory / "nodes.csv", machines, devices);
    DevicePodsReader(directory / "pods.csv", servers, devices).read();
    devices.evictions = has("evictions.csv");
    return devices;
}

}  // namespace berth::report
