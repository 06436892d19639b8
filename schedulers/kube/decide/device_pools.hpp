#pragma once

#include <map>
#include <string>
#include <utility>
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

/// The slices of each pool, by its driver and its name, in the order of the catalog.
using SlicesOfPools =
    std::map<std::pair<std::string, std::string>, std::vector<const ResourceSlice*>>;
[[nodiscard]] SlicesOfPools slices_of_pools(const DeviceCatalog& catalog);

/// Returns the pools that have devices for a node. They are in the order in which the search takes
/// them. `of_pools` are those of the catalog, which the answer points into.
///
/// Cost:   a look at each slice, and at each device of the pools that count for the node.
/// Source: k8s.io/dynamic-resource-allocation, structured/internal/incubating, GatherPools.
[[nodiscard]] std::vector<DevicePool> gather_pools(const std::string& node_name,
                                                   const Labels& node_labels,
                                                   const DeviceCatalog& catalog,
                                                   const SlicesOfPools& of_pools);

}  // namespace berth::core::kube
