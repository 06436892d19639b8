#include "schedulers/kube/requests/kube_devices.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "experiments/program/support/json_writer.hpp"
#include "experiments/program/support/node_rule_fields.hpp"
#include "experiments/program/support/request_field.hpp"
#include "schedulers/kube/decide/cel.hpp"
#include "schedulers/kube/decide/device_allocator.hpp"
#include "schedulers/kube/documents/kube_objects.hpp"

namespace berth::experiments {
namespace {

namespace kube = core::kube;

kube::DeviceId read_device_id(const RequestField& field) {
    const std::vector<RequestField> parts = field.items();
    if (parts.size() < 3) {
        field.fail("a driver, a pool and a device");
    }
    return {parts[0].text(), parts[1].text(), parts[2].text()};
}

kube::AllocatedDevices read_allocated(const RequestField& request) {
    kube::AllocatedDevices read;
    for (const RequestField& device : request["allocatedDevices"].items()) {
        read.exclusive.push_back(read_device_id(device));
    }
    for (const RequestField& device : request["allocatedShared"].items()) {
        read.shared.push_back(read_device_id(device));
    }
    for (const RequestField& device : request["aggregatedCapacity"].items()) {
        const std::vector<RequestField> parts = device.items();
        if (parts.size() != 4) {
            device.fail("a driver, a pool, a device and its consumed capacity");
        }
        read.consumed[read_device_id(device)] = read_quantities(parts[3]);
    }
    return read;
}

kube::DeviceFeatures read_features(const RequestField& field) {
    kube::DeviceFeatures read;
    const bool otherwise = !field.is_present();
    const std::array<std::pair<const char*, bool*>, 6> features{
        {{"AdminAccess", &read.admin_access},
         {"PrioritizedList", &read.prioritized_list},
         {"PartitionableDevices", &read.partitionable_devices},
         {"DeviceTaints", &read.device_taints},
         {"DeviceBindingAndStatus", &read.binding_and_status},
         {"ConsumableCapacity", &read.consumable_capacity}}};
    for (const auto& [name, feature] : features) {
        *feature = field[name].boolean_or(otherwise);
    }
    return read;
}

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

/// Reads at most as many entries as Kubernetes accepts.
std::vector<RequestField> items_of(const RequestField& list, std::size_t most) {
    std::vector<RequestField> items = list.items();
    if (items.size() > most) {
        throw RequestError(fmt::format(
            "{} has {} entries: expected at most {}", list.place(), items.size(), most));
    }
    return items;
}

kube::ResourceClaim::Request read_claim_request(const RequestField& field) {
    constexpr std::size_t most_alternatives = 8;
    kube::ResourceClaim::Request read;
    read.name = field["name"].text();
    for (const RequestField& one : items_of(field["firstAvailable"], most_alternatives)) {
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

kube::ResourceClaim read_claim(const RequestField& field) {
    constexpr std::size_t most_requests = 32;
    kube::ResourceClaim read;
    read.name = field["metadata"]["name"].text();
    read.name_space = field["metadata"]["namespace"].text_or("");
    const RequestField devices = field["spec"]["devices"];
    for (const RequestField& request : items_of(devices["requests"], most_requests)) {
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

kube::ResourceSlice read_slice(const RequestField& field) {
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

kube::DeviceQuestion read_question(const RequestField& request) {
    constexpr std::size_t most_claims = 32;
    constexpr std::int64_t steps = 2'000'000;
    kube::DeviceQuestion read;
    const RequestField metadata = request["node"]["metadata"];
    read.node_name = metadata["name"].text();
    read.node_labels = metadata["labels"].labels();
    for (const RequestField& claim : items_of(request["claims"], most_claims)) {
        read.claims.push_back(read_claim(claim));
    }
    for (const RequestField& field : request["classes"].items()) {
        kube::DeviceClass made;
        made.name = field["metadata"]["name"].text();
        made.selectors = read_selectors(field["spec"]["selectors"]);
        for (const RequestField& selector : field["spec"]["selectors"].items()) {
            static_cast<void>(selector["cel"]["expression"].text());
        }
        made.configurations = field["spec"]["config"].items().size();
        read.classes.insert_or_assign(made.name, made);
    }
    for (const RequestField& slice : request["slices"].items()) {
        read.slices.push_back(read_slice(slice));
    }
    read.allocated = read_allocated(request);
    read.features = read_features(request["features"]);
    read.step_limit = request["stepLimit"].whole_or(steps, 1);
    return read;
}

/// An amount as Kubernetes writes quantities: with a binary suffix if it is a multiple of one.
std::string quantity_of(core::Quantity quantity) {
    constexpr core::Quantity kibi = core::Quantity{1024} * 1'000'000'000;
    if (quantity != 0 && quantity % kibi == 0) {
        return core::canonical_quantity(
            fmt::format("{}Ki", static_cast<std::int64_t>(quantity / kibi)));
    }
    return core::format_quantity("", quantity);
}

/// A configuration as its class or its claim has it, with the requests for which it counts.
Json configuration_of(const kube::DeviceConfiguration& configuration,
                      const RequestValue& request,
                      const RequestValue& claim) {
    RequestValue list = claim["spec"]["devices"]["config"];
    if (!configuration.class_name.empty()) {
        for (const RequestValue& one : request["classes"].items()) {
            if (one["metadata"]["name"] == configuration.class_name) {
                list = one["spec"]["config"];
            }
        }
    }
    Json answer = list.item(configuration.index).json();
    answer["source"] = configuration.class_name.empty() ? "FromClaim" : "FromClass";
    answer["requests"] = configuration.requests;
    return answer;
}

void write_conditions(const char* key,
                      const std::vector<core::LabelExpression>& conditions,
                      JsonWriter& out) {
    constexpr std::array operators{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
    if (conditions.empty()) {
        return;
    }
    out.key(key);
    out.begin_list();
    for (const core::LabelExpression& condition : conditions) {
        out.begin_map();
        out.member("key", condition.key);
        out.member("operator", operators[static_cast<std::size_t>(condition.op)]);
        if (!condition.values.empty()) {
            out.member("values", condition.values);
        }
        out.end_map();
    }
    out.end_list();
}

void write_device(const kube::TakenDevice& taken,
                  const kube::ResourceClaim& claim,
                  const RequestValue& claim_json,
                  const kube::DeviceFeatures& features,
                  JsonWriter& out) {
    const kube::ResourceClaim::Request& asked = claim.requests[taken.request];
    const kube::DeviceRequest& request = asked.alternatives[taken.alternative];
    const kube::Device& device = *taken.device;
    out.begin_map();
    out.member("request", request.full_name());
    out.member("driver", taken.slice->driver);
    out.member("pool", taken.slice->pool);
    out.member("device", device.name);
    if (request.is_admin()) {
        out.member("adminAccess", true);
    }
    if (!request.tolerations.empty()) {
        const RequestValue json = claim_json["spec"]["devices"]["requests"].item(taken.request);
        const RequestValue exact = asked.has_alternatives
                                       ? json["firstAvailable"].item(taken.alternative)
                                       : json["exactly"];
        out.member("tolerations", exact["tolerations"].json());
    }
    if (taken.is_shared) {
        out.member("shareID", "share");
    }
    if (!taken.consumed.empty()) {
        out.key("consumedCapacity");
        out.begin_map();
        for (const auto& [name, amount] : taken.consumed) {
            out.member(name, quantity_of(amount));
        }
        out.end_map();
    }
    if (features.binding_and_status) {
        if (device.binding_conditions && !device.binding_conditions->empty()) {
            out.member("bindingConditions", *device.binding_conditions);
        }
        if (!device.binding_failure_conditions.empty()) {
            out.member("bindingFailureConditions", device.binding_failure_conditions);
        }
    }
    out.end_map();
}

void write_claim(const kube::ClaimAllocation& allocation,
                 const kube::DeviceQuestion& question,
                 const RequestValue& request,
                 std::size_t claim,
                 JsonWriter& out) {
    const RequestValue claim_json = request["claims"].item(claim);
    out.begin_map();
    out.key("devices");
    out.begin_map();
    out.key("results");
    out.begin_list();
    for (const kube::TakenDevice& taken : allocation.devices) {
        write_device(taken, question.claims[claim], claim_json, question.features, out);
    }
    out.end_list();
    if (!allocation.configurations.empty()) {
        out.key("config");
        out.begin_list();
        for (const kube::DeviceConfiguration& configuration : allocation.configurations) {
            out.value(configuration_of(configuration, request, claim_json));
        }
        out.end_list();
    }
    out.end_map();
    if (allocation.nodes) {
        out.key("nodeSelector");
        out.begin_map();
        out.key("nodeSelectorTerms");
        out.begin_list();
        out.begin_map();
        write_conditions("matchFields", allocation.nodes->fields, out);
        write_conditions("matchExpressions", allocation.nodes->expressions, out);
        out.end_map();
        out.end_list();
        out.end_map();
    }
    out.end_map();
}

}  // namespace

std::string answer_kube_devices(const RequestValue& request) {
    const kube::DeviceQuestion question = read_question(RequestField(request));
    kube::DeviceAllocation allocation;
    try {
        allocation = kube::allocate_devices(question);
    } catch (const kube::CelUnsupported& error) {
        throw RequestError(
            fmt::format("a selector of devices uses what berth lacks: {}", error.what()));
    }
    JsonWriter out;
    out.begin_map();
    out.key("results");
    if (allocation.claims) {
        out.begin_list();
        for (std::size_t claim = 0; claim < allocation.claims->size(); ++claim) {
            write_claim((*allocation.claims)[claim], question, request, claim, out);
        }
        out.end_list();
    } else {
        out.value(Json());
    }
    out.member("error", allocation.error.empty() ? Json() : Json(allocation.error));
    out.member("fatal", allocation.is_fatal);
    if (allocation.is_stopped) {
        out.member("stopped", true);
    }
    out.member("allocateOne", allocation.steps);
    out.end_map();
    return out.take();
}

}  // namespace berth::experiments
