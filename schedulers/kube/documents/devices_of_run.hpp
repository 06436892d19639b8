#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/support/request_field.hpp"
#include "schedulers/kube/decide/device_claims.hpp"

namespace berth::experiments {

/// Whether objects of this kind are about devices.
[[nodiscard]] bool is_about_devices(std::string_view kind);

/// Reads DeviceClasses, ResourceSlices, ResourceClaims and ResourceClaimTemplates, one by one.
class DevicesReader {
public:
    explicit DevicesReader(core::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    /// Checks the keys and the selectors of an object as an API server does.
    /// Returns: whether it is sound. Errors: recorded at their places.
    [[nodiscard]] bool check(std::string_view kind, const core::Value& object);
    /// Reads an object that is sound. Errors: RequestError.
    void read(std::string_view kind, const std::string& name_space, const RequestField& object);
    /// Returns what was read; nullptr if no object was read. It warns of pools of which no device
    /// can be used, and of what is not done here.
    [[nodiscard]] std::shared_ptr<const core::kube::DeviceInventory> finish(
        const core::SourceSpan& place);

private:
    void check_selectors(const core::Value* list);
    void check_requests(const core::Value* claim);
    void warn_of_pools(const core::SourceSpan& place);
    void warn_of_others(const core::SourceSpan& place);

    core::Diagnostics& diagnostics_;
    std::shared_ptr<core::kube::DeviceInventory> read_;
    std::size_t extended_ = 0;  ///< How many DeviceClasses stand for an extended resource.
};

}  // namespace berth::experiments
