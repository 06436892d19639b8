#include "experiments/program/config/workload/pod_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <variant>

#include "core/group_allocator/group_key.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/workload/device_annotations.hpp"
#include "experiments/program/config/workload/pod_requests.hpp"
#include "experiments/program/config/workload/read_checkpoint.hpp"
#include "topologies/machine_types.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::Diagnostics;
using core::Member;
using core::ResourceSchema;
using core::Value;

constexpr const char* annotations_key = "annotations";
constexpr const char* candidates_key = "candidates";
namespace names = core::device_resource;

/// Thousandths of a GPU in one unit of a resource, if the ledger counts it; otherwise 0.
Amount milli_gpus_each(std::string_view name) {
    const bool whole =
        name == names::nvidia_gpu || name == names::amd_gpu || name == names::dcu_gpu;
    const bool percent = name == names::gpu || name == names::gpu_core;
    return whole ? 1000 : percent ? 10 : 0;
}

bool is_device_resource(std::string_view name) {
    constexpr std::array others{names::gpu_shared,
                                names::gpu_memory,
                                names::gpu_memory_ratio,
                                names::npu_core,
                                names::npu_cpu,
                                names::npu_dvpp,
                                names::rdma,
                                names::fpga};
    return milli_gpus_each(name) > 0 || std::ranges::find(others, name) != others.end();
}

/// Whether a resource is whole GPUs, which a cluster may only count, or which an allocator may know
/// one by one.
bool is_whole_gpus(std::string_view name) {
    return milli_gpus_each(name) == core::gpu_whole_milli;
}

/// Whether an entry of a type concerns only devices, and no resource of the schema.
bool is_of_devices(std::string_view key, const ResourceSchema& schema) {
    return key == annotations_key || core::is_group_resource(key) ||
           (is_device_resource(key) && key != names::nvidia_gpu &&
            !(is_whole_gpus(key) && schema.find(key)));
}

/// Whether an entry of a type is a request to a device allocator.
bool is_request(std::string_view key, const ResourceSchema& schema) {
    return core::is_group_resource(key) || key == names::nvidia_gpu ||
           (is_device_resource(key) && is_of_devices(key, schema));
}

/// Whether an entry of a type concerns neither a resource nor devices.
bool is_no_amount(std::string_view key) {
    return key == candidates_key || key == checkpoint_key;
}

/// The amount of an entry; nothing if it is no whole number.
std::optional<Amount> whole_amount(const Member& member) {
    const auto parsed = core::parse_quantity(member.value.text, 1);
    const auto* amount = std::get_if<Amount>(&parsed);
    return amount && member.value.is_scalar() ? std::optional(*amount) : std::nullopt;
}

/// The unit was probably forgotten in a request for less memory than this.
constexpr Amount small_memory = 1 << 20;

/// Whole amounts must stay below this for their GPUs to be counted in thousandths.
constexpr Amount gpus_max = INT64_MAX / 1000;

/// Reads one annotation of a pod.
void read_annotation(const Member& member, core::DevicePod& pod, Diagnostics& diagnostics) {
    const std::vector<std::string> known{std::string(device_annotation::hint),
                                         std::string(device_annotation::joint),
                                         std::string(device_annotation::partition_spec)};
    if (std::ranges::find(known, member.key) == known.end()) {
        diagnostics.warning(member.key_span,
                            fmt::format("unknown annotation '{}', which is not read: expected {}{}",
                                        member.key,
                                        core::alternatives(known),
                                        core::suggestion(member.key, known)));
        return;
    }
    if (!member.value.is_scalar()) {
        expected(member.value, "a text that is JSON, as on a Pod", diagnostics);
        return;
    }
    std::string fault;
    try {
        const auto refusal =
            read_device_annotations({{member.key, member.value.text}}, UnknownWords::refused, pod);
        fault = refusal ? refusal->text() : "";
    } catch (const RequestError& error) {
        fault = error.what();
    }
    if (!fault.empty()) {
        const bool says_what = fault.find(": expected ") != std::string::npos;
        diagnostics.error(
            member.value.span,
            fault + (says_what ? "" : ": expected an annotation as in docs/reference/allocate.md"));
    }
}

void read_annotations(const Value& value, core::PodDevices& devices, Diagnostics& diagnostics) {
    if (!value.is_map()) {
        expected(value, "annotations by name", diagnostics);
        return;
    }
    for (const Member& member : value.members) {
        read_annotation(member, devices.pod, diagnostics);
        devices.text += fmt::format("{}={}\n", member.key, member.value.text);
    }
}

/// The number of GPUs that group resources name.
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

/// The amount that the ledger counts, in thousandths of a GPU.
Amount milli_gpus(const core::PodDevices& devices) {
    Amount most = named_gpus(devices.groups) * milli_gpus_each(names::nvidia_gpu);
    for (const auto& [name, amount] : devices.pod.requests) {
        most = std::max(most, amount * milli_gpus_each(name));
    }
    return most;
}

bool is_share_or_other(const std::pair<const std::string, Amount>& request) {
    return request.first != names::nvidia_gpu && request.first != names::rdma;
}

/// Whether a type requests a number of GPUs and nothing else inside a server.
bool is_plain(const core::PodDevices& devices) {
    return devices.groups.empty() && devices.pod.requests.size() == 1 && devices.gpu_count() > 0;
}

/// What is wrong with a request in a run that allocates no devices; nothing if it is fine.
std::optional<std::string> fault_without_allocator(const core::PodDevices& devices) {
    if (is_plain(devices)) {
        return std::nullopt;
    }
    const auto& requests = devices.pod.requests;
    if (devices.groups.empty() && requests.size() == 1 && is_whole_gpus(requests.begin()->first)) {
        return fmt::format(" asks for {}, and no server counts any: expected it in a capacity",
                           requests.begin()->first);
    }
    return " asks for devices without an allocator: expected reserve: "
           "[device-allocator], [group-allocator] or [first-fit] in the profile";
}

/// The fault of a type that requests more than that, in a run that searches for allocation
/// candidates.
const std::string fault_by_candidates =
    " asks for devices in words of their allocators, which filter: [allocation-candidates] does "
    "not read: expected candidates: with a query";

/// What the profile's allocator would not understand in a request; nothing if it understands all.
std::optional<std::string> fault_of(const core::PodDevices& devices,
                                    const sim::DevicePlugin& plugin) {
    const bool joint = plugin.allocator == "device-allocator";
    const bool groups = !devices.groups.empty();
    if (groups && plugin.allocator != "group-allocator") {
        return " asks for group resources: expected reserve: [group-allocator]";
    }
    if (!joint && std::ranges::any_of(devices.pod.requests, is_share_or_other)) {
        return " asks for shares of GPUs or other devices: expected reserve: [device-allocator]";
    }
    core::DevicePod pod = devices.pod;
    if (!joint) {
        pod.hints = {};  // not read by this allocator
    }
    const auto request = core::translate(
        pod, joint && plugin.rules.published ? core::published_rules() : core::documented_rules());
    if (const auto* refusal = std::get_if<core::DeviceRefusal>(&request)) {
        return fmt::format(": {}: expected one of the combinations of docs/reference/allocate.md",
                           refusal->text());
    }
    return std::nullopt;
}

}  // namespace

void PodTypes::add_resources(const Value* types, ResourceSchema& schema, bool counted) {
    if (types == nullptr || !types->is_map()) {
        return;
    }
    for (const Member& type : types->members) {
        for (const Member& amount : type.value.members) {
            const bool whole = is_whole_gpus(amount.key);
            const bool devices = is_of_devices(amount.key, schema);
            if (!is_no_amount(amount.key) && (counted || !devices || !whole)) {
                schema.add(devices && !whole ? names::nvidia_gpu : amount.key);
            }
        }
    }
}

PodTypes::PodTypes(const Value* types,
                   const core::Topology& tree,
                   bool by_candidates,
                   bool random_failures,
                   Diagnostics& diagnostics)
    : schema_(&tree.resources()),
      terms_(std::make_shared<const core::ProviderTerms>(tree)),
      by_candidates_(by_candidates),
      random_failures_(random_failures) {
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

/// Reads the request for one resource of devices. A fraction of nvidia.com/gpu is left to the
/// ledger, which has already counted it.
void PodTypes::read_request(const Member& member,
                            Type& type,
                            core::PodDevices& devices,
                            Diagnostics& diagnostics) const {
    const auto amount = whole_amount(member);
    const bool too_many = amount > gpus_max && milli_gpus_each(member.key) > 0;
    if (too_many && member.key != names::nvidia_gpu) {
        expected(member.value, fmt::format("at most {}", gpus_max), diagnostics);
    } else if (!amount && member.key == names::nvidia_gpu) {
        const auto milli = core::parse_quantity(member.value.text, 1000);
        if (std::holds_alternative<Amount>(milli)) {
            type.fraction = std::make_shared<const Value>(member.value);
        }
    } else if (!amount) {
        expected(member.value, "a whole number such as 1, or 80Gi of memory", diagnostics);
    } else if (*amount > 0 && !too_many) {
        devices.text += fmt::format("{}={}\n", member.key, *amount);
        if (core::is_group_resource(member.key)) {
            devices.groups[member.key] = *amount;
        } else {
            devices.pod.requests[member.key] = *amount;
        }
    }
}

/// Reads `candidates`. Resources that are, or could be, in the query must not be stated beside it.
void PodTypes::read_query(const Value& value, Type& type, Diagnostics& diagnostics) const {
    type.states_query = true;
    for (const Member& member : value.members) {
        const auto resource = schema_->find(member.key);
        if (is_of_devices(member.key, *schema_) || (resource && terms_->has_class(*resource))) {
            diagnostics.error(
                member.key_span,
                fmt::format("'{}' cannot be used with candidates: expected it in the query only",
                            member.key));
        }
    }
    type.query = read_pod_query(*value.find(candidates_key), *terms_, type.demand, diagnostics);
}

PodTypes::Type PodTypes::read(const Value& value, Diagnostics& diagnostics) const {
    Value amounts = value;
    std::erase_if(amounts.members, [this](const Member& member) {
        return is_of_devices(member.key, *schema_) || is_no_amount(member.key);
    });
    for (const Member& member : amounts.members) {
        (void)topologies::check_resource_name(member.key, member.key_span, diagnostics);
    }
    Type type{value.span, read_amounts(amounts, *schema_, diagnostics)};
    if (const Value* checkpoint = value.is_map() ? value.find(checkpoint_key) : nullptr) {
        type.checkpoint = read_checkpoint(*checkpoint, random_failures_, diagnostics);
    }
    if (value.is_map() && value.find(candidates_key) != nullptr) {
        read_query(value, type, diagnostics);
        return type;
    }
    if (const auto memory = schema_->find("memory");
        memory && type.demand[*memory] > 0 && type.demand[*memory] < small_memory) {
        const Member& member = *std::ranges::find(value.members, "memory", &Member::key);
        diagnostics.warning(member.value.span,
                            fmt::format("{} bytes of memory: amounts of memory are in bytes unless "
                                        "they have a unit, such as {}Gi",
                                        type.demand[*memory],
                                        type.demand[*memory]));
    }
    core::PodDevices devices;
    for (const Member& member : value.members) {
        if (member.key == annotations_key) {
            read_annotations(member.value, devices, diagnostics);
        } else if (is_request(member.key, *schema_)) {
            read_request(member, type, devices, diagnostics);
        }
    }
    // Annotations of a pod that requests no devices have no effect.
    if (!devices.pod.requests.empty() || !devices.groups.empty()) {
        if (const auto gpus = schema_->find(names::nvidia_gpu)) {
            type.demand[*gpus] = milli_gpus(devices);
        }
        if (!by_candidates_ || !is_plain(devices)) {
            type.devices = std::make_shared<const core::PodDevices>(std::move(devices));
        }
    }
    if (by_candidates_) {
        type.query = pod_query_for(value.span, *schema_, *terms_, type.demand, diagnostics);
    }
    return type;
}

void PodTypes::check_inside(const sim::Profile& profile, Diagnostics& diagnostics) const {
    // If the profile cannot be read, it is not known which plug-in would allocate devices.
    const bool nobody_allocates = !profile.inside.devices && !diagnostics.failed();
    const bool nobody_looks = !profile.inside.candidates && !diagnostics.failed();
    for (const auto& [name, type] : types_) {
        if (type.query != nullptr) {
            check_names(*type.query, *terms_, type.span, diagnostics);
        }
        if (type.states_query && nobody_looks) {
            diagnostics.error(type.span,
                              fmt::format("type '{}' has candidates, and no plug-in looks for any: "
                                          "expected filter: [allocation-candidates] in the profile",
                                          name));
        }
        if (profile.inside.devices && type.fraction != nullptr) {
            expected(*type.fraction, "whole GPUs; a share is koordinator.sh/gpu: 50", diagnostics);
        }
        const auto gpus = schema_->find(core::device_resource::nvidia_gpu);
        if (profile.inside.gpus && type.fraction != nullptr && gpus &&
            type.demand[*gpus] > core::gpu_whole_milli) {
            expected(*type.fraction, "a share of one GPU, below 1, or whole GPUs", diagnostics);
        }
        if (type.fraction != nullptr && !profile.inside.devices && !profile.inside.gpus &&
            !profile.inside.candidates) {
            diagnostics.warning(
                type.fraction->span,
                fmt::format("type '{}' asks for a share of a GPU, but no plug-in shares GPUs: "
                            "leftovers of several GPUs are added up as if they were one GPU: "
                            "expected reserve: [gpu-sharing] in the profile",
                            name));
        }
        if (type.devices == nullptr) {
            continue;
        }
        const auto fault = profile.inside.devices ? fault_of(*type.devices, *profile.inside.devices)
                           : profile.inside.candidates ? std::optional(fault_by_candidates)
                           : nobody_allocates          ? fault_without_allocator(*type.devices)
                                                       : std::nullopt;
        if (fault) {
            diagnostics.error(type.span, fmt::format("type '{}'{}", name, *fault));
        }
    }
}

/// A pod takes one of the `pods` that a Kubernetes node has room for. Candidates do not know pods.
void PodTypes::take_place(sim::Demand& demand) const {
    const auto pods = by_candidates_ ? std::nullopt : schema_->find("pods");
    if (pods && demand[*pods] == 0) {
        demand[*pods] = 1;
    }
}

void PodTypes::ask(const Value& name, sim::Job& job, Diagnostics& diagnostics) const {
    if (!name.is_scalar()) {
        expected(name, "the name of a type, whose amounts stand in spec.types", diagnostics);
        job.demand = sim::Demand(schema_->size());
        return;
    }
    job.type = name.text;
    if (const auto known = types_.find(name.text); known != types_.end()) {
        job.demand = known->second.demand;
        job.devices = known->second.devices;
        job.query = known->second.query;
        take_place(job.demand);
        if (!job.checkpoint) {
            job.checkpoint = known->second.checkpoint;
        }
        return;
    }
    job.demand = demand_by_name(name, diagnostics);
    take_place(job.demand);
    if (by_candidates_) {
        job.query = pod_query_for(name.span, *schema_, *terms_, job.demand, diagnostics);
    }
}

void PodTypes::ask_for(const core::SourceSpan& span,
                       sim::Demand amounts,
                       sim::Job& job,
                       Diagnostics& diagnostics) const {
    job.demand = std::move(amounts);
    take_place(job.demand);
    const auto gpu = schema_->find(names::nvidia_gpu);
    if (gpu && job.demand[*gpu] >= core::gpu_whole_milli) {
        ask_for_gpus(job.demand[*gpu] / core::gpu_whole_milli, !by_candidates_, job);
    }
    if (by_candidates_) {
        job.query = pod_query_for(span, *schema_, *terms_, job.demand, diagnostics);
    }
}

void PodTypes::ask_for_gpus(Amount gpus, bool with_devices, sim::Job& job) {
    job.gpus =
        std::make_shared<const core::GpuRequest>(core::GpuRequest{core::gpu_whole_milli, gpus, {}});
    if (with_devices) {
        core::PodDevices devices;
        devices.text = fmt::format("{}={}\n", names::nvidia_gpu, gpus);
        devices.pod.requests[std::string(names::nvidia_gpu)] = gpus;
        job.devices = std::make_shared<const core::PodDevices>(std::move(devices));
    }
}

sim::Demand PodTypes::demand_by_name(const Value& name, Diagnostics& diagnostics) const {
    sim::Demand demand(schema_->size());
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
