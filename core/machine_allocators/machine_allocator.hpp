#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/machine_allocators/machine_rules.hpp"
#include "core/machine_allocators/pod_devices.hpp"
#include "core/tree/device_names.hpp"
#include "core/tree/topology.hpp"

namespace berth::core {

/// How close together the devices of a pod are, in the ways that decide its speed.
struct Locality {
    bool pcie = false;        ///< All GPUs on one PCIe switch.
    bool nvlink = false;      ///< All GPUs on one NVLink island.
    bool numa = false;        ///< All GPUs on one NUMA node.
    bool nic_beside = false;  ///< A NIC of the pod on the switch of each of its GPUs.

    friend bool operator==(const Locality&, const Locality&) = default;
};

/// Where the GPUs and NICs of a machine type sit.
class MachineLayout {
public:
    /// Of more than 64 GPUs or NICs those beyond are not looked at.
    explicit MachineLayout(const MachineType& type);

    [[nodiscard]] std::size_t gpu_count() const { return gpu_count_; }
    [[nodiscard]] std::size_t nic_count() const { return nic_count_; }

    [[nodiscard]] Locality locality(DeviceMask gpus, DeviceMask nics) const;
    /// The best that is possible for `gpu_count` GPUs and `nic_count` NICs of those that are free,
    /// each way by itself.
    [[nodiscard]] Locality attainable(DeviceMask free_gpus,
                                      DeviceMask free_nics,
                                      std::size_t gpu_count,
                                      std::size_t nic_count) const;
    /// Free GPUs in the part of the machine that is least broken: how many of them share an NVLink
    /// island, or a NUMA node where islands are not known, on which every GPU is free.
    [[nodiscard]] std::size_t whole_free(DeviceMask free_gpus) const;

private:
    using Domains = std::vector<DeviceMask>;
    std::size_t gpu_count_ = 0;
    std::size_t nic_count_ = 0;
    Domains switches_;  ///< GPUs by PCIe switch, and so on; of a machine that tells none, none.
    Domains nics_on_switch_;
    Domains islands_;
    Domains numa_;
};

/// What is taken of a server's devices: servers of one type with one state are alike.
using MachineState = std::uint32_t;

/// Which devices a pod would get on a server in some state.
struct MachineAnswer {
    bool fits = false;
    std::int64_t score = 0;  ///< 0 to 100 x 2^20, as core::Scorer.
    DeviceMask gpus = 0;
    DeviceMask nics = 0;
    MachineState after = 0;  ///< With the pod on it.
    Locality reached{};
    Locality attainable{};    ///< With the devices that were free, whatever the allocator did.
    Locality possible{};      ///< With as many devices of an idle server.
    std::uint64_t grant = 0;  ///< For the allocator that gave it, to take it back.
};

/// Decides which devices of a server a pod gets: one for each machine type of a run. Answers are
/// remembered by state, so that ten thousand servers in one state cost one answer.
///
/// Contract, checked for every registered allocator by tests/unit/core/machine_allocators_test.cpp:
///   - an answer is a function of the pod and the state alone;
///   - without() gives back exactly what the answer took, in whatever order pods leave;
///   - with() takes it again where is_free(), and without() then leads back.
class MachineAllocator {
public:
    explicit MachineAllocator(const MachineType& type) : layout_(type) {}
    virtual ~MachineAllocator() = default;
    MachineAllocator(const MachineAllocator&) = delete;
    MachineAllocator& operator=(const MachineAllocator&) = delete;

    /// The state of a server on which nothing is taken.
    [[nodiscard]] static constexpr MachineState idle() { return 0; }
    /// `number` is the pod's among all that are asked about. The answer stays where it is.
    /// Cost: a look-up, once the same has been asked before.
    [[nodiscard]] const MachineAnswer& ask(const PodDevices& pod,
                                           std::uint32_t number,
                                           MachineState state);
    /// The state without what `answer` took.
    [[nodiscard]] virtual MachineState without(MachineState state, const MachineAnswer& answer) = 0;
    /// Whether everything that `answer` took of another state is free.
    [[nodiscard]] virtual bool is_free(MachineState state, const MachineAnswer& answer) const = 0;
    /// The state with that taken; where not all of it is free, with as much of it as there is.
    [[nodiscard]] virtual MachineState with(MachineState state, const MachineAnswer& answer) = 0;
    /// The state in which everything is taken that is taken in either: of each device, the larger
    /// of the two amounts.
    [[nodiscard]] virtual MachineState either(MachineState one, MachineState other) = 0;
    /// Why a pod does not fit, in the allocator's own words; empty where it has none.
    [[nodiscard]] virtual std::string why_not(const PodDevices& /*pod*/, MachineState /*state*/) {
        return "";
    }
    /// What is free of a machine's GPUs in a state. Cost: as ask().
    struct Free {
        std::size_t gpus = 0;
        std::size_t whole = 0;  ///< On islands, or NUMA nodes, of which every GPU is free.
    };
    [[nodiscard]] const Free& free(MachineState state);
    [[nodiscard]] const MachineLayout& layout() const { return layout_; }
    /// Answers worked out so far, not remembered.
    [[nodiscard]] std::uint64_t decisions() const { return answers_.size(); }

protected:
    /// GPUs of which anything is taken.
    [[nodiscard]] virtual DeviceMask gpus_in_use(MachineState state) const = 0;
    /// NICs of which nothing is left.
    [[nodiscard]] virtual DeviceMask nics_exhausted(MachineState state) const = 0;
    /// The whole answer except the localities.
    [[nodiscard]] virtual MachineAnswer decide(const PodDevices& pod, MachineState state) = 0;

private:
    MachineLayout layout_;
    std::vector<std::optional<Free>> free_;  ///< By state.
    std::deque<MachineAnswer> answers_;
    std::unordered_map<std::uint64_t, const MachineAnswer*> known_;  ///< By pod and state.
    std::uint64_t last_key_ = 0;  ///< Similar servers are asked one after the other.
    const MachineAnswer* last_ = nullptr;
};

struct MachineAllocatorEntry {
    std::string_view name;
    std::string_view summary;
    std::unique_ptr<MachineAllocator> (*make)(const MachineType& type, const MachineRules& rules);
};

/// All by name: core/machine_allocators/machine_allocators.def, one line a file.
[[nodiscard]] std::span<const MachineAllocatorEntry> machine_allocators();

inline constexpr std::int64_t machine_score_max = std::int64_t{100} << 20;

}  // namespace berth::core
