#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/device_allocator/device_rules.hpp"
#include "core/device_allocator/gpu_partitions.hpp"
#include "core/device_allocator/gpu_topology.hpp"
#include "core/tree/device_names.hpp"

namespace berth::core {

/// A Kubernetes label selector: all of its terms must hold. One without terms matches everything.
struct LabelSelector {
    enum class Operator : std::uint8_t { in, not_in, exists, does_not_exist };
    struct Expression {
        std::string key;
        Operator op = Operator::exists;
        std::vector<std::string> values;  ///< The operators in and not_in compare with them.
    };

    Labels match_labels;
    std::vector<Expression> match_expressions;
};

/// As Kubernetes decides: `not_in` holds for labels without the key, too.
[[nodiscard]] bool matches(const LabelSelector& selector, const Labels& labels);

enum class AllocateStrategy : std::uint8_t { unset, apply_for_all, requests_as_count };
enum class ExclusivePolicy : std::uint8_t { unset, device_level, pcie_level };

/// What a pod hints about one type of device.
struct DeviceHint {
    std::optional<LabelSelector> selector;
    std::optional<LabelSelector> vf_selector;  ///< Present: one virtual function of each device.
    AllocateStrategy strategy = AllocateStrategy::unset;
    ExclusivePolicy exclusive = ExclusivePolicy::unset;
    TopologyScope required_scope = TopologyScope::unset;  ///< Read for GPUs only.
};

/// Types to be allocated near each other; the first that the pod requests leads.
struct DeviceJoint {
    std::vector<DeviceType> types;
    bool same_pcie = false;
};

/// A pod, as far as devices are concerned.
struct DevicePod {
    std::map<std::string, Amount, std::less<>> requests;  ///< Zero means not requested.
    ByDeviceType<DeviceHint> hints;
    std::optional<DeviceJoint> joint;
    std::optional<GpuPartitionSpec> partition_spec;
};

/// Why a pod gets no devices.
struct DeviceRefusal {
    enum class Phase : std::uint8_t { pre_filter, filter, reserve, allocate };
    std::vector<std::string> messages;  ///< In the words of the published program; at least one.
    bool resolvable = true;             ///< Whether it may help that other pods leave the machine.
    Phase phase = Phase::allocate;

    /// All messages on one line.
    [[nodiscard]] std::string text() const;
};
[[nodiscard]] std::string_view to_string(DeviceRefusal::Phase phase);

/// The request for one type: what each device has to give, and of how many devices.
struct TypeRequest {
    std::map<std::string, Amount, std::less<>> each;
    Amount count = 1;
    bool is_shared = false;  ///< A part of a GPU.
};

/// A pod's request, validated, without a look at any machine. For rdma and fpga `each` is the whole
/// amount and count 1: what it means is for the machine to say.
struct DeviceRequest {
    ByDeviceType<std::optional<TypeRequest>> types;
    ByDeviceType<DeviceHint> hints;
    std::vector<DeviceType> joint;  ///< The first leads; empty: each type for itself.
    bool same_pcie = false;
    std::optional<GpuPartitionSpec> partition_spec;

    [[nodiscard]] bool empty() const;
};

/// Validates and translates what a pod requests.
/// Returns: the refusal names every type that is wrong; its phase is pre_filter.
[[nodiscard]] std::variant<DeviceRequest, DeviceRefusal> translate(const DevicePod& pod,
                                                                   const DeviceRules& rules);

}  // namespace berth::core
