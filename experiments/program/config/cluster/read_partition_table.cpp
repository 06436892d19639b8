#include "experiments/program/config/cluster/read_partition_table.hpp"

#include <fmt/format.h>

#include <set>

#include "core/tree/resources.hpp"
#include "experiments/program/config/document/embedded_json.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

/// One partition of a table's entry for `count` GPUs.
core::GpuPartition read_partition(const Value& value,
                                  std::optional<std::int64_t> count,
                                  Diagnostics& diagnostics) {
    MapReader map(value, "a partition", diagnostics);
    core::GpuPartition partition;
    if (const Value* minors = map.need("minors")) {
        const auto size = static_cast<std::int64_t>(minors->items.size());
        if (!minors->is_list()) {
            expected(*minors, "a list of minors", diagnostics);
        } else if (count && size != *count) {
            diagnostics.error(minors->span,
                              fmt::format("found {} minors: expected {}", size, *count));
        }
        std::set<std::int64_t> seen;
        for (const Value& item : minors->items) {
            const auto minor = core::read_integer(item, diagnostics, 0, INT32_MAX);
            if (minor && !seen.insert(*minor).second) {
                expected(item, "each minor once", diagnostics);
            }
            partition.minors.push_back(static_cast<std::int32_t>(minor.value_or(0)));
        }
    }
    (void)map.text("gpuLinkType", "");
    partition.allocation_score = map.integer("allocationScore", 0, INT32_MIN, INT32_MAX);
    if (const Value* bandwidth = map.take("ringBusBandwidth")) {
        partition.ring_bus_bandwidth = read_device_quantity(*bandwidth, "units", diagnostics);
    }
    map.report_unknown_keys();
    return partition;
}

}  // namespace

std::optional<core::GpuPartitionTable> read_partition_table(const Value& annotation,
                                                            Diagnostics& diagnostics) {
    const std::string expectation =
        R"(a map from numbers of GPUs to partitions such as {"2": [{"minors": [0, 1]}]})";
    const auto json = parse_embedded_json(annotation, expectation, diagnostics);
    if (!json) {
        return std::nullopt;
    }
    if (!json->is_map()) {
        expected(*json, expectation, diagnostics);
        return std::nullopt;
    }
    bool sound = true;
    core::GpuPartitionTable table;
    for (const core::Member& member : json->members) {
        Value key;
        key.kind = Value::Kind::scalar;
        key.text = member.key;
        key.span = member.key_span;
        const auto count = core::read_integer(key, diagnostics, 1, core::devices_of_type_max);
        if (!member.value.is_list()) {
            expected(member.value, "a list of partitions", diagnostics);
        }
        sound = sound && count && member.value.is_list();
        for (const Value& item : member.value.items) {
            table[count.value_or(0)].push_back(read_partition(item, count, diagnostics));
        }
    }
    return sound ? std::optional(std::move(table)) : std::nullopt;
}

std::optional<core::Amount> read_device_quantity(const Value& value,
                                                 std::string_view unit,
                                                 Diagnostics& diagnostics) {
    const auto parsed =
        value.is_scalar() ? core::parse_quantity(value.text, 1) : core::QuantityFault::malformed;
    if (const auto* fault = std::get_if<core::QuantityFault>(&parsed)) {
        expected(value, core::describe(*fault, unit), diagnostics);
        return std::nullopt;
    }
    return std::get<core::Amount>(parsed);
}

}  // namespace berth::experiments
