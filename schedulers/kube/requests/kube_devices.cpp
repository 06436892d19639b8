#include "schedulers/kube/requests/kube_devices.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "experiments/program/support/json_writer.hpp"
#include "experiments/program/support/request_field.hpp"
#include "schedulers/kube/decide/cel.hpp"
#include "schedulers/kube/decide/device_allocator.hpp"
#include "schedulers/kube/documents/device_fields.hpp"
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
        read.exclusive.insert(read_device_id(device));
    }
    for (const RequestField& device : request["allocatedShared"].items()) {
        ++read.shared[read_device_id(device)];
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

/// A question with what it asks about.
struct OwnQuestion {
    kube::DeviceCatalog catalog;
    kube::AllocatedDevices allocated;
    kube::DeviceQuestion question;
};

std::unique_ptr<OwnQuestion> read_question(const RequestField& request) {
    constexpr std::size_t most_claims = 32;
    constexpr std::int64_t steps = 2'000'000;
    auto own = std::make_unique<OwnQuestion>();
    kube::DeviceQuestion& read = own->question;
    read.catalog = &own->catalog;
    read.allocated = &own->allocated;
    const RequestField metadata = request["node"]["metadata"];
    read.node_name = metadata["name"].text();
    read.node_labels = metadata["labels"].labels();
    for (const RequestField& claim : items_up_to(request["claims"], most_claims)) {
        read.claims.push_back(read_resource_claim(claim["metadata"], claim["spec"]));
    }
    for (const RequestField& field : request["classes"].items()) {
        kube::DeviceClass made = read_device_class(field);
        own->catalog.classes.insert_or_assign(made.name, made);
    }
    for (const RequestField& slice : request["slices"].items()) {
        own->catalog.slices.push_back(read_resource_slice(slice));
    }
    own->allocated = read_allocated(request);
    own->catalog.features = read_features(request["features"]);
    own->catalog.step_limit = request["stepLimit"].whole_or(steps, 1);
    return own;
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
        write_device(taken, question.claims[claim], claim_json, question.catalog->features, out);
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
    const std::unique_ptr<OwnQuestion> own = read_question(RequestField(request));
    const kube::DeviceQuestion& question = own->question;
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
