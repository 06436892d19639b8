#include "schedulers/kube/decide/device_constraints.hpp"

#include <algorithm>
#include <variant>
#include <vector>

namespace berth::core::kube {
namespace {

/// The attribute of a device by its full name, or by the part after the domain if that is the
/// driver.
const Attribute* find_attribute(const Device& device,
                                const std::string& driver,
                                const std::string& name) {
    if (const auto found = device.attributes.find(name); found != device.attributes.end()) {
        return &found->second;
    }
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos || name.substr(0, slash) != driver) {
        return nullptr;
    }
    const auto found = device.attributes.find(name.substr(slash + 1));
    return found == device.attributes.end() ? nullptr : &found->second;
}

}  // namespace

bool ConstraintState::applies_to(const DeviceRequest& request) const {
    const std::vector<std::string>& named = constraint_->requests;
    const auto is_named = [&](const std::string& name) {
        return std::ranges::find(named, name) != named.end();
    };
    return named.empty() || is_named(request.base_name()) ||
           (!request.parent.empty() && is_named(request.full_name()));
}

bool ConstraintState::is_distinct(const Attribute& value) const {
    const bool is_known = !std::holds_alternative<std::monostate>(value);
    return devices_ == 0 || values_.empty() ||
           (is_known && std::ranges::none_of(
                            values_, [&](const auto& other) { return other.second == value; }));
}

bool ConstraintState::add(const DeviceRequest& request,
                          const Device& device,
                          const std::string& driver) {
    if (!applies_to(request)) {
        return true;
    }
    const Attribute* value = find_attribute(device, driver, constraint_->attribute);
    if (value == nullptr) {
        return false;
    }
    if (constraint_->kind == DeviceConstraint::Kind::distinct) {
        if (!is_distinct(*value)) {
            return false;
        }
        values_[request.base_name()] = *value;
    } else if (devices_ == 0) {
        value_ = *value;
    } else if (std::holds_alternative<std::monostate>(*value) || *value != value_) {
        return false;
    }
    ++devices_;
    return true;
}

void ConstraintState::remove(const DeviceRequest& request) {
    if (applies_to(request)) {
        values_.erase(request.base_name());
        --devices_;
    }
}

}  // namespace berth::core::kube
