#include "core/device_allocator/device_plan.hpp"

#include <bit>

namespace berth::core {
namespace {

DeviceMask selected_devices(const DevicesOfType& devices, const DeviceHint& hint) {
    DeviceMask selected = devices.listed;
    for (std::size_t d = 0; hint.selector && d < devices.size(); ++d) {
        if (!matches(*hint.selector, devices.devices[d].labels)) {
            selected &= ~bit(d);
        }
    }
    return selected;
}

std::vector<std::vector<bool>> eligible_functions(const DevicesOfType& devices,
                                                  const LabelSelector& selector) {
    std::vector<std::vector<bool>> eligible(devices.size());
    for (std::size_t d = 0; d < devices.size(); ++d) {
        for (const VfEntry& entry : devices.functions[d]) {
            eligible[d].push_back(
                matches(selector, devices.devices[d].vf_groups[entry.group].labels));
        }
    }
    return eligible;
}

/// How many devices ApplyForAll stands for.
Amount count_of_all(const DevicesOfType& devices,
                    DeviceMask selected,
                    const DeviceHint& hint,
                    const DeviceRules& rules) {
    if (!rules.unhealthy_count) {
        return std::popcount(selected & devices.healthy);
    }
    return hint.selector ? std::popcount(selected) : static_cast<Amount>(devices.size());
}

struct CountAndEach {
    Amount count = 1;
    Amount each = 0;
};

/// What an amount of NICs or FPGAs stands for on this machine.
CountAndEach count_and_each(Amount amount,
                            const DevicesOfType& devices,
                            DeviceMask selected,
                            const DeviceHint& hint,
                            const DeviceRules& rules) {
    const bool is_whole_devices = amount > 100 && amount % 100 == 0;
    if (is_whole_devices && rules.hundreds_override_strategy) {
        return {amount / 100, 100};
    }
    if (hint.strategy == AllocateStrategy::apply_for_all) {
        return {count_of_all(devices, selected, hint, rules), amount};
    }
    if (hint.strategy == AllocateStrategy::requests_as_count) {
        return {amount, hint.exclusive == ExclusivePolicy::device_level ? 100 : 1};
    }
    return is_whole_devices ? CountAndEach{amount / 100, 100} : CountAndEach{1, amount};
}

void set_amounts(TypePlan& plan, const DevicesOfType& devices, const TypeRequest& request) {
    plan.each.assign(devices.resources.size(), DeviceGrants::absent);
    for (const auto& [name, amount] : request.each) {
        if (const auto r = devices.find_resource(name)) {
            plan.each[*r] = amount;
            plan.needs |= bit(*r);
        } else {
            plan.needs_uncounted = true;
        }
    }
}

TypePlan plan_type(DeviceType type,
                   const DeviceInventory& inventory,
                   const DeviceRequest& request,
                   const DeviceRules& rules) {
    const DevicesOfType& devices = inventory.of(type);
    const DeviceHint& hint = request.hints[type];
    const bool is_gpu = type == DeviceType::gpu;
    const bool hinted = !(is_gpu && rules.gpus_ignore_strategies);
    TypePlan plan;
    plan.requested = true;
    plan.selected = selected_devices(devices, hint);
    plan.is_shared = request.types[type]->is_shared;
    plan.count = request.types[type]->count;
    plan.exclusive = hinted ? hint.exclusive : ExclusivePolicy::unset;
    set_amounts(plan, devices, *request.types[type]);
    if (!is_gpu) {
        const CountAndEach meant =
            count_and_each(plan.each[0], devices, plan.selected, hint, rules);
        plan.count = meant.count;
        plan.each[0] = meant.each;
    } else if (hinted && hint.strategy == AllocateStrategy::apply_for_all) {
        plan.count = count_of_all(devices, plan.selected, hint, rules);
    }
    if (hint.vf_selector) {
        plan.wants_vf = true;
        plan.eligible = eligible_functions(devices, *hint.vf_selector);
    }
    const bool exists = rules.unhealthy_count ? devices.size() > 0 : devices.healthy != 0;
    if (!exists || plan.count == 0) {
        plan.missing = TypePlan::Missing::devices;
    } else if (plan.wants_vf && !devices.has_vf_groups) {
        plan.missing = TypePlan::Missing::functions;
    }
    return plan;
}

}  // namespace

DevicePlan make_device_plan(const DeviceInventory& inventory,
                            const DeviceRequest& request,
                            const DeviceRules& rules,
                            const std::optional<DeviceScorer>& scorer) {
    DevicePlan plan;
    for (const DeviceType type : device_request_order) {
        if (!request.types[type]) {
            continue;
        }
        plan.types[type] = plan_type(type, inventory, request, rules);
        const DevicesOfType& devices = inventory.of(type);
        plan.types[type].weights.assign(devices.resources.size(), 0);
        for (std::size_t r = 0; scorer && r < devices.resources.size(); ++r) {
            const auto weight = scorer->weights.find(devices.resources[r]);
            plan.types[type].weights[r] = weight == scorer->weights.end() ? 0 : weight->second;
        }
    }
    const auto& gpus = request.types[DeviceType::gpu];
    plan.joint = request.joint;
    plan.same_pcie = request.same_pcie;
    plan.required_scope = request.hints[DeviceType::gpu].required_scope;
    plan.partition_spec = request.partition_spec;
    plan.honors_partitions = inventory.honors_partitions() || request.partition_spec.has_value();
    plan.skips_secondaries =
        !plan.joint.empty() && gpus && !gpus->is_shared && inventory.well_planned();
    plan.strategy = scorer ? scorer->strategy : DeviceScorer::Strategy::least_allocated;
    return plan;
}

}  // namespace berth::core
