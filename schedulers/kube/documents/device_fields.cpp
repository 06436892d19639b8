#include "schedulers/kube/documents/device_fields.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "experiments/program/support/node_rule_fields.hpp"
#include "schedulers/kube/decide/cel.hpp"
#include "schedulers/kube/documents/kube_objects.hpp"

namespace berth::experiments {
namespace {

namespace kube = core::kube;

std::vector<std::optional<std::string>> read_selectors(const RequestField& list) {
    std::vector<std::optional<std::string>> read;
    for (const RequestField& selector : list.items()) {
        const RequestField cel = selector["cel"];
        read.push_back(cel.is_present() ? std::optional(cel["expression"].text()) : std::nullopt);
    }
    return read;
}

kube::DeviceRequest read_device_request(const RequestField& field, std::string name) {
    kube::DeviceRequest read;
    read.name = std::move(name);
    read.class_name = field["deviceClassName"].text_or("");
    read.selectors = read_selectors(field["selectors"]);
    if (std::string mode = field["allocationMode"].text_or(""); !mode.empty()) {
        read.mode = std::move(mode);
    }
    read.count = field["count"].whole_or(1, 0, INT32_MAX);
    if (const RequestField admin = field["adminAccess"]; admin.is_present()) {
        read.admin_access = admin.boolean_or(false);
    }
    if (const RequestField capacity = field["capacity"]; capacity.is_present()) {
        read.capacity = read_quantities(capacity["requests"]);
    }
    read.tolerations = read_tolerations(field["tolerations"]);
    return read;
}

kube::ResourceClaim::Request read_claim_request(const RequestField& field) {
    constexpr std::size_t most_alternatives = 8;
    kube::ResourceClaim::Request read;
    read.name = field["name"].text();
    for (const RequestField& one : items_up_to(field["firstAvailable"], most_alternatives)) {
        read.alternatives.push_back(read_device_request(one, one["name"].text()));
        read.alternatives.back().parent = read.name;
        read.has_alternatives = true;
    }
    if (!read.has_alternatives) {
        read.alternatives.push_back(read_device_request(field["exactly"], read.name));
    }
    return read;
}

kube::DeviceConstraint read_constraint(const RequestField& field) {
    using Kind = kube::DeviceConstraint::Kind;
    kube::DeviceConstraint read;
    read.requests = field["requests"].texts();
    for (const auto& [key, kind] : {std::pair("matchAttribute", Kind::match),
                                    std::pair("distinctAttribute", Kind::distinct)}) {
        const RequestField attribute = field[key];
        if (attribute.is_present() && read.kind == Kind::unknown) {
            read.kind = kind;
            read.attribute = attribute.text();
        }
    }
    return read;
}

kube::NodeChoice read_node_choice(const RequestField& field) {
    kube::NodeChoice read;
    if (const RequestField name = field["nodeName"]; name.is_present()) {
        read.node_name = name.text();
    }
    read.all_nodes = field["allNodes"].boolean_or(false);
    if (const RequestField selector = field["nodeSelector"]; selector.is_present()) {
        read.selector = read_node_terms(selector);
    }
    return read;
}

std::optional<core::Quantity> read_optional(const RequestField& field) {
    return field.is_present() ? std::optional(read_quantity(field)) : std::nullopt;
}

kube::CapacityPolicy read_policy(const RequestField& field) {
    kube::CapacityPolicy read;
    read.otherwise = read_optional(field["default"]);
    if (const RequestField range = field["validRange"]; range.is_present()) {
        const RequestField step = range["step"];
        read.range = {
            read_optional(range["min"]), read_optional(range["max"]), read_optional(step)};
        if (read.range->step && *read.range->step <= 0) {
            step.fail("more than 0");
        }
    }
    if (const RequestField values = field["validValues"]; values.is_present()) {
        read.values.emplace();
        for (const RequestField& value : values.items()) {
            read.values->push_back(read_quantity(value));
        }
    }
    return read;
}

kube::Attribute read_attribute(const RequestField& field) {
    if (const RequestField text = field["string"]; text.is_present()) {
        return text.text();
    }
    if (const RequestField number = field["int"]; number.is_present()) {
        return number.whole(INT64_MIN);
    }
    if (const RequestField truth = field["bool"]; truth.is_present()) {
        return truth.boolean_or(false);
    }
    if (const RequestField version = field["version"]; version.is_present()) {
        try {
            static_cast<void>(kube::Version(version.text()));
        } catch (const kube::CelRuntimeError&) {
            version.fail("a semantic version such as 1.2.3");
        }
        return kube::VersionText{version.text()};
    }
    return std::monostate{};
}

kube::Device read_device(const RequestField& field) {
    kube::Device read;
    read.name = field["name"].text();
    for (const auto& [name, attribute] : field["attributes"].entries()) {
        read.attributes[name] = read_attribute(attribute);
    }
    for (const auto& [name, capacity] : field["capacity"].entries()) {
        kube::Capacity& own = read.capacity[name];
        own.value = read_quantity(capacity["value"]);
        if (const RequestField policy = capacity["requestPolicy"]; policy.is_present()) {
            own.policy = read_policy(policy);
        }
    }
    read.allows_multiple_allocations = field["allowMultipleAllocations"].boolean_or(false);
    for (const RequestField& consumed : field["consumesCounters"].items()) {
        const std::string set = consumed["counterSet"].text();
        for (const auto& [name, counter] : consumed["counters"].entries()) {
            read.consumes[{set, name}] += read_quantity(counter["value"]);
        }
    }
    read.taints = read_taints(field["taints"]);
    read.nodes = read_node_choice(field);
    read.binds_to_node = field["bindsToNode"].boolean_or(false);
    if (const RequestField conditions = field["bindingConditions"]; conditions.is_present()) {
        read.binding_conditions = conditions.texts();
    }
    read.binding_failure_conditions = field["bindingFailureConditions"].texts();
    return read;
}

}  // namespace

std::vector<RequestField> items_up_to(const RequestField& list, std::size_t most) {
    std::vector<RequestField> items = list.items();
    if (items.size() > most) {
        throw RequestError(fmt::format(
            "{} has {} entries: expected at most {}", list.place(), items.size(), most));
    }
    return items;
}

kube::DeviceClass read_device_class(const RequestField& field) {
    kube::DeviceClass read;
    read.name = field["metadata"]["name"].text();
    read.selectors = read_selectors(field["spec"]["selectors"]);
    for (const RequestField& selector : field["spec"]["selectors"].items()) {
        static_cast<void>(selector["cel"]["expression"].text());
    }
    read.configurations = field["spec"]["config"].items().size();
    return read;
}

kube::ResourceClaim read_resource_claim(const RequestField& metadata, const RequestField& spec) {
    constexpr std::size_t most_requests = 32;
    kube::ResourceClaim read;
    read.name = metadata["name"].text();
    read.name_space = metadata["namespace"].text_or("");
    const RequestField devices = spec["devices"];
    for (const RequestField& request : items_up_to(devices["requests"], most_requests)) {
        read.requests.push_back(read_claim_request(request));
    }
    for (const RequestField& constraint : devices["constraints"].items()) {
        read.constraints.push_back(read_constraint(constraint));
    }
    for (const RequestField& configuration : devices["config"].items()) {
        read.configurations.push_back(configuration["requests"].texts());
    }
    return read;
}

kube::ResourceSlice read_resource_slice(const RequestField& field) {
    kube::ResourceSlice read;
    const RequestField spec = field["spec"];
    read.name = field["metadata"]["name"].text();
    read.driver = spec["driver"].text();
    read.pool = spec["pool"]["name"].text();
    read.generation = spec["pool"]["generation"].whole_or(0, INT64_MIN);
    read.slices_in_pool = spec["pool"]["resourceSliceCount"].whole(INT64_MIN);
    read.nodes = read_node_choice(spec);
    if (const RequestField own = spec["perDeviceNodeSelection"]; own.is_present()) {
        read.per_device_nodes = own.boolean_or(false);
    }
    for (const RequestField& set : spec["sharedCounters"].items()) {
        std::map<std::string, core::Quantity> counters;
        for (const auto& [name, counter] : set["counters"].entries()) {
            counters[name] = read_quantity(counter["value"]);
        }
        read.counter_sets.emplace_back(set["name"].text(), std::move(counters));
    }
    for (const RequestField& device : spec["devices"].items()) {
        read.devices.push_back(read_device(device));
    }
    return read;
}

}  // namespace berth::experiments
