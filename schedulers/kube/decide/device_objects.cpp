#include "schedulers/kube/decide/device_objects.hpp"

namespace berth::core::kube {

bool NodeChoice::matches(const std::string& name, const Labels& labels) const {
    if (node_name && !node_name->empty()) {
        return *node_name == name;
    }
    return all_nodes || (selector && kube::matches(*selector, labels, name));
}

}  // namespace berth::core::kube
