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
        bool selected =
            all_hold(of.selectors, slice, device, fmt::format("class {}", of.name)) &&
            all_hold(request.selectors, slice, device, fmt::format("claim {}", claim.full_name()));
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
                               const std::string& whose) {
    for (std::size_t i = 0; i < selectors.size(); ++i) {
        const std::string& text = selectors[i].value();
        try {
            auto expression = expressions_.find(text);
            if (expression == expressions_.end()) {
                expression = expressions_.emplace(text, CelExpression(text)).first;
            }
            auto known = devices_.find(&device);
            if (known == devices_.end()) {
                known = devices_.emplace(&device, cel_device(device, slice.driver)).first;
            }
            if (!expression->second.holds(known->second)) {
                return false;
            }
        } catch (const CelCompileError& error) {
            throw AllocationError(
                fmt::format("{}: selector #{}: CEL compile error: {}", whose, i, error.what()));
        } catch (const CelRuntimeError& error) {
            throw AllocationError(
                fmt::format("{}: selector #{}: CEL runtime error: {}", whose, i, error.what()));
        }
    }
    return true;
}

}  // namespace berth::core::kube
