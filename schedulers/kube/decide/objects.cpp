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

}  // namespace berth::core::kube
