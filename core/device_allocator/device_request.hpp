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

/// A Kubernetes label selector. All of its terms must hold; a selector without terms matches
/// everything.
struct LabelSelector {
    enum class Operator : std::uint8_t { in, not_in, exists, does_not_exist };
    struct Expression {
        std::string key;
        Operator op = Operator::exists;
        /// The values that the operators in and not_in compare with.
        std::vector<std::string> values;
    };

    Labels match_labels;
    std::vector<Expression> match_expressions;
};

/// Whether a selector matches, as Kubernetes decides: `not_in` also holds for labels without the
/// key.
[[nodiscard]] bool matches(const LabelSelector& selector, const Labels& labels);

enum class AllocateStrategy : std::uint8_t { unset, apply_for_all, requests_as_count };
enum class ExclusivePolicy : std::uint8_t { unset, device_level, pcie_level };

/// A pod's hints for one type of device.
struct DeviceHint {
    std::optional<LabelSelector> selector;
    /// If present, each device comes with one virtual function.
    std::optional<LabelSelector> vf_selector;
    AllocateStrategy strategy = AllocateStrategy::unset;
    ExclusivePolicy exclusive = ExclusivePolicy::unset;
    TopologyScope required_scope = TopologyScope::unset;  ///< It is read for GPUs only.
};

/// Types to be allocated near each other. The first one that the pod requests is the primary.
struct DeviceJoint {
    std::vector<DeviceType> types;
    bool same_pcie = false;
};

/// What a pod says about devices.
struct DevicePod {
    std::map<std::string, Amount, std::less<>> requests;  ///< Zero means not requested.
    ByDeviceType<DeviceHint> hints;
    std::optional<DeviceJoint> joint;
    std::optional<GpuPartitionSpec> partition_spec;
};

/// Why a pod gets no devices.
struct DeviceRefusal {
    enum class Phase : std::uint8_t { pre_filter, filter, reserve, allocate };
    /// Messages in the words of the published program; at least one.
    std::vector<std::string> messages;
    bool resolvable = true;  ///< Whether it may help that other pods leave the machine.
    Phase phase = Phase::allocate;

    /// All messages on one line.
    [[nodiscard]] std::string text() const;
};
[[nodiscard]] std::string_view to_string(DeviceRefusal::Phase phase);

/// The request for one type: what each device has to give, and the number of devices.
struct TypeRequest {
    std::map<std::string, Amount, std::less<>> each;
    Amount count = 1;
    bool is_shared = false;  ///< It asks for a part of a GPU.
};

/// The validated request of a pod, independent of any machine. For rdma and fpga, `each` is the
/// whole amount and count is 1: each machine decides what the amount means.
struct DeviceRequest {
    ByDeviceType<std::optional<TypeRequest>> types;
    ByDeviceType<DeviceHint> hints;
    std::vector<DeviceType> joint;  ///< The first one is the primary; empty: each type by itself.
    bool same_pcie = false;
    std::optional<GpuPartitionSpec> partition_spec;

    [[nodiscard]] bool empty() const;
};

/// Validates and translates what a pod requests.
/// Returns: a refusal names every type that is wrong, and its phase is pre_filter.
[[nodiscard]] std::variant<DeviceRequest, DeviceRefusal> translate(const DevicePod& pod,
                                                                   const DeviceRules& rules);

}  // namespace berth::core
