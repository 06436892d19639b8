#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedulers/kube/decide/device_objects.hpp"
#include "schedulers/kube/decide/device_pools.hpp"

// Dynamic resource allocation: which devices of a node the claims of a pod get.
// Source: k8s.io/dynamic-resource-allocation 0.36.3, structured, the allocator "incubating".

namespace berth::core::kube {

/// One device of a claim.
struct TakenDevice {
    /// The device was taken for this request of the claim, and for this alternative of the request.
    std::size_t request = 0;
    std::size_t alternative = 0;
    const ResourceSlice* slice = nullptr;
    const Device* device = nullptr;
    bool is_shared = false;
    Quantities consumed;  ///< It is empty if the device is not shared.
};

/// A configuration that drivers get, with the requests for which they get it.
struct DeviceConfiguration {
    std::string class_name;  ///< It is empty if the claim itself has the configuration.
    std::size_t index = 0;   ///< The class, or the claim, has it at this index.
    std::vector<std::string> requests;
};

struct ClaimAllocation {
    std::vector<TakenDevice> devices;
    std::vector<DeviceConfiguration> configurations;
    /// The nodes on which the devices can be used; nothing: all.
    std::optional<NodeSelectorTerm> nodes;
};

struct DeviceAllocation {
    /// For each claim; nothing if the node has no such devices, or on an error.
    std::optional<std::vector<ClaimAllocation>> claims;
    std::string error;
    bool is_fatal = false;    ///< The pod fails, and not only this node.
    bool is_stopped = false;  ///< The search reached the limit of its steps.
    std::int64_t steps = 0;   ///< It counts the calls of the recursive search.
};

/// Searches devices for the claims, in their order; the first solution is taken. `pools` are those
/// of the node; without them, they are gathered. The catalog must outlive the answer.
///
/// Cost:   up to exponential in the number of devices, as in Kubernetes; the catalog's `step_limit`
///         bounds it.
/// Errors: CelUnsupported.
[[nodiscard]] DeviceAllocation allocate_devices(const DeviceQuestion& question,
                                                const std::vector<DevicePool>& pools);
[[nodiscard]] DeviceAllocation allocate_devices(const DeviceQuestion& question);

}  // namespace berth::core::kube
