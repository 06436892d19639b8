#pragma once

#include <string>
#include <vector>

#include "schedulers/kube/decide/device_objects.hpp"

namespace berth::core::kube {

/// The slices of one pool that count for a node.
struct DevicePool {
    std::string driver;
    std::string name;
    bool is_incomplete = false;  ///< Some slices are not published yet.
    bool is_invalid = false;     ///< Slices contradict each other.
    std::vector<const ResourceSlice*> slices;
    std::vector<const ResourceSlice*> elsewhere;  ///< These slices are for other nodes.
    Counters counters;

    [[nodiscard]] bool is_usable() const { return !is_incomplete && !is_invalid; }
};

/// Returns the pools that have devices for the node. They are in the order in which the search
/// takes them.
/// Source: k8s.io/dynamic-resource-allocation, structured/internal/incubating, GatherPools.
[[nodiscard]] std::vector<DevicePool> gather_pools(const DeviceQuestion& question);

}  // namespace berth::core::kube
