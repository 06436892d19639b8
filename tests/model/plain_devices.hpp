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

/// The switch on which a device sits, identified by its NUMA node and its number.
struct PlainSwitch {
    std::int64_t numa = 0;
    std::int64_t pcie = 0;
    friend auto operator<=>(const PlainSwitch&, const PlainSwitch&) = default;
};

/// A GPU or a NIC, and the hundredths of it that are in use.
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

/// The devices that a pod would get from the profile's allocator, which docs/reference/allocate.md
/// and experiment.md describe. Absent: the pod cannot have any there.
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
    /// How near a pod's devices would be to each other: whether its GPUs are on one switch or on
    /// one NUMA node, and whether each has a NIC on its switch.
    [[nodiscard]] int nearness(const sim::Job& job, std::uint32_t server) const;
    /// For how many pods of the job, one after the other, a server has devices.
    [[nodiscard]] core::Members fit(const sim::Job& job, std::uint32_t server) const;
    [[nodiscard]] bool is_free(std::uint32_t server, const PlainGrant& grant) const;
    void take(std::uint32_t server, const PlainGrant& grant) { add(server, grant, 1); }
    void give_back(std::uint32_t server, const PlainGrant& grant) { add(server, grant, -1); }
    /// Takes as much of the grant as there is, since another pod may still hold parts of it.
    void take_what_is_left(std::uint32_t server, const PlainGrant& grant);
    /// Takes whatever is taken in either of two plans.
    void join(const PlainDevices& other);

private:
    void add(std::uint32_t server, const PlainGrant& grant, core::Amount sign);

    sim::DevicePlugin plugin_;
    std::vector<PlainMachine> machines_;  ///< Machines by server.
};

}  // namespace berth::tests
