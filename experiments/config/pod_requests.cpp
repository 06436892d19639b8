#include "experiments/config/pod_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Quantities;
using core::Value;

/// Requests by resource; `map` may be missing.
Quantities read_requests(const Value* map, Diagnostics& diagnostics) {
    Quantities requests;
    if (map != nullptr && !map->is_map() && map->kind != Value::Kind::null) {
        expected(*map, "requests by resource, such as {cpu: 2, memory: 4Gi}", diagnostics);
        return requests;
    }
    for (std::size_t i = 0; map != nullptr && i < map->members.size(); ++i) {
        const core::Member& member = map->members[i];
        const auto parsed = core::parse_exact_quantity(member.value.text);
        const auto* quantity = std::get_if<core::Quantity>(&parsed);
        if (quantity == nullptr || !member.value.is_scalar() || *quantity < 0) {
            expected(member.value, "a Kubernetes quantity such as 500m or 4Gi", diagnostics);
        } else {
            requests[member.key] = *quantity;
        }
    }
    return requests;
}

void add(Quantities& sum, const Quantities& more) {
    for (const auto& [resource, quantity] : more) {
        sum[resource] += quantity;
    }
}

void raise(Quantities& most, const Quantities& other) {
    for (const auto& [resource, quantity] : other) {
        most[resource] = std::max(most[resource], quantity);
    }
}

/// The containers under `key`; an empty list where there are none.
const std::vector<Value>& containers(const Value& pod, std::string_view key) {
    static const std::vector<Value> none;
    const Value* list = value_below(pod, {"spec", key});
    return list != nullptr ? list->items : none;
}

}  // namespace

const Value* value_below(const Value& value, std::initializer_list<std::string_view> keys) {
    const Value* at = &value;
    for (const std::string_view key : keys) {
        at = at != nullptr && at->is_map() ? at->find(key) : nullptr;
    }
    return at;
}

Quantities pod_requests(const Value& pod, Diagnostics& diagnostics) {
    Quantities sum;
    for (const Value& container : containers(pod, "containers")) {
        add(sum, read_requests(value_below(container, {"resources", "requests"}), diagnostics));
    }
    Quantities sidecars;  // init containers that go on beside the others
    Quantities most;      // while some init container runs
    for (const Value& container : containers(pod, "initContainers")) {
        Quantities during =
            read_requests(value_below(container, {"resources", "requests"}), diagnostics);
        const Value* restart = container.find("restartPolicy");
        if (restart != nullptr && restart->text == "Always") {
            add(sum, during);
            add(sidecars, during);
            during = sidecars;
        } else {
            add(during, sidecars);
        }
        raise(most, during);
    }
    raise(sum, most);
    const Quantities whole =
        read_requests(value_below(pod, {"spec", "resources", "requests"}), diagnostics);
    for (const auto& [resource, quantity] : whole) {
        sum[resource] = quantity;
    }
    add(sum, read_requests(value_below(pod, {"spec", "overhead"}), diagnostics));
    return sum;
}

}  // namespace berth::experiments
