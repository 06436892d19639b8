#include "core/device_allocator/device_view.hpp"

#include <algorithm>
#include <vector>

#include "core/support/assert.hpp"

namespace berth::core {

DeviceMask DevicePicks::mask() const {
    DeviceMask mask = 0;
    for (const std::size_t device : *this) {
        mask |= bit(device);
    }
    return mask;
}

DevicePicks DevicePicks::of(DeviceMask mask) {
    DevicePicks picks;
    for_each_bit(mask, [&](std::size_t device) { picks.add(device); });
    return picks;
}

DeviceQuestion::DeviceQuestion(const DeviceInventory& the_inventory,
                               const DevicePlan& the_plan,
                               const DeviceState& the_state,
                               const DeviceRules& the_rules,
                               bool scored)
    : inventory(the_inventory),
      plan(the_plan),
      state(the_state),
      rules(the_rules),
      is_scored(scored) {
    for (const DeviceType type : device_request_order) {
        if (plan.types[type].requested) {
            look_at(type);
        }
    }
}

Amount DeviceQuestion::total(DeviceType type, std::size_t device, std::size_t resource) const {
    const DevicesOfType& of = inventory.of(type);
    return of.total[device * of.resources.size() + resource];
}

Amount DeviceQuestion::free(DeviceType type, std::size_t device, std::size_t resource) const {
    const DevicesOfType& of = inventory.of(type);
    const std::size_t at = device * of.resources.size() + resource;
    return std::max<Amount>(0, of.total[at] - state.used(of.first_used + at));
}

bool DeviceQuestion::fits(DeviceType type, std::size_t device) const {
    const DevicesOfType& of = inventory.of(type);
    const TypePlan& wanted = plan.types[type];
    if (!rules.unpublished_fits &&
        ((wanted.needs & ~of.published[device]) != 0 || wanted.needs_uncounted)) {
        return false;
    }
    const std::size_t width = of.resources.size();
    for (std::size_t r = 0; r < width; ++r) {
        const Amount used = state.used(of.first_used + device * width + r);
        const bool counts = (of.published[device] & bit(r)) != 0 || used > 0;
        if (counts && wanted.each[r] > std::max<Amount>(0, of.total[device * width + r] - used)) {
            return false;
        }
    }
    return rules.gpus_come_without_functions || !wanted.wants_vf ||
           free_function(type, device).has_value();
}

DeviceMask DeviceQuestion::closed(DeviceType type) const {
    return rules.exclusive_is_ignored ? 0 : state.closed(type);
}

/// The devices that are closed to this pod: another pod has them for itself, or this pod only wants
/// devices that no other uses.
DeviceMask DeviceQuestion::excluded(DeviceType type) const {
    const ExclusivePolicy policy = plan.types[type].exclusive;
    DeviceMask in_use = closed(type);
    if (rules.exclusive_is_ignored || policy == ExclusivePolicy::unset) {
        return in_use;
    }
    const DevicesOfType& of = inventory.of(type);
    for (std::size_t d = 0; d < of.size(); ++d) {
        in_use |= state.is_in_use(inventory, type, d) ? bit(d) : 0;
    }
    if (policy == ExclusivePolicy::pcie_level) {
        in_use |= on_switches(type, of.all(), switches_of(type, in_use));
    }
    return in_use;
}

void DeviceQuestion::look_at(DeviceType type) {
    const DevicesOfType& of = inventory.of(type);
    const std::size_t width = of.resources.size();
    TypeView& view = views[type];
    view.kept = plan.types[type].selected;
    view.in_use = closed(type);
    DeviceMask total_in_use = 0;
    for (std::size_t d = 0; d < of.size(); ++d) {
        bool any_used = false;
        for (std::size_t r = 0; r < width; ++r) {
            const Amount used = state.used(of.first_used + d * width + r);
            const Amount total = of.total[d * width + r];
            any_used = any_used || used > 0;
            total_in_use |= used > 0 && total > 0 ? bit(d) : 0;
            view.has_free |= total > used ? bit(d) : 0;
        }
        view.in_use |= any_used ? bit(d) : 0;
    }
    if (view.has_free == 0) {
        view.kept = 0;
    }
    // Of kept devices, only resources that they publish can be in use.
    view.in_use &= ~view.kept | total_in_use | closed(type);
    const DeviceMask open = view.kept & ~excluded(type) &
                            (rules.unpublished_fits ? view.kept : of.healthy & view.has_free);
    for_each_bit(open, [&](std::size_t d) { view.fits |= fits(type, d) ? bit(d) : 0; });
}

Amount DeviceQuestion::score(DeviceType type, std::size_t device) const {
    const TypePlan& wanted = plan.types[type];
    if (!is_scored) {
        return 0;
    }
    return weighted_score(plan.strategy, wanted.weights, [&](std::size_t r) {
        return ScoredAmounts{wanted.request(r), total(type, device, r), free(type, device, r)};
    });
}

Amount DeviceQuestion::swapped_score(DeviceType type, std::size_t device) const {
    const TypePlan& wanted = plan.types[type];
    if (!is_scored) {
        return 0;
    }
    return weighted_score(plan.strategy, wanted.weights, [&](std::size_t r) {
        return ScoredAmounts{wanted.request(r), free(type, device, r), total(type, device, r)};
    });
}

Amount DeviceQuestion::score_of_all(DeviceType type) const {
    const TypePlan& wanted = plan.types[type];
    return weighted_score(plan.strategy, wanted.weights, [&](std::size_t r) {
        ScoredAmounts sum{wanted.request(r), 0, 0};
        for_each_bit(views[type].kept, [&](std::size_t d) {
            sum.total += total(type, d, r);
            sum.free += free(type, d, r);
        });
        return sum;
    });
}

DeviceMask DeviceQuestion::usable(DeviceType type) const {
    const DeviceMask fitting = views[type].fits & views[type].has_free;
    if (!plan.types[type].wants_vf || !rules.gpus_come_without_functions) {
        return fitting;  // fits() has looked for a function
    }
    DeviceMask usable = fitting;
    for_each_bit(fitting, [&](std::size_t d) {
        usable &= free_function(type, d) ? ~DeviceMask{0} : ~bit(d);
    });
    return usable;
}

std::optional<std::size_t> DeviceQuestion::free_function(DeviceType type,
                                                         std::size_t device) const {
    const std::vector<VfEntry>& entries = inventory.of(type).functions[device];
    const std::vector<bool>& eligible = plan.types[type].eligible[device];
    BERTH_AUDIT(eligible.size() == entries.size(),
                "of each function it is known whether it will do");
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (eligible[i] && !state.is_vf_taken(entries[i].slot)) {
            return i;
        }
    }
    return std::nullopt;
}

std::int16_t DeviceQuestion::switch_of(DeviceType type, std::size_t device) const {
    const DevicesOfType& of = inventory.of(type);
    return rules.switches_by_name_alone ? of.pcie_name[device] : of.pcie[device];
}

DeviceMask DeviceQuestion::switches_of(DeviceType type, DeviceMask devices) const {
    DeviceMask switches = 0;
    for_each_bit(devices, [&](std::size_t d) {
        const std::int16_t at = switch_of(type, d);
        switches |= at == DevicesOfType::nowhere ? 0 : bit(static_cast<std::size_t>(at));
    });
    return switches;
}

DeviceMask DeviceQuestion::numa_nodes_of(DeviceType type, DeviceMask devices) const {
    DeviceMask nodes = 0;
    for_each_bit(devices, [&](std::size_t d) {
        const std::int16_t at = inventory.of(type).numa[d];
        nodes |= at == DevicesOfType::nowhere ? 0 : bit(static_cast<std::size_t>(at));
    });
    return nodes;
}

DeviceMask DeviceQuestion::on_switches(DeviceType type,
                                       DeviceMask devices,
                                       DeviceMask switches) const {
    DeviceMask on = 0;
    for_each_bit(devices, [&](std::size_t d) {
        const std::int16_t at = switch_of(type, d);
        on |= at != DevicesOfType::nowhere && (switches >> at & 1) != 0 ? bit(d) : 0;
    });
    return on;
}

DeviceMask DeviceQuestion::on_numa_nodes(DeviceType type,
                                         DeviceMask devices,
                                         DeviceMask numa_nodes) const {
    DeviceMask on = 0;
    for_each_bit(devices, [&](std::size_t d) {
        const std::int16_t at = inventory.of(type).numa[d];
        on |= at != DevicesOfType::nowhere && (numa_nodes >> at & 1) != 0 ? bit(d) : 0;
    });
    return on;
}

DeviceFailure insufficient_devices(DeviceType type, bool resolvable) {
    constexpr std::array<std::string_view, device_type_count> texts{
        "Insufficient fpga devices", "Insufficient gpu devices", "Insufficient rdma devices"};
    return {texts[static_cast<std::size_t>(type)], resolvable};
}

DeviceFailure insufficient_functions(DeviceType type) {
    constexpr std::array<std::string_view, device_type_count> texts{
        "Insufficient fpga VirtualFunctions",
        "Insufficient gpu VirtualFunctions",
        "Insufficient rdma VirtualFunctions"};
    return {texts[static_cast<std::size_t>(type)], false};
}

}  // namespace berth::core
