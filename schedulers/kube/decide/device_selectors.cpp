#include "schedulers/kube/decide/device_selectors.hpp"

#include <fmt/format.h>

#include <optional>
#include <variant>

namespace berth::core::kube {
namespace {

/// The domain of a name, and the rest of it. A name without a domain belongs to the driver.
std::pair<std::string, std::string> split(const std::string& name, const std::string& driver) {
    const std::size_t slash = name.find('/');
    return slash == std::string::npos ? std::pair(driver, name)
                                      : std::pair(name.substr(0, slash), name.substr(slash + 1));
}

CelValue cel_value(const Attribute& attribute) {
    if (const auto* text = std::get_if<std::string>(&attribute)) {
        return CelValue(*text);
    }
    if (const auto* number = std::get_if<std::int64_t>(&attribute)) {
        return CelValue(*number);
    }
    if (const auto* truth = std::get_if<bool>(&attribute)) {
        return CelValue(*truth);
    }
    return CelValue(Version(std::get<VersionText>(attribute).text));
}

CelDevice cel_device(const Device& device, const std::string& driver) {
    CelDevice made;
    made.driver = driver;
    made.allows_multiple_allocations = device.allows_multiple_allocations;
    for (const auto& [name, attribute] : device.attributes) {
        if (std::holds_alternative<std::monostate>(attribute)) {
            made.is_broken = true;
            continue;
        }
        auto [domain, id] = split(name, driver);
        made.attributes[std::move(domain)].insert_or_assign(std::move(id), cel_value(attribute));
    }
    for (const auto& [name, capacity] : device.capacity) {
        auto [domain, id] = split(name, driver);
        made.capacity[std::move(domain)].insert_or_assign(std::move(id),
                                                          CelValue(CelQuantity{capacity.value}));
    }
    return made;
}

}  // namespace

bool SelectorMemory::holds(const std::string& text,
                           const ResourceSlice& slice,
                           const Device& device) {
    auto selector = selectors_.find(text);
    if (selector == selectors_.end()) {
        selector = selectors_.emplace(text, Selector{CelExpression(text), {}}).first;
    }
    auto known = selector->second.holds.find(&device);
    if (known == selector->second.holds.end()) {
        if (last_ != &device) {
            last_device_ = cel_device(device, slice.driver);
            last_ = &device;
        }
        const bool holds = selector->second.expression.holds(last_device_);
        known = selector->second.holds.emplace(&device, holds).first;
    }
    return known->second;
}

bool DeviceSelectors::select(const ResourceClaim& claim,
                             const DeviceRequest& request,
                             const DeviceClass& of,
                             const ResourceSlice& slice,
                             const Device& device) {
    if (!question_.catalog->features.binding_and_status && device.binding_conditions &&
        !device.binding_conditions->empty()) {
        return false;
    }
    const auto [place, is_new] = selected_.try_emplace({&device, &request}, false);
    if (is_new) {
        bool selected = all_hold(of.selectors, slice, device, "class", of.name) &&
                        (request.selectors.empty() ||
                         all_hold(request.selectors, slice, device, "claim", claim.full_name()));
        if (selected && slice.per_device_nodes.value_or(false)) {
            selected = device.nodes.matches(question_.node_name, question_.node_labels);
        }
        place->second = selected;
    }
    return place->second;
}

bool DeviceSelectors::all_hold(const std::vector<std::optional<std::string>>& selectors,
                               const ResourceSlice& slice,
                               const Device& device,
                               std::string_view what,
                               const std::string& name) {
    const auto fail = [&](std::size_t i, std::string_view when, const std::exception& error) {
        throw AllocationError(fmt::format(
            "{} {}: selector #{}: CEL {} error: {}", what, name, i, when, error.what()));
    };
    for (std::size_t i = 0; i < selectors.size(); ++i) {
        try {
            if (!memory_.holds(selectors[i].value(), slice, device)) {
                return false;
            }
        } catch (const CelCompileError& error) {
            fail(i, "compile", error);
        } catch (const CelRuntimeError& error) {
            fail(i, "runtime", error);
        }
    }
    return true;
}

}  // namespace berth::core::kube
