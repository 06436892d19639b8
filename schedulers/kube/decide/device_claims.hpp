#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/device_allocator.hpp"
#include "schedulers/kube/decide/objects.hpp"
#include "schedulers/kube/decide/verdict.hpp"

// The plugin DynamicResources: the claims of pods, and the devices that they hold.
// Source: Kubernetes, pkg/scheduler/framework/plugins/dynamicresources.

namespace berth::core::kube {

/// The namespace and the name of an object.
using ObjectName = std::pair<std::string, std::string>;

/// Why a node is rejected for a claim whose devices cannot be used there.
inline constexpr std::string_view unavailable_claim = "resourceclaim not available on the node";

/// A device that a claim holds.
struct HeldDevice {
    DeviceId id;
    bool is_shared = false;
    bool is_admin = false;  ///< Others may take the device, too.
    Quantities consumed;    ///< It is empty if the device is not shared.
};

/// A claim that is allocated.
struct HeldClaim {
    std::vector<HeldDevice> devices;
    std::optional<NodeTerms> nodes;  ///< Its devices can be used on these; nothing: on all.
    std::set<std::string> pods;      ///< It is reserved for the pods with these uids.
    std::size_t others = 0;          ///< It is reserved for so many others, which never leave.
    std::string made_for;            ///< If it was made for a pod, the name of that pod's claim.
    bool is_pending = false;         ///< The allocation is not written yet.
};

/// The devices of a cluster, and the claims that do not come and go with pods.
struct DeviceInventory {
    DeviceCatalog catalog;
    std::map<ObjectName, ResourceClaim> claims;
    std::map<ObjectName, ResourceClaim> templates;
    std::map<ObjectName, HeldClaim> held;  ///< Claims that are allocated in the beginning.
};

class DeviceClaims;

/// What the claims of a pod ask of a node.
class AskedClaims {
public:
    /// Whether the devices of claims that are allocated can be used on a node, and the node has
    /// devices for all others.
    [[nodiscard]] Verdict filter(const Node& node) const;
    /// How early the alternatives come that requests get on a node, in which the pod fits.
    [[nodiscard]] std::int64_t preference(const Node& node) const;
    /// Whether any request has alternatives.
    [[nodiscard]] bool has_alternatives() const;

private:
    friend class DeviceClaims;
    struct Wanted {
        const ResourceClaim* as = nullptr;  ///< The claim, or the template that it is made of.
        std::string name;
    };
    const DeviceClaims* claims_ = nullptr;
    std::string name_space_;
    std::vector<Wanted> wanted_;
    std::vector<const HeldClaim*> held_;
    /// Pods with this number ask for the same devices; nothing if the claims are only tried.
    std::optional<std::size_t> shape_;
};

/// The claims of pods, and which devices are allocated to them.
///
/// Cost: a search for devices for each node and each shape of claims, until the node's devices
///       change. Those for the first 256 shapes are remembered.
class DeviceClaims {
public:
    explicit DeviceClaims(std::shared_ptr<const DeviceInventory> inventory);
    DeviceClaims(const DeviceClaims& other);
    DeviceClaims(DeviceClaims&&) = default;
    DeviceClaims& operator=(const DeviceClaims&) = delete;
    DeviceClaims& operator=(DeviceClaims&&) = default;
    ~DeviceClaims() = default;

    /// Why a pod must not be tried: a claim or a template that it names is not there.
    [[nodiscard]] std::string why_gated(const Pod& pod) const;
    /// What the pod asks of nodes, which lasts until claims change; nothing if it has no claims.
    /// `verdict` becomes the reason if it can run on no node.
    [[nodiscard]] std::optional<AskedClaims> ask(const Pod& pod, Verdict& verdict) const;
    /// Whether the answer of a node depends on nothing but pods that come to it or leave it.
    [[nodiscard]] bool asks_each_node_alone(const Pod& pod) const;

    enum class Reservation : std::uint8_t {
        bound,
        pending,          ///< Others find the claims in the process of being allocated.
        runs_beforehand,  ///< The pod has claims that are allocated in the beginning.
    };
    /// Allocates and reserves the claims of a pod on a node. A claim for which the node has no
    /// devices holds none: the pod is there without them.
    void reserve(const Pod& pod, const Node& node, Reservation how);
    /// Takes back the reservations of a pod. A claim loses its devices if it is reserved for no
    /// other pod.
    void release(const Pod& pod);

    /// Finds a claim of the pod that is reserved for no other pod, and whose devices cannot be used
    /// on some of the nodes that are unavailable only for that reason; nullptr if there is none.
    [[nodiscard]] const PodClaim* find_idle(const Pod& pod,
                                            const std::vector<const Node*>& unavailable) const;
    void deallocate(const Pod& pod, const PodClaim& claim);
    /// How many claims lost their allocation until now.
    [[nodiscard]] std::uint64_t deallocations() const { return deallocations_; }
    /// What a claim of a pod asks for; nullptr if the claim, or its template, is not there.
    [[nodiscard]] const ResourceClaim* spec_of(const Pod& pod, const PodClaim& claim) const;
    /// The devices that a claim of a pod holds; nullptr if it is not allocated.
    [[nodiscard]] const HeldClaim* find(const Pod& pod, const PodClaim& claim) const;

    [[nodiscard]] const DeviceInventory& inventory() const { return *inventory_; }
    /// What is known of a node is wrong, since its labels changed.
    void forget(const std::string& node) { nodes_.erase(node); }

private:
    friend class AskedClaims;
    /// What follows from the inventory alone.
    struct Index {
        SlicesOfPools slices;
        /// The node that alone has devices of a pool; empty if several have some.
        std::map<std::pair<std::string, std::string>, std::string> homes;
        bool has_homes = true;                              ///< Each pool has one node.
        std::map<const ResourceClaim*, std::size_t> specs;  ///< Equal for claims that ask alike.
    };
    struct Answer {
        bool is_known = false;
        std::uint64_t changes_here = 0;
        std::uint64_t changes_everywhere = 0;
        DeviceAllocation allocation;
    };
    struct OfNode {
        std::vector<DevicePool> pools;
        std::uint64_t changes = 0;
        std::vector<Answer> by_shape;
    };
    /// The key of a claim: one that is made for a pod goes by the uid of that.
    [[nodiscard]] static ObjectName key_of(const Pod& pod, const PodClaim& claim);
    [[nodiscard]] std::string missing_class(const ResourceClaim& claim) const;
    [[nodiscard]] std::optional<std::size_t> shape_of(
        const std::vector<AskedClaims::Wanted>& wanted) const;
    [[nodiscard]] DeviceAllocation search(const Node& node,
                                          const AskedClaims& asked,
                                          const std::vector<DevicePool>& pools) const;
    [[nodiscard]] const DeviceAllocation& allocation_on(const Node& node,
                                                        const AskedClaims& asked) const;
    [[nodiscard]] OfNode& of(const Node& node) const;
    void take_over(const Pod& pod, const Node& node);
    void hold(const ObjectName& key, HeldClaim claim);
    void unhold(const ObjectName& key);
    void count(const HeldDevice& device, int sign);

    std::shared_ptr<const DeviceInventory> inventory_;
    std::shared_ptr<const Index> index_;
    std::shared_ptr<SelectorMemory> memory_;  ///< All copies of the claims share this memory.
    std::map<ObjectName, HeldClaim> held_;
    AllocatedDevices allocated_;
    std::uint64_t deallocations_ = 0;
    /// How often devices changed that several nodes may use.
    std::uint64_t changes_everywhere_ = 0;
    // What is computed once, and found by the names of nodes and the numbers of specs.
    mutable std::unordered_map<std::string, OfNode> nodes_;
    mutable std::map<std::vector<std::size_t>, std::size_t> shapes_;
    mutable DeviceAllocation tried_;  ///< The last answer for claims that are only tried.
};

}  // namespace berth::core::kube
