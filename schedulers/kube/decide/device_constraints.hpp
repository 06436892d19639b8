#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "schedulers/kube/decide/device_objects.hpp"

namespace berth::core::kube {

/// A constraint on an attribute of the devices of a claim, with the devices that are taken so far.
class ConstraintState {
public:
    explicit ConstraintState(const DeviceConstraint& constraint) : constraint_(&constraint) {}

    /// Takes a device for a request. Returns whether the constraint still holds.
    bool add(const DeviceRequest& request, const Device& device, const std::string& driver);
    /// Takes it back.
    void remove(const DeviceRequest& request);

private:
    [[nodiscard]] bool applies_to(const DeviceRequest& request) const;
    [[nodiscard]] bool is_distinct(const Attribute& value) const;

    const DeviceConstraint* constraint_;
    std::int64_t devices_ = 0;
    Attribute value_;  ///< All devices have this value, if the constraint is that they match.
    /// If the constraint is that devices differ, these are their values by request. Kubernetes 1.36
    /// remembers only the last device of each request.
    std::map<std::string, Attribute> values_;
};

}  // namespace berth::core::kube
