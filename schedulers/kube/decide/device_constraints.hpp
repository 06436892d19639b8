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
    Attribute value_;  ///< Of all devices, for a constraint that they match.
    /// By request, for a constraint that they differ. Kubernetes 1.36 remembers only the last
    /// device of each request.
    std::map<std::string, Attribute> values_;
};

}  // namespace berth::core::kube
