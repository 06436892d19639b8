#include "core/device_allocator/device_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/support/text.hpp"
#include "core/tree/resources.hpp"

namespace berth::core {
namespace {

namespace name = device_resource;
using NameSet = std::set<std::string_view>;
using Named = std::map<std::string, Amount, std::less<>>;

bool holds(const LabelSelector::Expression& expression, const Labels& labels) {
    const auto label = labels.find(expression.key);
    const bool present = label != labels.end();
    const auto listed = [&] {
        return std::ranges::find(expression.values, label->second) != expression.values.end();
    };
    switch (expression.op) {
        case LabelSelector::Operator::in:
            return present && listed();
        case LabelSelector::Operator::not_in:
            return !present || !listed();
        case LabelSelector::Operator::exists:
            return present;
        case LabelSelector::Operator::does_not_exist:
            return !present;
    }
    return false;
}

const NameSet& names_of(DeviceType type) {
    static const ByDeviceType<NameSet> names = [] {
        ByDeviceType<NameSet> out;
        out[DeviceType::gpu] = {name::nvidia_gpu,
                                name::amd_gpu,
                                name::dcu_gpu,
                                name::gpu,
                                name::gpu_shared,
                                name::gpu_core,
                                name::gpu_memory,
                                name::gpu_memory_ratio,
                                name::npu_core,
                                name::npu_cpu,
                                name::npu_dvpp};
        out[DeviceType::rdma] = {name::rdma};
        out[DeviceType::fpga] = {name::fpga};
        return out;
    }();
    return names[type];
}

std::optional<Amount> amount_of(const Named& requests, std::string_view wanted) {
    const auto at = requests.find(wanted);
    return at == requests.end() ? std::nullopt : std::optional(at->second);
}

/// Whether core and ratio are percentages of one GPU, or whole GPUs.
bool are_percentages(const Named& requests) {
    return std::ranges::all_of(std::array{name::gpu_core, name::gpu_memory_ratio}, [&](auto key) {
        const Amount amount = amount_of(requests, key).value_or(0);
        return amount <= 100 || amount % 100 == 0;
    });
}

/// Whether core and ratio are sums over the shared GPUs.
bool are_shares(const Named& requests) {
    const Amount gpus = *amount_of(requests, name::gpu_shared);
    return std::ranges::all_of(std::array{name::gpu_core, name::gpu_memory_ratio}, [&](auto key) {
        const Amount amount = amount_of(requests, key).value_or(0);
        return amount % gpus == 0 && amount / gpus <= 100;
    });
}

bool is_npu_share(const Named& requests) {
    return *amount_of(requests, name::gpu_shared) <= 1 &&
           amount_of(requests, name::npu_dvpp).value_or(0) <= 100;
}

/// Whether the resources of one type may be requested together, and in these amounts.
bool is_valid_combination(const Named& requests) {
    using Check = bool (*)(const Named&);
    constexpr Check anything = [](const Named&) { return true; };
    static const std::map<NameSet, Check> combinations{
        {{name::nvidia_gpu}, anything},
        {{name::amd_gpu}, anything},
        {{name::dcu_gpu}, anything},
        {{name::gpu}, anything},
        {{name::rdma}, anything},
        {{name::fpga}, anything},
        {{name::gpu_memory}, &are_percentages},
        {{name::gpu_memory_ratio}, &are_percentages},
        {{name::gpu_core, name::gpu_memory}, &are_percentages},
        {{name::gpu_core, name::gpu_memory_ratio}, &are_percentages},
        {{name::npu_core, name::gpu_memory_ratio}, &are_percentages},
        {{name::gpu_shared, name::gpu_memory}, &are_shares},
        {{name::gpu_shared, name::gpu_memory_ratio}, &are_shares},
        {{name::gpu_shared, name::gpu_core, name::gpu_memory}, &are_shares},
        {{name::gpu_shared, name::gpu_core, name::gpu_memory_ratio}, &are_shares},
        {{name::gpu_shared, name::npu_core, name::npu_cpu, name::gpu_memory}, &is_npu_share},
        {{name::gpu_shared, name::npu_core, name::npu_cpu, name::npu_dvpp, name::gpu_memory},
         &is_npu_share},
    };
    NameSet names;
    for (const auto& [key, amount] : requests) {
        names.insert(key);
    }
    const auto at = combinations.find(names);
    return at != combinations.end() && at->second(requests);
}

/// What is wrong with the request for one type; nothing if it is right.
std::optional<std::string> fault_of(const Named& requests,
                                    const DeviceHint& hint,
                                    const DeviceRules& rules) {
    const bool is_count =
        hint.strategy == AllocateStrategy::requests_as_count && !rules.counts_are_amounts;
    for (const std::string_view key : {name::gpu, name::rdma, name::fpga}) {
        const Amount amount = amount_of(requests, key).value_or(0);
        if (amount > 100 && amount % 100 != 0 && !is_count) {
            return fmt::format(
                "invalid resource unit {}: {}", key, canonical_quantity(std::to_string(amount)));
        }
    }
    if (!is_valid_combination(requests)) {
        std::vector<std::string_view> names;
        for (const auto& [key, amount] : requests) {
            names.push_back(key);
        }
        return fmt::format("invalid resource device requests: [{}]", join(names, " "));
    }
    return std::nullopt;
}

/// Translates every way to ask for GPUs into percentages of their cores and memory. Nothing if the
/// percentages do not fit.
std::optional<Named> in_percent(const Named& requests) {
    for (const std::string_view whole : {name::nvidia_gpu, name::amd_gpu, name::dcu_gpu}) {
        if (const auto gpus = amount_of(requests, whole)) {
            const auto percent = checked_multiply(*gpus, 100);
            return percent ? std::optional(Named{{std::string(name::gpu_core), *percent},
                                                 {std::string(name::gpu_memory_ratio), *percent}})
                           : std::nullopt;
        }
    }
    if (const auto percent = amount_of(requests, name::gpu)) {
        return Named{{std::string(name::gpu_core), *percent},
                     {std::string(name::gpu_memory_ratio), *percent}};
    }
    return requests;
}

/// Splits a request for GPUs into the number of GPUs and what is wanted of each.
TypeRequest split_over_gpus(const Named& requests) {
    TypeRequest out;
    const auto ratio = amount_of(requests, name::gpu_memory_ratio);
    if (const auto shared = amount_of(requests, name::gpu_shared)) {
        out.count = *shared;
    } else if (ratio && *ratio > 100 && *ratio % 100 == 0) {
        out.count = *ratio / 100;
    }
    for (const std::string_view key :
         {name::gpu_core, name::npu_core, name::npu_cpu, name::npu_dvpp}) {
        if (const auto amount = amount_of(requests, key)) {
            out.each.emplace(key, *amount / out.count);
        }
    }
    if (ratio) {
        out.each.emplace(name::gpu_memory_ratio, *ratio / out.count);
        out.is_shared = *ratio / out.count < 100;
    } else if (const auto memory = amount_of(requests, name::gpu_memory)) {
        out.each.emplace(name::gpu_memory, *memory / out.count);
        out.is_shared = true;
    }
    return out;
}

/// GPUs that are asked for by a count of shares, as NICs are: one percent of each, or all of it.
TypeRequest counted_gpus(Amount count, const DeviceHint& hint) {
    const Amount each = hint.exclusive == ExclusivePolicy::device_level ? 100 : 1;
    return {{{std::string(name::gpu_core), each}, {std::string(name::gpu_memory_ratio), each}},
            count,
            each < 100};
}

std::optional<TypeRequest> gpu_request(const Named& requests,
                                       const DeviceHint& hint,
                                       const DeviceRules& rules) {
    const auto count = amount_of(requests, name::gpu);
    if (count && hint.strategy == AllocateStrategy::requests_as_count &&
        !rules.gpus_ignore_strategies) {
        return counted_gpus(*count, hint);
    }
    const auto percent = in_percent(requests);
    return percent ? std::optional(split_over_gpus(*percent)) : std::nullopt;
}

/// The joint types that count: those that are requested, but not from all devices.
std::vector<DeviceType> joint_types(const DevicePod& pod, const DeviceRequest& request) {
    std::vector<DeviceType> types;
    for (const DeviceType type : pod.joint ? pod.joint->types : std::vector<DeviceType>()) {
        if (request.types[type] && std::ranges::find(types, type) == types.end() &&
            pod.hints[type].strategy != AllocateStrategy::apply_for_all) {
            types.push_back(type);
        }
    }
    return types;
}

}  // namespace

bool matches(const LabelSelector& selector, const Labels& labels) {
    const auto same = [&](const auto& wanted) {
        const auto label = labels.find(wanted.first);
        return label != labels.end() && label->second == wanted.second;
    };
    return std::ranges::all_of(selector.match_labels, same) &&
           std::ranges::all_of(selector.match_expressions, [&](const LabelSelector::Expression& e) {
               return holds(e, labels);
           });
}

std::string DeviceRefusal::text() const {
    return join(messages, ", ");
}

std::string_view to_string(DeviceRefusal::Phase phase) {
    constexpr std::array<std::string_view, 4> names{"PreFilter", "Filter", "Reserve", "Allocate"};
    return names[static_cast<std::size_t>(phase)];
}

bool DeviceRequest::empty() const {
    return std::ranges::none_of(types.values, [](const auto& type) { return type.has_value(); });
}

std::variant<DeviceRequest, DeviceRefusal> translate(const DevicePod& pod,
                                                     const DeviceRules& rules) {
    DeviceRequest request;
    DeviceRefusal refusal{{}, false, DeviceRefusal::Phase::pre_filter};
    for (const DeviceType type : device_request_order) {
        Named named;
        for (const auto& [key, amount] : pod.requests) {
            if (amount != 0 && names_of(type).contains(key)) {
                named.emplace(key, amount);
            }
        }
        if (named.empty()) {
            continue;
        }
        if (auto fault = fault_of(named, pod.hints[type], rules)) {
            refusal.messages.push_back(std::move(*fault));
            continue;
        }
        request.types[type] = type == DeviceType::gpu ? gpu_request(named, pod.hints[type], rules)
                                                      : std::optional(TypeRequest{named, 1, false});
        if (!request.types[type]) {
            refusal.messages.push_back("Insufficient gpu devices");
        }
    }
    if (!refusal.messages.empty()) {
        return refusal;
    }
    request.hints = pod.hints;
    request.joint = joint_types(pod, request);
    request.same_pcie = pod.joint && pod.joint->same_pcie;
    request.partition_spec = pod.partition_spec;
    return request;
}

}  // namespace berth::core
