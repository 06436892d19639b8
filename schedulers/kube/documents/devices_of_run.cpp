#include "schedulers/kube/documents/devices_of_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "experiments/program/config/document/value_below.hpp"
#include "schedulers/kube/decide/cel.hpp"
#include "schedulers/kube/documents/device_fields.hpp"
#include "schedulers/kube/documents/known_keys.hpp"
#include "schedulers/kube/documents/kube_objects.hpp"

namespace berth::experiments {
namespace {

namespace kube = core::kube;

using core::Value;

/// The search for devices of one node ends after so many steps. kube-scheduler gives it 10 s.
constexpr std::int64_t most_steps = 200'000;

/// A claim that was made for a pod has the name here by which the pod knows it.
constexpr const char* claim_annotation = "resource.kubernetes.io/pod-claim-name";

constexpr std::array<std::string_view, 4> device_kinds{
    "DeviceClass", "ResourceSlice", "ResourceClaim", "ResourceClaimTemplate"};

constexpr KnownKeys expression_keys{"cel", {needed({"expression"})}};
constexpr KnownKeys selector_keys{"a selector of devices", {key_of_map("cel", expression_keys)}};
constexpr KnownKeys class_keys{"the spec of a DeviceClass",
                               {key_of_list("selectors", selector_keys),
                                KnownKey{"config"},
                                KnownKey{"extendedResourceName"}}};

constexpr KnownKeys exact_keys{
    "a request for devices",
    {needed({"deviceClassName"}),
     key_of_list("selectors", selector_keys),
     KnownKey{"allocationMode"},
     KnownKey{
         .name = "count", .below = KnownKey::Below::whole_number, .least = 1, .most = INT32_MAX},
     KnownKey{"adminAccess"},
     KnownKey{"tolerations"},
     KnownKey{"capacity"}}};
constexpr KnownKeys alternative_keys{
    "an entry of firstAvailable",
    {needed({"name"}),
     needed({"deviceClassName"}),
     key_of_list("selectors", selector_keys),
     KnownKey{"allocationMode"},
     KnownKey{
         .name = "count", .below = KnownKey::Below::whole_number, .least = 1, .most = INT32_MAX},
     KnownKey{"tolerations"},
     KnownKey{"capacity"}}};
constexpr KnownKeys request_keys{"a request of a claim",
                                 {needed({"name"}),
                                  key_of_map("exactly", exact_keys),
                                  key_of_list("firstAvailable", alternative_keys)}};
constexpr KnownKeys constraint_keys{
    "a constraint of a claim",
    {KnownKey{"requests"}, KnownKey{"matchAttribute"}, KnownKey{"distinctAttribute"}}};
constexpr KnownKeys devices_keys{"devices of a claim",
                                 {needed(key_of_list("requests", request_keys)),
                                  key_of_list("constraints", constraint_keys),
                                  KnownKey{"config"}}};
constexpr KnownKeys claim_keys{"the spec of a claim",
                               {needed(key_of_map("devices", devices_keys))}};
constexpr KnownKeys template_keys{"the spec of a ResourceClaimTemplate",
                                  {KnownKey{"metadata"}, needed(key_of_map("spec", claim_keys))}};

constexpr KnownKeys device_keys{"a device",
                                {needed({"name"}),
                                 KnownKey{"attributes"},
                                 KnownKey{"capacity"},
                                 KnownKey{"consumesCounters"},
                                 KnownKey{"nodeName"},
                                 KnownKey{"nodeSelector"},
                                 KnownKey{"allNodes"},
                                 KnownKey{"taints"},
                                 KnownKey{"bindsToNode"},
                                 KnownKey{"bindingConditions"},
                                 KnownKey{"bindingFailureConditions"},
                                 KnownKey{"allowMultipleAllocations"},
                                 KnownKey{"nodeAllocatableResourceMappings"}}};
constexpr KnownKeys pool_keys{
    "pool", {needed({"name"}), KnownKey{"generation"}, needed({"resourceSliceCount"})}};
constexpr KnownKeys slice_keys{"the spec of a ResourceSlice",
                               {needed({"driver"}),
                                needed(key_of_map("pool", pool_keys)),
                                KnownKey{"nodeName"},
                                KnownKey{"nodeSelector"},
                                KnownKey{"allNodes"},
                                key_of_list("devices", device_keys),
                                KnownKey{"perDeviceNodeSelection"},
                                KnownKey{"sharedCounters"}}};

const KnownKeys& keys_of(std::string_view kind) {
    return kind == "DeviceClass"     ? class_keys
           : kind == "ResourceSlice" ? slice_keys
           : kind == "ResourceClaim" ? claim_keys
                                     : template_keys;
}

kube::HeldClaim read_held(const RequestField& status) {
    kube::HeldClaim held;
    for (const RequestField& field : status["allocation"]["devices"]["results"].items()) {
        kube::HeldDevice device;
        device.id = {field["driver"].text(), field["pool"].text(), field["device"].text()};
        device.is_shared = field["shareID"].is_present();
        device.is_admin = field["adminAccess"].boolean_or(false);
        device.consumed = read_quantities(field["consumedCapacity"]);
        held.devices.push_back(std::move(device));
    }
    if (const RequestField nodes = status["allocation"]["nodeSelector"]; nodes.is_present()) {
        held.nodes = read_node_terms(nodes);
    }
    held.others = status["reservedFor"].items().size();
    return held;
}

}  // namespace

bool is_about_devices(std::string_view kind) {
    return std::ranges::find(device_kinds, kind) != device_kinds.end();
}

bool DevicesReader::check(std::string_view kind, const Value& object) {
    const std::size_t errors = diagnostics_.error_count();
    const std::string version = text_below(object, {"apiVersion"});
    if (!version.empty() && version != "resource.k8s.io/v1" &&
        version != "resource.k8s.io/v1beta2") {
        diagnostics_.error(object.span,
                           fmt::format("a {} of {}: expected resource.k8s.io/v1, as kubectl get "
                                       "{}s.v1.resource.k8s.io prints it",
                                       kind,
                                       version,
                                       kind));
        return false;
    }
    const Value* spec = stated_below(object, {"spec"});
    if (spec == nullptr) {
        core::expected(object, fmt::format("a {} with a spec", kind), diagnostics_);
        return false;
    }
    check_keys(*spec, keys_of(kind), diagnostics_);
    if (diagnostics_.error_count() == errors) {
        check_selectors(value_below(*spec, {"selectors"}));
        check_requests(kind == "ResourceClaimTemplate" ? value_below(*spec, {"spec"}) : spec);
    }
    return diagnostics_.error_count() == errors;
}

/// Expressions that are wrong are refused, and those that use what is not evaluated here.
void DevicesReader::check_selectors(const Value* list) {
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
        const Value* text = value_below(list->items[i], {"cel", "expression"});
        if (text == nullptr) {
            core::expected(list->items[i], "a selector {cel: {expression: TEXT}}", diagnostics_);
            continue;
        }
        try {
            static_cast<void>(kube::CelExpression(text->text));
        } catch (const kube::CelCompileError& error) {
            diagnostics_.error(text->span,
                               fmt::format("a selector that is no expression in CEL ({}): "
                                           "expected one such as device.driver == \"gpu.x.com\"",
                                           error.what()));
        } catch (const kube::CelUnsupported& error) {
            diagnostics_.error(
                text->span,
                fmt::format("a selector that uses what is not evaluated here ({}): expected "
                            "comparisons of attributes and capacities",
                            error.what()));
        }
    }
}

void DevicesReader::check_requests(const Value* claim) {
    const Value* requests =
        claim != nullptr ? value_below(*claim, {"devices", "requests"}) : nullptr;
    std::set<std::string> names;
    for (std::size_t i = 0; requests != nullptr && i < requests->items.size(); ++i) {
        const Value& request = requests->items[i];
        const Value* exact = stated_below(request, {"exactly"});
        const Value* list = stated_below(request, {"firstAvailable"});
        if ((exact == nullptr) == (list == nullptr)) {
            core::expected(
                request, "exactly, or firstAvailable, in each request of a claim", diagnostics_);
        }
        if (!names.insert(text_below(request, {"name"})).second) {
            core::expected(*value_below(request, {"name"}),
                           "a name that no other request of the claim has",
                           diagnostics_);
        }
        if (exact != nullptr) {
            check_selectors(value_below(*exact, {"selectors"}));
        }
        for (std::size_t k = 0; list != nullptr && k < list->items.size(); ++k) {
            check_selectors(value_below(list->items[k], {"selectors"}));
        }
    }
}

void DevicesReader::read(std::string_view kind,
                         const std::string& name_space,
                         const RequestField& object) {
    if (read_ == nullptr) {
        read_ = std::make_shared<kube::DeviceInventory>();
        read_->catalog.step_limit = most_steps;
    }
    const RequestField metadata = object["metadata"];
    const RequestField spec = object["spec"];
    const kube::ObjectName name(name_space, metadata["name"].text());
    if (kind == "DeviceClass") {
        read_->catalog.classes[name.second] = read_device_class(object);
        extended_ += spec["extendedResourceName"].is_present() ? 1 : 0;
    } else if (kind == "ResourceSlice") {
        read_->catalog.slices.push_back(read_resource_slice(object));
    } else if (kind == "ResourceClaimTemplate") {
        read_->templates[name] = read_resource_claim(metadata, spec["spec"]);
    } else {
        read_->claims[name] = read_resource_claim(metadata, spec);
        if (const RequestField status = object["status"]; status["allocation"].is_present()) {
            kube::HeldClaim& held = read_->held[name] = read_held(status);
            held.made_for = metadata["annotations"][claim_annotation].text_or("");
        }
    }
}

/// kube-scheduler takes no device of a pool that is incomplete, or that names one twice.
void DevicesReader::warn_of_pools(const core::SourceSpan& place) {
    for (const auto& [pool, slices] : kube::slices_of_pools(read_->catalog)) {
        const auto newest = std::ranges::max(slices, {}, &kube::ResourceSlice::generation);
        std::set<std::string> devices;
        std::string twice;
        std::int64_t count = 0;
        for (const kube::ResourceSlice* slice : slices) {
            if (slice->generation != newest->generation) {
                continue;
            }
            ++count;
            for (const kube::Device& device : slice->devices) {
                twice = devices.insert(device.name).second ? twice : device.name;
            }
        }
        const auto warn = [&](const std::string& what, std::string_view instead) {
            diagnostics_.warning(place,
                                 fmt::format("the pool {} of {} {}: kube-scheduler takes none of "
                                             "its devices; expected {}",
                                             pool.second,
                                             pool.first,
                                             what,
                                             instead));
        };
        if (!twice.empty()) {
            warn(fmt::format("names the device {} twice", twice), "each device once");
        } else if (count != newest->slices_in_pool) {
            warn(fmt::format("has {} of {} ResourceSlices", count, newest->slices_in_pool),
                 "as many as its resourceSliceCount");
        }
    }
}

/// What Kubernetes does with devices and is not done here.
void DevicesReader::warn_of_others(const core::SourceSpan& place) {
    if (extended_ > 0) {
        diagnostics_.warning(
            place,
            fmt::format("{} DeviceClass(es) with extendedResourceName, which is not looked at: "
                        "pods that request the resource get it from allocatable of nodes alone; "
                        "expected resourceClaims of pods",
                        extended_));
    }
    std::size_t bound = 0;
    for (const kube::ResourceSlice& slice : read_->catalog.slices) {
        bound += static_cast<std::size_t>(
            std::ranges::count_if(slice.devices, [](const kube::Device& device) {
                return device.binding_conditions && !device.binding_conditions->empty();
            }));
    }
    if (bound > 0) {
        diagnostics_.warning(place,
                             fmt::format("{} device(s) with bindingConditions: pods start at once, "
                                         "as if the conditions were met; expected devices without "
                                         "them where preparing devices takes time",
                                         bound));
    }
}

std::shared_ptr<const kube::DeviceInventory> DevicesReader::finish(const core::SourceSpan& place) {
    if (read_ != nullptr) {
        warn_of_pools(place);
        warn_of_others(place);
    }
    return read_;
}

}  // namespace berth::experiments
