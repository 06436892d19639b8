#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/tree/topology.hpp"
#include "sim/cluster/inside/plugins.hpp"
#include "sim/job/job.hpp"
#include "tests/model/plain_grant.hpp"

namespace berth::tests {

/// Where a device sits: its switch, which its NUMA node and its number tell.
struct PlainSwitch {
    std::int64_t numa = 0;
    std::int64_t pcie = 0;
    friend auto operator<=>(const PlainSwitch&, const PlainSwitch&) = default;
};

/// A GPU or a NIC, and how many hundredths of it are in use.
struct PlainDevice {
    PlainSwitch at{};
    core::Amount used = 0;
};

/// The GPUs and NICs of one server, in the order of their numbers.
struct PlainMachine {
    std::vector<PlainDevice> gpus;
    std::vector<PlainDevice> nics;

    [[nodiscard]] std::vector<PlainDevice>& of(bool nics_wanted) {
        return nics_wanted ? nics : gpus;
    }
};

/// The devices that a pod would get, as the profile's allocator chooses: docs/reference/allocate.md
/// and experiment.md tell how. Nothing: it cannot have them there.
[[nodiscard]] std::optional<PlainGrant> choose_devices(const sim::DevicePlugin& plugin,
                                                       const core::PodDevices& asked,
                                                       const PlainMachine& machine);

/// The devices of all servers of a run with an allocator.
class PlainDevices {
public:
    PlainDevices() = default;
    /// `outside`: thousandths of GPUs in use before the run, by server.
    PlainDevices(const core::Topology& tree,
                 sim::DevicePlugin plugin,
                 const std::vector<core::Amount>& outside);

    [[nodiscard]] PlainGrant choose(const sim::Job& job, std::uint32_t server) const;
    /// How near to each other a pod's devices would be: its GPUs on one switch, on one NUMA node or
    /// not, each with a NIC on its switch or not.
    [[nodiscard]] int nearness(const sim::Job& job, std::uint32_t server) const;
    /// For how many pods of the job a server has devices, one after the other.
    [[nodiscard]] core::Members fit(const sim::Job& job, std::uint32_t server) const;
    [[nodiscard]] bool is_free(std::uint32_t server, const PlainGrant& grant) const;
    void take(std::uint32_t server, const PlainGrant& grant) { add(server, grant, 1); }
    void give_back(std::uint32_t server, const PlainGrant& grant) { add(server, grant, -1); }
    /// The same where somebody may have it still: as much of it as there is.
    void take_what_is_left(std::uint32_t server, const PlainGrant& grant);
    /// Whatever is taken in one of two plans is taken.
    void join(const PlainDevices& other);

private:
    void add(std::uint32_t server, const PlainGrant& grant, core::Amount sign);

    sim::DevicePlugin plugin_;
    std::vector<PlainMachine> machines_;  ///< By server.
};

}  // namespace berth::tests
