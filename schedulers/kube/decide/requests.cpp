#include "schedulers/kube/decide/requests.hpp"

#include <algorithm>

namespace berth::core::kube {
namespace {

constexpr Quantity billion = 1'000'000'000;

void add(Quantities& sum, const Quantities& more) {
    for (const auto& [name, amount] : more) {
        sum[name] += amount;
    }
}

void raise(Quantities& greatest, const Quantities& other) {
    for (const auto& [name, amount] : other) {
        const auto [place, is_new] = greatest.try_emplace(name, amount);
        if (!is_new) {
            place->second = std::max(place->second, amount);
        }
    }
}

bool is_pod_level(std::string_view resource) {
    return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

bool sets_pod_level_requests(const Pod& pod) {
    return pod.pod_level_requests &&
           std::ranges::any_of(*pod.pod_level_requests,
                               [](const auto& entry) { return is_pod_level(entry.first); });
}

Quantities requests_of(const Container& container,
                       const Pod& pod,
                       const RequestRules& rules,
                       bool has_status) {
    Quantities requests = container.requests;
    const auto status = pod.statuses.find(container.name);
    if (rules.with_status && has_status && status != pod.statuses.end()) {
        if (pod.resize_is_infeasible) {
            requests.clear();
        }
        raise(requests, status->second.requests);
        raise(requests, status->second.allocated);
    }
    requests.insert(rules.otherwise.begin(), rules.otherwise.end());
    return requests;
}

/// What is missing in the requests of the whole pod, or in those of a container.
Quantities missing_in(const Pod& pod) {
    if (!sets_pod_level_requests(pod)) {
        return assumed_requests();
    }
    Quantities missing = assumed_requests();
    for (const auto& [name, amount] :
         requests_of(pod, RequestRules{.otherwise = {}, .with_status = true})) {
        missing.erase(name);
    }
    return missing;
}

}  // namespace

Quantity Amounts::of(std::string_view resource) const {
    if (resource == "cpu") {
        return cpu;
    }
    if (resource == "memory") {
        return memory;
    }
    if (resource == "ephemeral-storage") {
        return ephemeral_storage;
    }
    if (resource == "pods") {
        return pods;
    }
    const auto found = scalars.find(resource);
    return found == scalars.end() ? 0 : found->second;
}

void Amounts::add(const Amounts& other, int sign) {
    cpu += sign * other.cpu;
    memory += sign * other.memory;
    ephemeral_storage += sign * other.ephemeral_storage;
    for (const auto& [name, amount] : other.scalars) {
        scalars[name] += sign * amount;
    }
}

Quantity in_units(std::string_view resource, Quantity billionths) {
    const Quantity parts = billionths * (resource == "cpu" ? 1000 : 1);
    const Quantity rest = parts % billion;
    return parts / billion + (rest > 0 ? 1 : rest < 0 ? -1 : 0);
}

bool is_extended(std::string_view resource) {
    const bool is_native = resource.find('/') == std::string_view::npos ||
                           resource.find("kubernetes.io/") != std::string_view::npos;
    return !is_native && !resource.starts_with("requests.");
}

bool is_scalar(std::string_view resource) {
    return is_extended(resource) || resource.starts_with("hugepages-") ||
           resource.find("kubernetes.io/") != std::string_view::npos ||
           resource.starts_with("attachable-volumes-");
}

Amounts amounts_of(const Quantities& quantities) {
    Amounts amounts;
    for (const auto& [name, quantity] : quantities) {
        const Quantity units = in_units(name, quantity);
        if (name == "cpu") {
            amounts.cpu = units;
        } else if (name == "memory") {
            amounts.memory = units;
        } else if (name == "ephemeral-storage") {
            amounts.ephemeral_storage = units;
        } else if (name == "pods") {
            amounts.pods = units;
        } else if (is_scalar(name)) {
            amounts.scalars.emplace(name, units);
        }
    }
    return amounts;
}

Quantities requests_of(const Pod& pod, const RequestRules& rules) {
    Quantities sum;
    for (const Container& container : pod.containers) {
        add(sum, requests_of(container, pod, rules, true));
    }
    // Init containers run one after the other, beside the sidecars that were started before.
    Quantities sidecars;
    Quantities greatest;
    for (const Container& container : pod.init_containers) {
        Quantities beside = requests_of(container, pod, rules, container.is_sidecar);
        if (container.is_sidecar) {
            add(sum, beside);
            add(sidecars, beside);
            beside = sidecars;
        } else {
            add(beside, sidecars);
        }
        raise(greatest, beside);
    }
    raise(sum, greatest);
    if (rules.pod_level && sets_pod_level_requests(pod)) {
        for (const auto& [name, amount] : *pod.pod_level_requests) {
            if (is_pod_level(name)) {
                sum[name] = amount;
            }
        }
    }
    add(sum, pod.overhead);
    return sum;
}

const Quantities& assumed_requests() {
    static const Quantities assumed{{"cpu", billion / 10}, {"memory", 200 * 1024 * 1024 * billion}};
    return assumed;
}

NonZero non_zero_requests(const Pod& pod) {
    Quantities requests =
        requests_of(pod, {.otherwise = missing_in(pod), .pod_level = true, .with_status = true});
    return {in_units("cpu", requests["cpu"]), in_units("memory", requests["memory"])};
}

}  // namespace berth::core::kube
