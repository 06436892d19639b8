#include "schedulers/kube/decide/device_capacity.hpp"

#include <algorithm>
#include <string>

namespace berth::core::kube {
namespace {

constexpr Quantity billion = 1'000'000'000;

/// The quantity in whole numbers, rounded away from 0.
Quantity whole(Quantity quantity) {
    const Quantity rest = quantity % billion;
    return quantity / billion + (rest > 0 ? 1 : rest < 0 ? -1 : 0);
}

Quantity amount_of(const Quantities& amounts, const std::string& name) {
    const auto found = amounts.find(name);
    return found == amounts.end() ? 0 : found->second;
}

/// The least amount of a range that is at least what is asked for.
Quantity in_range(const CapacityPolicy::Range& range, Quantity request) {
    const Quantity min = *range.min;
    if (request < min || !range.step) {
        return std::max(request, min);
    }
    const Quantity step = whole(*range.step);
    const Quantity above = whole(request) - whole(min);
    return (whole(min) + step * (above / step + (above % step != 0 ? 1 : 0))) * billion;
}

std::optional<Quantity> request_for(const std::optional<Quantities>& requests,
                                    const std::string& name) {
    if (!requests) {
        return std::nullopt;
    }
    const auto found = requests->find(name);
    return found == requests->end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

Quantity consumed_of(const Capacity& capacity, const std::optional<Quantity>& request) {
    const std::optional<CapacityPolicy>& policy = capacity.policy;
    if (!request) {
        return policy && policy->otherwise ? *policy->otherwise : capacity.value;
    }
    if (policy && policy->range && policy->range->min) {
        return in_range(*policy->range, *request);
    }
    if (policy && policy->values) {
        const auto value = std::ranges::find_if(
            *policy->values, [&](Quantity offered) { return *request <= offered; });
        if (value != policy->values->end()) {
            return *value;
        }
    }
    return *request;
}

bool violates_policy(const Capacity& capacity, Quantity consumed) {
    const std::optional<CapacityPolicy>& policy = capacity.policy;
    if (!policy || policy->otherwise == consumed) {
        return false;
    }
    if (const auto& range = policy->range) {
        if (range->max && consumed > *range->max) {
            return true;
        }
        return range->step &&
               (whole(consumed) - whole(range->min.value_or(0))) % whole(*range->step) != 0;
    }
    return policy->values && !policy->values->empty() &&
           std::ranges::find(*policy->values, consumed) == policy->values->end();
}

Quantities consumed_of(const Device& device, const std::optional<Quantities>& requests) {
    Quantities consumed;
    for (const auto& [name, capacity] : device.capacity) {
        consumed[name] = consumed_of(capacity, request_for(requests, name));
    }
    return consumed;
}

bool fits_capacity(const Device& device,
                   const std::optional<Quantities>& requests,
                   const Quantities& allocated,
                   const Quantities& taken) {
    const auto is_there = [&](const auto& request) {
        return device.capacity.contains(request.first);
    };
    if (requests && !std::ranges::all_of(*requests, is_there)) {
        return false;
    }
    return std::ranges::all_of(device.capacity, [&](const auto& entry) {
        const auto& [name, capacity] = entry;
        const Quantity consumed = consumed_of(capacity, request_for(requests, name));
        return !violates_policy(capacity, consumed) &&
               amount_of(allocated, name) + amount_of(taken, name) + consumed <= capacity.value;
    });
}

}  // namespace berth::core::kube
