#include "schedulers/kube/decide/objects.hpp"

namespace berth::core::kube {

bool HostPort::conflicts_with(const HostPort& other) const {
    constexpr const char* all = "0.0.0.0";
    return protocol == other.protocol && port == other.port &&
           (ip == other.ip || ip == all || other.ip == all);
}

bool PodTerm::matches(const std::string& name_space,
                      const Labels& namespace_labels,
                      const Labels& labels) const {
    return (namespaces.contains(name_space) || namespace_selector.matches(namespace_labels)) &&
           pods.matches(labels);
}

bool controls(const PodOwner& owner, const Pod& pod) {
    if (!pod.controller || owner.name_space != pod.name_space ||
        owner.name != pod.controller->name) {
        return false;
    }
    const auto is = [&](const char* api_version, const char* kind) {
        return pod.controller->api_version == api_version && pod.controller->kind == kind;
    };
    switch (owner.kind) {
        case PodOwner::Kind::replication_controller:
            return is("v1", "ReplicationController");
        case PodOwner::Kind::replica_set:
            return is("apps/v1", "ReplicaSet");
        case PodOwner::Kind::stateful_set:
            return is("apps/v1", "StatefulSet");
        case PodOwner::Kind::service:
            return false;
    }
    return false;
}

}  // namespace berth::core::kube
