#include "experiments/program/config/workload/device_annotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/support/parse_number.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "core/tree/resources.hpp"
#include "experiments/program/support/parsed_json.hpp"

namespace berth::experiments {
namespace {

using core::DeviceType;
using core::LabelSelector;

/// An error in an annotation; what() becomes part of a refusal's message.
struct AnnotationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Line and column of a byte, both counted from 1.
std::string place_of(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte == 0 ? 0 : byte - 1, text.size()));
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
    return fmt::format("line {}, column {}", line, before.size() - start + 1);
}

RequestText parse(std::string_view text) {
    try {
        return RequestText(text);
    } catch (const Json::parse_error& error) {
        throw AnnotationError(
            fmt::format("no JSON at {}: expected an object", place_of(text, error.byte)));
    } catch (const Json::out_of_range&) {
        throw AnnotationError(fmt::format("a number {}", beyond_numbers));
    }
}

void expect_object(const RequestValue& value, std::string_view where) {
    if (!value.is_map()) {
        throw AnnotationError(fmt::format("{} is {}: expected an object", where, shown(value)));
    }
}

std::string text_member(const RequestValue& object, const char* key, std::string_view where) {
    const RequestValue value = object[key];
    if (value.is_null()) {
        return "";
    }
    if (!value.is_string()) {
        throw AnnotationError(
            fmt::format("{}.{} is {}: expected a text", where, key, shown(value)));
    }
    return std::string(value.text());
}

/// The index of a word in a list of words; 0, the empty word, if it is absent or ignored.
std::size_t word(const RequestValue& object,
                 const char* key,
                 const std::vector<std::string>& words,
                 std::string_view where,
                 UnknownWords unknown) {
    const std::string value = text_member(object, key, where);
    const auto at = std::ranges::find(words, value);
    if (at != words.end()) {
        return static_cast<std::size_t>(at - words.begin());
    }
    if (unknown == UnknownWords::refused) {
        throw RequestError(fmt::format("{}.{} is '{}'{}: expected {}",
                                       where,
                                       key,
                                       value,
                                       core::suggestion(value, words),
                                       core::join(std::span(words).subspan(1), " or ")));
    }
    return words.size();
}

LabelSelector::Expression read_expression(const RequestValue& json, std::string_view where) {
    expect_object(json, where);
    LabelSelector::Expression out;
    out.key = text_member(json, "key", where);
    if (out.key.empty()) {
        throw AnnotationError(fmt::format("{} has no key: expected one", where));
    }
    const std::string op = text_member(json, "operator", where);
    constexpr std::array<std::string_view, 4> names{"In", "NotIn", "Exists", "DoesNotExist"};
    const auto at = std::ranges::find(names, op);
    if (at == names.end()) {
        throw AnnotationError(fmt::format("\"{}\" is not a valid label selector operator", op));
    }
    out.op = static_cast<LabelSelector::Operator>(at - names.begin());
    const RequestValue values = json["values"];
    bool are_texts = values.is_null() || values.is_list();
    for (const RequestValue& value : values.items()) {
        are_texts = are_texts && value.is_string();
        out.values.emplace_back(value.text());
    }
    if (!are_texts) {
        throw AnnotationError(fmt::format("{}.values: expected a list of texts", where));
    }
    const bool wants_values =
        out.op == LabelSelector::Operator::in || out.op == LabelSelector::Operator::not_in;
    if (wants_values == out.values.empty()) {
        throw AnnotationError(
            wants_values
                ? "values: Invalid value: []: for 'in', 'notin' operators, values set can't be "
                  "empty"
                : fmt::format("values: Invalid value: {}: values set must be empty for exists and "
                              "does not exist",
                              dumped(Json(out.values))));
    }
    return out;
}

LabelSelector read_selector(const RequestValue& json, std::string_view where) {
    expect_object(json, where);
    LabelSelector out;
    if (const RequestValue labels = json["matchLabels"]; !labels.is_null()) {
        expect_object(labels, fmt::format("{}.matchLabels", where));
        for (const auto& [key, value] : labels.members()) {
            if (!value.is_string()) {
                throw AnnotationError(fmt::format(
                    "{}.matchLabels.{} is {}: expected a text", where, key, shown(value)));
            }
            out.match_labels[key] = value.text();
        }
    }
    if (const RequestValue expressions = json["matchExpressions"]; !expressions.is_null()) {
        if (!expressions.is_list()) {
            throw AnnotationError(fmt::format(
                "{}.matchExpressions is {}: expected a list", where, shown(expressions)));
        }
        for (const RequestValue& expression : expressions.items()) {
            out.match_expressions.push_back(
                read_expression(expression, fmt::format("{}.matchExpressions", where)));
        }
    }
    return out;
}

/// Reads a selector; messages about its faults begin with `what`, the words of the published
/// program.
std::optional<LabelSelector> read_selector_of(const RequestValue& hint,
                                              const char* key,
                                              std::string_view what,
                                              std::string_view type) {
    const RequestValue selector = hint[key];
    if (selector.is_null()) {
        return std::nullopt;
    }
    try {
        return read_selector(selector, fmt::format("{}.{}", type, key));
    } catch (const AnnotationError& error) {
        throw AnnotationError(fmt::format(
            "invalid {} of DeviceHint, deviceType: {}, err: {}", what, type, error.what()));
    }
}

core::DeviceHint read_hint(const RequestValue& json,
                           const std::string& type,
                           UnknownWords unknown) {
    core::DeviceHint hint;
    hint.strategy = static_cast<core::AllocateStrategy>(
        word(json, "allocateStrategy", {"", "ApplyForAll", "RequestsAsCount"}, type, unknown) % 3);
    hint.exclusive = static_cast<core::ExclusivePolicy>(
        word(json, "exclusivePolicy", {"", "DeviceLevel", "PCIeLevel"}, type, unknown) % 3);
    constexpr std::array scopes{core::TopologyScope::unset,
                                core::TopologyScope::machine,
                                core::TopologyScope::numa_node,
                                core::TopologyScope::pcie,
                                core::TopologyScope::device,
                                core::TopologyScope::unknown};
    hint.required_scope = scopes[word(
        json, "requiredTopologyScope", {"", "Node", "NUMANode", "PCIe", "Device"}, type, unknown)];
    hint.selector = read_selector_of(json, "selector", "Selector", type);
    hint.vf_selector = read_selector_of(json, "vfSelector", "VFSelector", type);
    return hint;
}

DeviceType known_type(const std::string& name, std::string_view where) {
    const auto type = core::device_type_named(name);
    if (!type) {
        throw RequestError(
            fmt::format("{}: unknown device type '{}': expected gpu, rdma or fpga", where, name));
    }
    return *type;
}

void read_hints(std::string_view text, UnknownWords unknown, core::DevicePod& pod) {
    const RequestText parsed = parse(text);
    const RequestValue json = parsed.value();
    if (json.is_null()) {
        return;
    }
    expect_object(json, "the annotation");
    for (const auto& [name, value] : json.members()) {
        if (!value.is_null()) {
            expect_object(value, name);
        }
        const auto type = core::device_type_named(name);
        if (!type && unknown == UnknownWords::refused) {
            (void)known_type(name, "DeviceAllocateHint");
        }
        const core::DeviceHint hint =
            value.is_null() ? core::DeviceHint() : read_hint(value, name, unknown);
        if (type) {
            pod.hints[*type] = hint;
        }
    }
}

void read_joint(std::string_view text, UnknownWords unknown, core::DevicePod& pod) {
    const RequestText parsed = parse(text);
    const RequestValue json = parsed.value();
    pod.joint.emplace();
    if (json.is_null()) {
        return;
    }
    expect_object(json, "the annotation");
    pod.joint->same_pcie =
        word(json, "requiredScope", {"", "SamePCIe"}, "DeviceJointAllocate", unknown) == 1;
    const RequestValue types = json["deviceTypes"];
    if (types.is_null()) {
        return;
    }
    if (!types.is_list()) {
        throw AnnotationError(fmt::format("deviceTypes is {}: expected a list", shown(types)));
    }
    for (const RequestValue& name : types.items()) {
        if (!name.is_string()) {
            throw AnnotationError(fmt::format("deviceTypes has {}: expected a text", shown(name)));
        }
        const auto type = core::device_type_named(name.text());
        if (!type && unknown == UnknownWords::ignored) {
            continue;
        }
        pod.joint->types.push_back(
            known_type(std::string(name.text()), "DeviceJointAllocate.deviceTypes"));
    }
}

void read_partition_spec(std::string_view text, UnknownWords unknown, core::DevicePod& pod) {
    const RequestText parsed = parse(text);
    const RequestValue json = parsed.value();
    pod.partition_spec.emplace();
    if (json.is_null()) {
        return;
    }
    expect_object(json, "the annotation");
    pod.partition_spec->restricted = word(json,
                                          "allocatePolicy",
                                          {"", "Restricted", "BestEffort"},
                                          "GPUPartitionSpec",
                                          unknown) == 1;
    if (const RequestValue bandwidth = json["ringBusBandwidth"]; !bandwidth.is_null()) {
        try {
            pod.partition_spec->ring_bus_bandwidth =
                read_device_amount(bandwidth, "ringBusBandwidth");
        } catch (const RequestError& error) {
            throw AnnotationError(error.what());
        }
    }
}

/// Writes a number of units with the largest suffix that divides it: 1000 becomes "1k".
std::string decimal_quantity(core::Amount amount) {
    constexpr std::array<std::string_view, 7> suffixes{"", "k", "M", "G", "T", "P", "E"};
    std::size_t suffix = 0;
    while (amount != 0 && amount % 1000 == 0 && suffix + 1 < suffixes.size()) {
        amount /= 1000;
        ++suffix;
    }
    return fmt::format("{}{}", amount, suffixes[suffix]);
}

/// Writes memory in units of 1024; less than 1024 is written like any other number.
std::string binary_quantity(core::Amount amount) {
    if (amount < 1024) {
        return decimal_quantity(amount);
    }
    constexpr std::array<std::string_view, 7> suffixes{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    std::size_t suffix = 0;
    while (amount % 1024 == 0 && suffix + 1 < suffixes.size()) {
        amount /= 1024;
        ++suffix;
    }
    return fmt::format("{}{}", amount, suffixes[suffix]);
}

Json describe_pick(const core::DevicesOfType& type,
                   const core::DeviceGrants& grants,
                   std::size_t pick) {
    const core::DeviceDescription& device = type.devices[grants.devices[pick]];
    std::map<std::string, std::string> resources;
    for (std::size_t r = 0; r < type.resources.size(); ++r) {
        const core::Amount amount = grants.amounts[pick * type.resources.size() + r];
        if (amount != core::DeviceGrants::absent) {
            const std::string& name = type.resources[r];
            resources[name] = name == core::device_resource::gpu_memory ? binary_quantity(amount)
                                                                        : decimal_quantity(amount);
        }
    }
    Json out{{"minor", device.minor}, {"resources", resources}};
    if (!device.uuid.empty()) {
        out["id"] = device.uuid;
    }
    if (!grants.vfs.empty() && grants.vfs[pick] != core::DeviceGrants::no_vf) {
        const auto entry = static_cast<std::size_t>(grants.vfs[pick]);
        const core::VirtualFunction& function =
            type.functions[grants.devices[pick]][entry].function;
        Json vf = Json::object();
        if (function.minor != 0) {
            vf["minor"] = function.minor;
        }
        vf["busID"] = function.bus_id;
        out["extension"] = {{"vfs", Json::array({std::move(vf)})}};
    }
    return out;
}

}  // namespace

std::optional<core::DeviceRefusal> read_device_annotations(const Annotations& annotations,
                                                           UnknownWords unknown,
                                                           core::DevicePod& pod) {
    using Read = void (*)(std::string_view, UnknownWords, core::DevicePod&);
    struct Annotation {
        std::string_view name;
        std::string_view kind;
        Read read;
    };
    constexpr std::array<Annotation, 3> all{{
        {device_annotation::hint, "DeviceAllocateHint", &read_hints},
        {device_annotation::joint, "DeviceJointAllocate", &read_joint},
        {device_annotation::partition_spec, "GPUPartitionSpec", &read_partition_spec},
    }};
    for (const Annotation& annotation : all) {
        const auto at = annotations.find(annotation.name);
        if (at == annotations.end()) {
            continue;
        }
        try {
            annotation.read(at->second, unknown, pod);
        } catch (const AnnotationError& error) {
            const std::string_view why = error.what();
            const bool is_whole = why.starts_with("invalid ");
            return core::DeviceRefusal{
                {is_whole ? std::string(why)
                          : fmt::format("invalid {} annotation, err: {}", annotation.kind, why)},
                false,
                core::DeviceRefusal::Phase::pre_filter};
        }
    }
    return std::nullopt;
}

core::GpuPartitionTable read_gpu_partitions(std::string_view text) {
    const std::string where(device_annotation::partitions);
    core::GpuPartitionTable table;
    try {
        const RequestText parsed = parse(text);
        const RequestValue json = parsed.value();
        expect_object(json, "the annotation");
        for (const auto& [key, list] : json.members()) {
            const core::Amount count = core::parse_number<core::Amount>(key).value_or(0);
            if (count < 1) {
                throw RequestError(fmt::format("'{}': expected a number of GPUs", key));
            }
            if (!list.is_list()) {
                throw RequestError(fmt::format("{} is {}: expected a list", key, shown(list)));
            }
            for (const RequestValue& item : list.items()) {
                core::GpuPartition partition;
                for (const RequestValue& minor : need(item, "minors", key).items()) {
                    partition.minors.push_back(static_cast<std::int32_t>(
                        std::min<core::Amount>(whole(minor, key + ".minors", 0), INT32_MAX)));
                }
                if (static_cast<core::Amount>(partition.minors.size()) != count) {
                    throw RequestError(fmt::format("{} has a partition of {} GPUs: expected {}",
                                                   key,
                                                   partition.minors.size(),
                                                   count));
                }
                if (const RequestValue score = item["allocationScore"]; !score.is_null()) {
                    partition.allocation_score =
                        std::min<core::Amount>(whole(score, "allocationScore", 0), 1'000'000'000);
                }
                if (const RequestValue bandwidth = item["ringBusBandwidth"]; !bandwidth.is_null()) {
                    partition.ring_bus_bandwidth =
                        read_device_amount(bandwidth, "ringBusBandwidth");
                }
                table[count].push_back(std::move(partition));
            }
        }
    } catch (const AnnotationError& error) {
        throw RequestError(fmt::format("{}: {}", where, error.what()));
    } catch (const RequestError& error) {
        throw RequestError(fmt::format("{}: {}", where, error.what()));
    }
    return table;
}

std::optional<core::Amount> device_amount(const RequestValue& value) {
    if (!value.is_string() && !value.is_whole()) {
        return std::nullopt;
    }
    const auto parsed = core::parse_exact_quantity(value.text());
    const auto* exact = std::get_if<core::Quantity>(&parsed);
    constexpr core::Quantity unit = 1'000'000'000;
    if (exact == nullptr || *exact < 0 || (*exact + unit - 1) / unit > INT64_MAX) {
        return std::nullopt;
    }
    return static_cast<core::Amount>((*exact + unit - 1) / unit);
}

void refuse_device_amount(const RequestValue& value, std::string_view where) {
    throw RequestError(
        fmt::format("{} is {}: expected a quantity that is not negative", where, shown(value)));
}

core::Labels read_labels(const RequestValue& object, const char* key) {
    core::Labels labels;
    const RequestValue values = object[key];
    if (!values.is_null() && !values.is_map()) {
        throw RequestError(fmt::format("{} is {}: expected an object", key, shown(values)));
    }
    for (auto [name, value] : values.members()) {
        std::string label =
            text(value, [&, &name = name] { return fmt::format("{}.{}", key, name); });
        labels.insert_or_assign(std::move(name), std::move(label));
    }
    return labels;
}

Json device_allocations(const core::DeviceInventory& inventory,
                        const core::DeviceAllocation& allocation) {
    Json out = Json::object();
    for (const core::DeviceType type :
         {core::DeviceType::fpga, core::DeviceType::gpu, core::DeviceType::rdma}) {
        const core::DeviceGrants& grants = allocation[type];
        for (std::size_t pick = 0; pick < grants.devices.size(); ++pick) {
            out[std::string(to_string(type))].push_back(
                describe_pick(inventory.of(type), grants, pick));
        }
    }
    return out;
}

std::string device_allocated_annotation(const core::DeviceInventory& inventory,
                                        const core::DeviceAllocation& allocation) {
    return device_allocations(inventory, allocation)
        .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace berth::experiments
