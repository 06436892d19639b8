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

/// How close together a pod's devices are, in the respects that decide its speed.
struct Locality {
    bool pcie = false;        ///< All GPUs are on one PCIe switch.
    bool nvlink = false;      ///< All GPUs are on one NVLink island.
    bool numa = false;        ///< All GPUs are on one NUMA node.
    bool nic_beside = false;  ///< Each of its GPUs has a NIC of the pod on the same switch.

    friend bool operator==(const Locality&, const Locality&) = default;
};

/// Where the GPUs and NICs of a machine type sit.
class MachineLayout {
public:
    /// Only the first 64 GPUs and the first 64 NICs are looked at.
    explicit MachineLayout(const MachineType& type);

    [[nodiscard]] std::size_t gpu_count() const { return gpu_count_; }
    [[nodiscard]] std::size_t nic_count() const { return nic_count_; }

    [[nodiscard]] Locality locality(DeviceMask gpus, DeviceMask nics) const;
    /// The best locality that is possible for `gpu_count` GPUs and `nic_count` NICs out of those
    /// that are free. Each respect is taken by itself.
    [[nodiscard]] Locality attainable(DeviceMask free_gpus,
                                      DeviceMask free_nics,
                                      std::size_t gpu_count,
                                      std::size_t nic_count) const;
    /// The number of free GPUs in parts of the machine that are whole: on NVLink islands on which
    /// every GPU is free, or on such NUMA nodes if islands are not known.
    [[nodiscard]] std::size_t whole_free(DeviceMask free_gpus) const;

private:
    using Domains = std::vector<DeviceMask>;
    std::size_t gpu_count_ = 0;
    std::size_t nic_count_ = 0;
    /// The GPUs on each PCIe switch, and likewise for the others; empty if the machine does not
    /// tell.
    Domains switches_;
    Domains nics_on_switch_;
    Domains islands_;
    Domains numa_;
};

/// What is taken of a server's devices. Servers of one type in one state are alike.
using MachineState = std::uint32_t;

/// The devices that a pod would get on a server in some state.
struct MachineAnswer {
    bool fits = false;
    std::int64_t score = 0;  ///< A score from 0 to 100 x 2^20, like that of core::Scorer.
    DeviceMask gpus = 0;
    DeviceMask nics = 0;
    MachineState after = 0;  ///< The state with the pod on it.
    Locality reached{};
    /// The locality that the free devices allow, whatever the allocator chose.
    Locality attainable{};
    Locality possible{};      ///< The locality that an idle server allows with as many devices.
    std::uint64_t grant = 0;  ///< For the allocator that gave it, to take it back.
};

/// Decides which devices of a server a pod gets. There is one for each machine type of a run.
/// Answers are remembered by state, so that ten thousand servers in one state cost one answer.
///
/// Contract, checked for every registered allocator by tests/unit/core/machine_allocators_test.cpp:
///   - an answer is a function of the pod and the state alone;
///   - without() gives back exactly what the answer took, in whatever order pods leave;
///   - with() takes it again if is_free(), and then without() leads back.
class MachineAllocator {
public:
    explicit MachineAllocator(const MachineType& type) : layout_(type) {}
    virtual ~MachineAllocator() = default;
    MachineAllocator(const MachineAllocator&) = delete;
    MachineAllocator& operator=(const MachineAllocator&) = delete;

    /// The state of a server on which nothing is taken.
    [[nodiscard]] static constexpr MachineState idle() { return 0; }
    /// `number` is that of the pod among all pods that are asked about. The answer keeps its
    /// address.
    /// Cost: a look-up, if the same was asked before.
    [[nodiscard]] const MachineAnswer& ask(const PodDevices& pod,
                                           std::uint32_t number,
                                           MachineState state);
    /// The state without what `answer` took.
    [[nodiscard]] virtual MachineState without(MachineState state, const MachineAnswer& answer) = 0;
    /// Whether everything that `answer` took in another state is free.
    [[nodiscard]] virtual bool is_free(MachineState state, const MachineAnswer& answer) const = 0;
    /// The state in which that is taken as well. If not all of it is free, as much of it as there
    /// is.
    [[nodiscard]] virtual MachineState with(MachineState state, const MachineAnswer& answer) = 0;
    /// The state in which everything is taken that is taken in either of the two: of each device,
    /// the larger of the two amounts.
    [[nodiscard]] virtual MachineState either(MachineState one, MachineState other) = 0;
    /// Why a pod does not fit, in the allocator's own words; empty if it has none.
    [[nodiscard]] virtual std::string why_not(const PodDevices& /*pod*/, MachineState /*state*/) {
        return "";
    }
    /// What is free of a machine's GPUs in a state.
    /// Cost: that of ask().
    struct Free {
        std::size_t gpus = 0;
        /// The free GPUs on islands, or NUMA nodes, on which every GPU is free.
        std::size_t whole = 0;
    };
    [[nodiscard]] const Free& free(MachineState state);
    [[nodiscard]] const MachineLayout& layout() const { return layout_; }
    /// The number of answers that were computed so far, not counting remembered ones.
    [[nodiscard]] std::uint64_t decisions() const { return answers_.size(); }

protected:
    /// The GPUs of which anything is taken.
    [[nodiscard]] virtual DeviceMask gpus_in_use(MachineState state) const = 0;
    /// The NICs of which nothing is left.
    [[nodiscard]] virtual DeviceMask nics_exhausted(MachineState state) const = 0;
    /// The whole answer except the localities.
    [[nodiscard]] virtual MachineAnswer decide(const PodDevices& pod, MachineState state) = 0;

private:
    MachineLayout layout_;
    std::vector<std::optional<Free>> free_;  ///< The free GPUs of each state.
    std::deque<MachineAnswer> answers_;
    /// The answers, by pod and state.
    std::unordered_map<std::uint64_t, const MachineAnswer*> known_;
    std::uint64_t last_key_ = 0;  ///< Similar servers are asked one after the other.
    const MachineAnswer* last_ = nullptr;
};

struct MachineAllocatorEntry {
    std::string_view name;
    std::string_view summary;
    std::unique_ptr<MachineAllocator> (*make)(const MachineType& type, const MachineRules& rules);
};

/// All allocators by name, from core/machine_allocators/machine_allocators.def, which has one line
/// for each file.
[[nodiscard]] std::span<const MachineAllocatorEntry> machine_allocators();

inline constexpr std::int64_t machine_score_max = std::int64_t{100} << 20;

}  // namespace berth::core
