#pragma once

#include <map>
#include <string>
#include <string_view>

#include "schedulers/kube/decide/configuration.hpp"
#include "schedulers/kube/decide/objects.hpp"

namespace berth::core::kube {

/// Amounts as kube-scheduler counts them: thousandths of a CPU, and whole numbers of all else.
/// Resources that it does not know are not counted.
struct Amounts {
    Quantity cpu = 0;
    Quantity memory = 0;
    Quantity ephemeral_storage = 0;
    Quantity pods = 0;
    /// Extended resources, huge pages, volumes, and names of `kubernetes.io/`.
    std::map<std::string, Quantity, std::less<>> scalars;

    [[nodiscard]] Quantity of(std::string_view resource) const;
    /// Adds all but pods.
    void add(const Amounts& other, int sign);
};

/// The quantities of a node or a pod in whole numbers, rounded up.
[[nodiscard]] Amounts amounts_of(const Quantities& quantities);

/// One quantity in whole numbers: thousandths of a CPU, or the number itself, rounded away from 0.
[[nodiscard]] Quantity in_units(std::string_view resource, Quantity billionths);

/// Whether kube-scheduler counts a resource other than CPU, memory and ephemeral storage.
[[nodiscard]] bool is_scalar(std::string_view resource);
/// Whether the resource belongs to a device plugin or the like.
[[nodiscard]] bool is_extended(std::string_view resource);

/// What a pod asks for.
/// Source: Kubernetes, component-helpers/resource, PodRequests.
struct RequestRules {
    /// Containers that name neither ask for this much CPU and memory.
    Quantities otherwise;
    /// Requests of the pod as a whole replace those of its containers.
    bool pod_level = true;
    /// What the status of a container holds counts if it is more: up to 1.36 for each container,
    /// and since 1.37 for the sum of all.
    bool with_status = false;
    SchedulerVersion version = SchedulerVersion::v1_36;
};
[[nodiscard]] Quantities requests_of(const Pod& pod, const RequestRules& rules);

/// What scores assume of containers that name no CPU or memory.
[[nodiscard]] const Quantities& assumed_requests();

/// The amounts of CPU and memory by which nodes are scored, if the pod runs on them.
struct NonZero {
    Quantity cpu = 0;
    Quantity memory = 0;
};
[[nodiscard]] NonZero non_zero_requests(const Pod& pod, SchedulerVersion version);

}  // namespace berth::core::kube
