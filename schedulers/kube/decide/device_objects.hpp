#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/node_rules/node_affinity.hpp"
#include "core/tree/resources.hpp"
#include "schedulers/kube/decide/label_selector.hpp"

// What dynamic resource allocation (DRA) reads of its objects, in the terms of resource.k8s.io/v1.

namespace berth::core::kube {

/// The driver, the pool, and the name of a device.
using DeviceId = std::tuple<std::string, std::string, std::string>;
/// The same, without copies, for a search.
using DeviceKey = std::tuple<const std::string&, const std::string&, const std::string&>;
/// A counter set and a counter in it.
using CounterId = std::pair<std::string, std::string>;
using Counters = std::map<CounterId, Quantity>;

/// A version is kept as text, which is how constraints compare versions.
struct VersionText {
    std::string text;
    friend bool operator==(const VersionText&, const VersionText&) = default;
};
/// The value of an attribute; monostate if its type is not known.
using Attribute = std::variant<std::monostate, std::string, std::int64_t, bool, VersionText>;

/// How much of a capacity a request may take.
struct CapacityPolicy {
    std::optional<Quantity> otherwise;  ///< A request that says nothing takes this `default`.
    struct Range {
        std::optional<Quantity> min;
        std::optional<Quantity> max;
        std::optional<Quantity> step;
    };
    std::optional<Range> range;
    std::optional<std::vector<Quantity>> values;
};

struct Capacity {
    Quantity value = 0;
    std::optional<CapacityPolicy> policy;
};

/// The nodes that may use devices.
struct NodeChoice {
    std::optional<std::string> node_name;
    bool all_nodes = false;
    std::optional<NodeTerms> selector;

    [[nodiscard]] bool is_empty() const {
        return (!node_name || node_name->empty()) && !all_nodes && !selector;
    }
    [[nodiscard]] bool matches(const std::string& name, const Labels& labels) const;
};

struct Device {
    std::string name;
    std::map<std::string, Attribute> attributes;
    std::map<std::string, Capacity> capacity;
    bool allows_multiple_allocations = false;
    Counters consumes;
    std::vector<Taint> taints;
    NodeChoice nodes;
    bool binds_to_node = false;
    std::optional<std::vector<std::string>> binding_conditions;
    std::vector<std::string> binding_failure_conditions;
};

struct ResourceSlice {
    std::string name;
    std::string driver;
    std::string pool;
    std::int64_t generation = 0;
    std::int64_t slices_in_pool = 0;
    NodeChoice nodes;
    std::optional<bool> per_device_nodes;
    /// Counter sets by name, in order; a name may be there twice.
    std::vector<std::pair<std::string, std::map<std::string, Quantity>>> counter_sets;
    std::vector<Device> devices;

    [[nodiscard]] DeviceId id_of(const Device& device) const { return {driver, pool, device.name}; }
    [[nodiscard]] DeviceKey key_of(const Device& device) const {
        return {driver, pool, device.name};
    }
};

/// A class of devices, or a part of it that counts: what the devices must be.
struct DeviceClass {
    std::string name;
    /// Selectors are expressions in CEL. One of another kind is nothing.
    std::vector<std::optional<std::string>> selectors;
    std::size_t configurations = 0;
};

/// One request for devices, or one of the alternatives of a request.
struct DeviceRequest {
    std::string name;
    std::string parent;  ///< If this is an alternative, it is one of this request.
    std::string class_name;
    std::vector<std::optional<std::string>> selectors;
    std::string mode = "ExactCount";
    std::int64_t count = 1;
    std::optional<bool> admin_access;
    std::optional<Quantities> capacity;
    std::vector<Toleration> tolerations;

    [[nodiscard]] bool is_admin() const { return parent.empty() && admin_access.value_or(false); }
    [[nodiscard]] std::string full_name() const {
        return parent.empty() ? name : parent + "/" + name;
    }
    /// The name by which constraints know the request.
    [[nodiscard]] const std::string& base_name() const { return parent.empty() ? name : parent; }
    friend bool operator==(const DeviceRequest&, const DeviceRequest&) = default;
};

struct DeviceConstraint {
    enum class Kind : std::uint8_t { match, distinct, unknown };
    Kind kind = Kind::unknown;
    std::string attribute;
    std::vector<std::string> requests;  ///< If there are none, it is about all requests.
    friend bool operator==(const DeviceConstraint&, const DeviceConstraint&) = default;
};

struct ResourceClaim {
    std::string name;
    std::string name_space;
    /// For each request its alternatives: one if it has none.
    struct Request {
        std::string name;
        bool has_alternatives = false;
        std::vector<DeviceRequest> alternatives;
        friend bool operator==(const Request&, const Request&) = default;
    };
    std::vector<Request> requests;
    std::vector<DeviceConstraint> constraints;
    /// The requests to which each configuration belongs; none: all.
    std::vector<std::vector<std::string>> configurations;

    [[nodiscard]] std::string full_name() const {
        return name_space.empty() ? name : name_space + "/" + name;
    }
};

/// Features of Kubernetes that change allocations.
struct DeviceFeatures {
    bool admin_access = true;
    bool prioritized_list = true;
    bool partitionable_devices = true;
    bool device_taints = true;
    bool binding_and_status = true;
    bool consumable_capacity = true;
};

/// What is allocated already.
struct AllocatedDevices {
    std::set<DeviceId, std::less<>> exclusive;
    /// With the number of allocations of each device.
    std::map<DeviceId, std::int64_t, std::less<>> shared;
    std::map<DeviceId, Quantities, std::less<>> consumed;
};

/// The devices of a cluster and their classes.
struct DeviceCatalog {
    std::map<std::string, DeviceClass> classes;
    std::vector<ResourceSlice> slices;
    DeviceFeatures features;
    std::int64_t step_limit = 0;  ///< A search for devices ends after so many steps.
};

class SelectorMemory;

/// A question: which devices of a node the claims of a pod get.
struct DeviceQuestion {
    std::string node_name;
    Labels node_labels;
    std::vector<ResourceClaim> claims;
    const DeviceCatalog* catalog = nullptr;       ///< Always set.
    const AllocatedDevices* allocated = nullptr;  ///< Always set.
    /// What is known of the catalog's selectors and devices; nullptr: nothing is kept.
    SelectorMemory* memory = nullptr;
};

}  // namespace berth::core::kube
