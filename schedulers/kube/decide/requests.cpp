#include "schedulers/kube/decide/requests.hpp"

#include <algorithm>
#include <optional>

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

const ContainerStatus& status_of(const Container& container, const Pod& pod) {
    static const ContainerStatus none;
    const auto status = pod.statuses.find(container.name);
    return status == pod.statuses.end() ? none : status->second;
}

/// What a container asks for, or what it holds if that is more and it `goes_on`: it does not end
/// before the others start.
Quantities requested_or_held(const Container& container, const Pod& pod, bool goes_on) {
    const ContainerStatus& status = status_of(container, pod);
    if (!goes_on || !status.has_resources) {
        return container.requests;
    }
    Quantities requests = pod.resize_is_infeasible ? Quantities{} : container.requests;
    raise(requests, status.requests.value_or(Quantities{}));
    raise(requests, status.allocated.value_or(Quantities{}));
    return requests;
}

/// What its node has set aside for a container. Without a status this is what it asks for, except
/// in a pod whose node refuses to resize it.
Quantities set_aside(const Container& container, const Pod& pod) {
    return status_of(container, pod)
        .allocated.value_or(pod.resize_is_infeasible ? Quantities{} : container.requests);
}

/// What a container holds.
Quantities held(const Container& container, const Pod& pod) {
    const std::optional<Quantities>& requests = status_of(container, pod).requests;
    return requests ? *requests : set_aside(container, pod);
}

/// What the containers of a pod need together, if one of them needs `need(container, goes_on)`.
/// Those that lack an amount of `otherwise` need that.
template <typename Need>
Quantities sum_of(const Pod& pod, const Quantities& otherwise, Need need) {
    const auto need_of = [&](const Container& container, bool goes_on) {
        Quantities amounts = need(container, goes_on);
        amounts.insert(otherwise.begin(), otherwise.end());
        return amounts;
    };
    Quantities sum;
    for (const Container& container : pod.containers) {
        add(sum, need_of(container, true));
    }
    // Init containers run one after the other, beside the sidecars that were started before.
    Quantities sidecars;
    Quantities greatest;
    for (const Container& container : pod.init_containers) {
        Quantities beside = need_of(container, container.is_sidecar);
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
    return sum;
}

/// What the containers of a pod need together by the rules.
Quantities sum_of(const Pod& pod, const RequestRules& rules) {
    const auto sum = [&](auto need) { return sum_of(pod, rules.otherwise, need); };
    const auto requested = [](const Container& container, bool) { return container.requests; };
    if (!rules.with_status || (pod.statuses.empty() && !pod.resize_is_infeasible)) {
        return sum(requested);
    }
    if (rules.version < SchedulerVersion::v1_37) {
        return sum([&](const Container& container, bool goes_on) {
            return requested_or_held(container, pod, goes_on);
        });
    }
    Quantities greatest = pod.resize_is_infeasible ? Quantities{} : sum(requested);
    raise(greatest, sum([&](const Container& container, bool) { return held(container, pod); }));
    raise(greatest,
          sum([&](const Container& container, bool) { return set_aside(container, pod); }));
    return greatest;
}

/// What is missing in the requests of the whole pod, or in those of a container.
Quantities missing_in(const Pod& pod, SchedulerVersion version) {
    if (!sets_pod_level_requests(pod)) {
        return assumed_requests();
    }
    Quantities missing = assumed_requests();
    for (const auto& [name, amount] :
         requests_of(pod, {.otherwise = {}, .with_status = true, .version = version})) {
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
    Quantities sum = sum_of(pod, rules);
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

NonZero non_zero_requests(const Pod& pod, SchedulerVersion version) {
    Quantities requests = requests_of(
        pod, {.otherwise = missing_in(pod, version), .with_status = true, .version = version});
    return {in_units("cpu", requests["cpu"]), in_units("memory", requests["memory"])};
}

}  // namespace berth::core::kube
