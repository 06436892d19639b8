#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
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

/// Expressions that were parsed, and for which devices they hold. The devices must outlive it.
/// Memory: one entry for each pair of a selector and a device that a search has asked about.
class SelectorMemory {
public:
    /// Whether the expression `text` holds for a device.
    /// Errors: CelCompileError, CelRuntimeError, CelUnsupported.
    [[nodiscard]] bool holds(const std::string& text,
                             const ResourceSlice& slice,
                             const Device& device);

private:
    struct Selector {
        CelExpression expression;
        std::unordered_map<const Device*, bool> holds;
    };
    std::unordered_map<std::string, Selector> selectors_;
    const Device* last_ = nullptr;  ///< The device of which last_device_ was made.
    CelDevice last_device_;
};

/// Which devices a request may take, by the selectors of its class and its own. Each pair of a
/// device and a request is asked once.
class DeviceSelectors {
public:
    explicit DeviceSelectors(const DeviceQuestion& question)
        : question_(question), memory_(question.memory != nullptr ? *question.memory : own_) {}
    DeviceSelectors(const DeviceSelectors&) = delete;
    DeviceSelectors& operator=(const DeviceSelectors&) = delete;
    DeviceSelectors(DeviceSelectors&&) = delete;
    DeviceSelectors& operator=(DeviceSelectors&&) = delete;
    ~DeviceSelectors() = default;

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
                                std::string_view what,
                                const std::string& name);

    const DeviceQuestion& question_;
    SelectorMemory own_;
    SelectorMemory& memory_;
    std::map<std::pair<const Device*, const DeviceRequest*>, bool> selected_;
};

}  // namespace berth::core::kube
