#include "experiments/config/pod_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/group_allocator/group_key.hpp"
#include "experiments/config/fields.hpp"
#include "experiments/requests/device_annotations.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::Diagnostics;
using core::Member;
using core::ResourceSchema;
using core::Value;

constexpr const char* annotations_key = "annotations";
namespace names = core::device_resource;

/// What the ledger counts a device resource as.
bool counts_gpus(std::string_view name) {
    constexpr std::array counting{names::nvidia_gpu, names::gpu, names::gpu_core};
    return std::ranges::find(counting, name) != counting.end();
}

bool is_device_resource(std::string_view name) {
    constexpr std::array others{names::amd_gpu,
                                names::dcu_gpu,
                                names::gpu_shared,
                                names::gpu_memory,
                                names::gpu_memory_ratio,
                                names::npu_core,
                                names::npu_cpu,
                                names::npu_dvpp,
                                names::rdma,
                                names::fpga};
    return counts_gpus(name) || std::ranges::find(others, name) != others.end();
}

/// Whether an entry of a type is about devices alone, and no resource of the schema.
bool is_of_devices(std::string_view key) {
    return key == annotations_key || core::is_group_resource(key) ||
           (is_device_resource(key) && key != names::nvidia_gpu);
}

Amount whole_amount(const Member& member, Diagnostics& diagnostics) {
    const auto parsed = core::parse_quantity(member.value.text, 1);
    if (const auto* amount = std::get_if<Amount>(&parsed); amount && member.value.is_scalar()) {
        return *amount;
    }
    expected(member.value, "a whole number such as 1, or 80Gi of memory", diagnostics);
    return 0;
}

void read_annotations(const Value& value, core::DevicePod& pod, Diagnostics& diagnostics) {
    if (!value.is_map()) {
        expected(value, "annotations by name", diagnostics);
        return;
    }
    Annotations annotations;
    for (const Member& member : value.members) {
        annotations[member.key] = member.value.text;
    }
    try {
        if (const auto refusal = read_device_annotations(annotations, UnknownWords::refused, pod)) {
            diagnostics.error(value.span, refusal->text());
        }
    } catch (const RequestError& error) {
        diagnostics.error(value.span, error.what());
    }
}

/// The GPUs that group resources name one by one.
Amount named_gpus(const core::GroupAmounts& groups) {
    std::set<std::string_view> gpus;
    for (const auto& [name, amount] : groups) {
        const std::size_t at = name.rfind("/gpu/");
        if (at != std::string::npos) {
            gpus.insert(std::string_view(name).substr(0, name.find('/', at + 5)));
        }
    }
    return static_cast<Amount>(gpus.size());
}

/// What the ledger counts, in thousandths of a GPU.
Amount milli_gpus(const core::PodDevices& devices) {
    const auto amount = [&](std::string_view name) {
        const auto found = devices.pod.requests.find(name);
        return found == devices.pod.requests.end() ? Amount{0} : found->second;
    };
    constexpr Amount milli = 1000;
    constexpr Amount milli_a_percent = 10;
    return std::max({std::max(amount(names::nvidia_gpu), named_gpus(devices.groups)) * milli,
                     amount(names::gpu) * milli_a_percent,
                     amount(names::gpu_core) * milli_a_percent});
}

}  // namespace

void PodTypes::add_resources(const Value* types, ResourceSchema& schema) {
    if (types == nullptr || !types->is_map()) {
        return;
    }
    for (const Member& type : types->members) {
        for (const Member& amount : type.value.members) {
            schema.add(is_of_devices(amount.key) ? names::nvidia_gpu : amount.key);
        }
    }
}

PodTypes::PodTypes(const Value* types, const ResourceSchema& schema, Diagnostics& diagnostics)
    : schema_(&schema) {
    if (types == nullptr) {
        return;
    }
    if (!types->is_map()) {
        expected(*types, "types by name, such as {small: {cpu: 1}}", diagnostics);
        return;
    }
    for (const Member& type : types->members) {
        types_[type.key] = read(type.value, diagnostics);
    }
}

PodTypes::Type PodTypes::read(const Value& value, Diagnostics& diagnostics) const {
    Value amounts = value;
    std::erase_if(amounts.members, [](const Member& member) { return is_of_devices(member.key); });
    Type type{value.span, read_amounts(amounts, *schema_, diagnostics), nullptr};
    core::PodDevices devices;
    for (const Member& member : value.members) {
        if (member.key == annotations_key) {
            read_annotations(member.value, devices.pod, diagnostics);
            for (const Member& annotation : member.value.members) {
                devices.text += fmt::format("{}={}\n", annotation.key, annotation.value.text);
            }
            continue;
        }
        const bool group = core::is_group_resource(member.key);
        if (!group && !is_device_resource(member.key)) {
            continue;
        }
        const Amount amount = whole_amount(member, diagnostics);
        devices.text += fmt::format("{}={}\n", member.key, amount);
        if (group) {
            devices.groups[member.key] = amount;
        } else {
            devices.pod.requests[member.key] = amount;
        }
    }
    const auto gpus = schema_->find(names::nvidia_gpu);
    if (!devices.text.empty() && gpus) {
        type.demand[*gpus] = milli_gpus(devices);
    }
    if (!devices.text.empty()) {
        type.devices = std::make_shared<const core::PodDevices>(std::move(devices));
    }
    return type;
}

std::shared_ptr<const core::PodDevices> PodTypes::devices(const std::string& name) const {
    const auto known = types_.find(name);
    return known == types_.end() ? nullptr : known->second.devices;
}

void PodTypes::check_devices(const sim::Profile& profile, Diagnostics& diagnostics) const {
    for (const auto& [name, type] : types_) {
        if (type.devices == nullptr) {
            continue;
        }
        const core::PodDevices& devices = *type.devices;
        const bool groups = !devices.groups.empty();
        const bool by_number = devices.pod.requests.size() == 1 && devices.gpu_count() > 0;
        const bool shares = std::ranges::any_of(devices.pod.requests, [](const auto& request) {
            return request.first != names::nvidia_gpu && request.first != names::rdma;
        });
        if (!profile.devices) {
            if (groups || !by_number) {
                diagnostics.error(type.span,
                                  fmt::format("type '{}' asks for devices, and nobody allocates "
                                              "any: expected reserve: [device-allocator], "
                                              "[group-allocator] or [first-fit] in the profile",
                                              name));
            }
            continue;
        }
        const bool joint = profile.devices->allocator == "device-allocator";
        if (joint ? groups : shares) {
            diagnostics.error(
                type.span,
                fmt::format("type '{}' asks for {}: expected reserve: [{}]",
                            name,
                            groups ? "group resources" : "shares of GPUs or other devices",
                            groups ? "group-allocator" : "device-allocator"));
            continue;
        }
        if (joint) {
            const auto request =
                core::translate(devices.pod,
                                profile.devices->rules.published ? core::published_rules()
                                                                 : core::documented_rules());
            if (const auto* refusal = std::get_if<core::DeviceRefusal>(&request)) {
                diagnostics.error(type.span,
                                  fmt::format("type '{}': {}: expected one of the combinations of "
                                              "docs/formats/allocate.md",
                                              name,
                                              refusal->text()));
            }
        }
    }
}

std::vector<Amount> PodTypes::demand(const Value& name, Diagnostics& diagnostics) const {
    if (const auto known = types_.find(name.text); known != types_.end()) {
        return known->second.demand;
    }
    std::vector<Amount> demand(schema_->size(), 0);
    const std::size_t dash = name.text.rfind('-');
    const std::size_t times = name.text.find('x', dash == std::string::npos ? 0 : dash);
    const auto cpu = schema_->find("cpu");
    const auto memory = schema_->find("memory");
    if (dash != std::string::npos && times != std::string::npos && cpu) {
        const auto cpus = core::parse_quantity(name.text.substr(dash + 1, times - dash - 1), 1000);
        const auto bytes = core::parse_quantity(name.text.substr(times + 1) + "Gi", 1);
        if (std::holds_alternative<Amount>(cpus) && std::holds_alternative<Amount>(bytes)) {
            demand[*cpu] = std::get<Amount>(cpus);
            if (memory) {
                demand[*memory] = std::get<Amount>(bytes);
            }
            return demand;
        }
    }
    std::vector<std::string> names;
    for (const auto& [type, what] : types_) {
        names.push_back(type);
    }
    diagnostics.error(
        name.span,
        fmt::format("unknown type '{}': expected {}{}",
                    name.text,
                    names.empty() ? "one that spec.types names" : core::alternatives(names),
                    core::suggestion(name.text, names)));
    return demand;
}

}  // namespace berth::experiments
