#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/cel.hpp"
#include "schedulers/kube/decide/device_objects.hpp"

namespace berth::core::kube {

/// Why an allocation fails. One that is not fatal concerns only this node.
struct AllocationError : std::runtime_error {
    explicit AllocationError(const std::string& message, bool fatal = true)
        : std::runtime_error(message), is_fatal(fatal) {}
    bool is_fatal;
};

/// Which devices a request may take, by the selectors of its class and its own. Each pair of a
/// device and a request is asked once.
class DeviceSelectors {
public:
    explicit DeviceSelectors(const DeviceQuestion& question) : question_(question) {}

    /// Errors: AllocationError for an expression that is wrong or fails; CelUnsupported.
    [[nodiscard]] bool select(const ResourceClaim& claim,
                              const DeviceRequest& request,
                              const DeviceClass& of,
                              const ResourceSlice& slice,
                              const Device& device);

private:
    [[nodiscard]] bool all_hold(const std::vector<std::optional<std::string>>& selectors,
                                const ResourceSlice& slice,
                                const Device& device,
                                const std::string& whose);

    const DeviceQuestion& question_;
    std::unordered_map<std::string, CelExpression> expressions_;
    std::map<const Device*, CelDevice> devices_;
    std::map<std::pair<const Device*, const DeviceRequest*>, bool> selected_;
};

}  // namespace berth::core::kube
