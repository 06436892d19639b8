#include "schedulers/kube/requests/kube_devices.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>

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
                      const Json& request,
                      std::size_t claim) {
    const Json* list = nullptr;
    if (configuration.class_name.empty()) {
        list = &request["claims"][claim]["spec"]["devices"]["config"];
    } else {
        for (const Json& one : request["classes"]) {
            if (one["metadata"]["name"] == configuration.class_name) {
                list = &one["spec"]["config"];
            }
        }
    }
    Json answer = (*list)[configuration.index];
    answer["source"] = configuration.class_name.empty() ? "FromClaim" : "FromClass";
    answer["requests"] = configuration.requests;
    return answer;
}

Json conditions_of(const std::vector<core::LabelExpression>& conditions) {
    constexpr std::array operators{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
    Json list = Json::array();
    for (const core::LabelExpression& condition : conditions) {
        Json one{{"key", condition.key},
                 {"operator", operators[static_cast<std::size_t>(condition.op)]}};
        if (!condition.values.empty()) {
            one["values"] = condition.values;
        }
        list.push_back(std::move(one));
    }
    return list;
}

Json device_of(const kube::TakenDevice& taken,
               const kube::ResourceClaim& claim,
               const Json& claim_json,
               const kube::DeviceFeatures& features) {
    const kube::ResourceClaim::Request& asked = claim.requests[taken.request];
    const kube::DeviceRequest& request = asked.alternatives[taken.alternative];
    const kube::Device& device = *taken.device;
    Json answer{{"request", request.full_name()},
                {"driver", taken.slice->driver},
                {"pool", taken.slice->pool},
                {"device", device.name}};
    if (request.is_admin()) {
        answer["adminAccess"] = true;
    }
    if (!request.tolerations.empty()) {
        const Json& json = claim_json["spec"]["devices"]["requests"][taken.request];
        answer["tolerations"] = asked.has_alternatives
                                    ? json["firstAvailable"][taken.alternative]["tolerations"]
                                    : json["exactly"]["tolerations"];
    }
    if (taken.is_shared) {
        answer["shareID"] = "share";
    }
    for (const auto& [name, amount] : taken.consumed) {
        answer["consumedCapacity"][name] = quantity_of(amount);
    }
    if (features.binding_and_status) {
        if (device.binding_conditions && !device.binding_conditions->empty()) {
            answer["bindingConditions"] = *device.binding_conditions;
        }
        if (!device.binding_failure_conditions.empty()) {
            answer["bindingFailureConditions"] = device.binding_failure_conditions;
        }
    }
    return answer;
}

Json claim_of(const kube::ClaimAllocation& allocation,
              const kube::DeviceQuestion& question,
              const Json& request,
              std::size_t claim) {
    Json answer;
    Json& results = answer["devices"]["results"] = Json::array();
    for (const kube::TakenDevice& taken : allocation.devices) {
        results.push_back(device_of(
            taken, question.claims[claim], request["claims"][claim], question.catalog->features));
    }
    for (const kube::DeviceConfiguration& configuration : allocation.configurations) {
        answer["devices"]["config"].push_back(configuration_of(configuration, request, claim));
    }
    if (allocation.nodes) {
        Json term = Json::object();
        if (!allocation.nodes->fields.empty()) {
            term["matchFields"] = conditions_of(allocation.nodes->fields);
        }
        if (!allocation.nodes->expressions.empty()) {
            term["matchExpressions"] = conditions_of(allocation.nodes->expressions);
        }
        answer["nodeSelector"]["nodeSelectorTerms"].push_back(std::move(term));
    }
    return answer;
}

}  // namespace

Json answer_kube_devices(const Json& request) {
    const std::unique_ptr<OwnQuestion> own = read_question(RequestField(request));
    const kube::DeviceQuestion& question = own->question;
    kube::DeviceAllocation allocation;
    try {
        allocation = kube::allocate_devices(question);
    } catch (const kube::CelUnsupported& error) {
        throw RequestError(
            fmt::format("a selector of devices uses what berth lacks: {}", error.what()));
    }
    Json answer;
    if (allocation.claims) {
        Json& results = answer["results"] = Json::array();
        for (std::size_t claim = 0; claim < allocation.claims->size(); ++claim) {
            results.push_back(claim_of((*allocation.claims)[claim], question, request, claim));
        }
    } else {
        answer["results"] = nullptr;
    }
    answer["error"] = allocation.error.empty() ? Json() : Json(allocation.error);
    answer["fatal"] = allocation.is_fatal;
    if (allocation.is_stopped) {
        answer["stopped"] = true;
    }
    answer["allocateOne"] = allocation.steps;
    return answer;
}

}  // namespace berth::experiments
