#include "schedulers/kueue/requests/kueue_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "core/support/text.hpp"
#include "schedulers/kueue/documents/kueue_quantity.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;
using kueue::FeatureGate;

std::optional<kueue::Condition> read_condition(const RequestField& field) {
    if (!field.is_present() || field.entries().empty()) {
        return std::nullopt;
    }
    kueue::Condition read;
    read.reason = field["reason"].text_or("");
    if (const RequestField time = field["time"]; time.is_present()) {
        read.since = read_kueue_time(time);
    }
    return read;
}

kueue::PodSet read_pod_set(const RequestField& field) {
    kueue::PodSet read;
    read.name = field["name"].text();
    read.count = field["count"].whole_or(1, 0, INT32_MAX);
    read.min_count = field["minCount"].whole_or(read.count, 0, read.count);
    read.group = field["podSetGroup"].text_or("");
    read.tolerations = read_tolerations(field["tolerations"]);
    read.node_selector = field["nodeSelector"].labels();
    for (const RequestField& term : field["affinity"].items()) {
        read.affinity.push_back({read_expressions(term), {}});
    }
    return read;
}

/// Reads what a workload's pods hold by their admission. If fewer pods are wanted, because some are
/// reclaimable, the amounts are scaled down to these.
kueue::PodSetResources read_held(const RequestField& field,
                                 std::int64_t wanted,
                                 std::int64_t specified,
                                 kueue::Names& names) {
    kueue::PodSetResources read;
    read.count = field["assignedCount"].whole_or(specified, 0, INT32_MAX);
    for (const auto& [name, amount] : field["usage"].entries()) {
        const core::Amount held = read_kueue_amount(amount, name);
        if (held < 0) {
            amount.fail("at least 0");
        }
        read.requests[names.resource(name)] = held;
    }
    for (const auto& [name, flavor] : field["flavors"].entries()) {
        if (std::string text = flavor.text(); !text.empty()) {
            read.flavors[names.resource(name)] = names.flavor(std::move(text));
        }
    }
    return wanted < read.count ? read.scaled_to(wanted) : read;
}

kueue::PodSetResources read_asked(const RequestField& field,
                                  std::int64_t wanted,
                                  kueue::Names& names) {
    kueue::PodSetResources read;
    read.count = wanted;
    for (const auto& [name, amount] : field["requests"].entries()) {
        read.requests[names.resource(name)] =
            kueue::times(std::max<core::Amount>(0, read_kueue_amount(amount, name)), wanted);
    }
    return read;
}

kueue::LastAssignment read_last(const RequestField& field, kueue::Names& names) {
    kueue::LastAssignment read;
    for (const RequestField& set : field["tried"].items()) {
        auto& own = read.tried.emplace_back();
        for (const auto& [name, flavor] : set.entries()) {
            own[names.resource(name)] = flavor.whole(-1, INT32_MAX);
        }
    }
    read.generation = field["generation"].whole_or(0, 0);
    read.cycle = field["cycle"].whole_or(0, 0);
    const std::string hash = field["hash"].text_or("");
    read.requests_changed = !hash.empty() && hash != field["currentHash"].text_or(hash);
    return read;
}

void read_pod_sets(const RequestField& list,
                   const kueue::FeatureGates& gates,
                   kueue::Names& names,
                   kueue::Workload& into) {
    for (const RequestField& field : list.items()) {
        kueue::PodSet set = read_pod_set(field);
        const std::int64_t reclaimable = field["reclaimable"].whole_or(0, 0, INT32_MAX);
        const std::int64_t wanted =
            set.count -
            (gates[FeatureGate::reclaimable_pods] ? std::min(reclaimable, set.count) : 0);
        into.totals.push_back(field["flavors"].is_present()
                                  ? read_held(field, wanted, set.count, names)
                                  : read_asked(field, wanted, names));
        into.pod_sets.push_back(std::move(set));
    }
}

}  // namespace

core::Amount read_kueue_amount(const RequestField& field, std::string_view resource) {
    constexpr std::string_view expected =
        "a whole number of its unit, or a Kubernetes quantity such as 500m, 16 or 256Gi";
    if (!field.value().is_string()) {
        if (!field.value().is_whole()) {
            field.fail(expected);
        }
        return field.whole(INT64_MIN);
    }
    const auto parsed = parse_kueue_quantity(field.value().text(), resource);
    if (const auto* fault = std::get_if<core::QuantityFault>(&parsed)) {
        field.fail(*fault == core::QuantityFault::fractional ? "no more than nine decimals"
                                                             : expected);
    }
    return std::get<core::Amount>(parsed);
}

namespace kueue = core::kueue;

kueue::FeatureGates read_feature_gates(const RequestField& gates) {
    kueue::FeatureGates read;
    for (const auto& [name, value] : gates.entries()) {
        const auto gate = kueue::find_feature_gate(name);
        if (!gate) {
            throw RequestError(fmt::format("unknown feature gate '{}': expected {}",
                                           name,
                                           core::join(kueue::feature_gate_names(), ", ")));
        }
        const bool open = value.boolean_or(read[*gate]);
        if (open && *gate == kueue::FeatureGate::scheduler_library_integration) {
            value.fail("false: what that library decides is not simulated");
        }
        read.set(*gate, open);
    }
    if (const std::string mend = read.what_to_mend(); !mend.empty()) {
        gates.fail(mend);
    }
    return read;
}

kueue::Time read_kueue_time(const RequestField& field) {
    if (field.value().is_whole()) {
        return {field.whole(INT64_MIN), 0};
    }
    const double seconds = field.number(-9e18);
    if (seconds > 9e18) {
        field.fail("seconds");
    }
    constexpr double billion = 1e9;
    const double whole = std::floor(seconds);
    const double nanoseconds = std::min(billion - 1, std::round((seconds - whole) * billion));
    return {static_cast<std::int64_t>(whole), static_cast<std::int32_t>(nanoseconds)};
}

kueue::Workload read_kueue_workload(const RequestField& field,
                                    const kueue::FeatureGates& gates,
                                    kueue::Names& names) {
    kueue::Workload read;
    read.name = field["name"].text();
    read.uid = field["uid"].text_or("");
    read.queue_name = field["cq"].text();
    read.local_queue = field["localQueue"].text_or("");
    const std::int64_t boost = field["boost"].whole_or(0, INT32_MIN, INT32_MAX);
    read.priority = kueue::plus(field["priority"].whole_or(0, INT32_MIN, INT32_MAX),
                                gates[FeatureGate::priority_boost] ? boost : 0);
    if (const RequestField created = field["created"]; created.is_present()) {
        read.created = read_kueue_time(created);
    }
    read.evicted = read_condition(field["evicted"]);
    read.preempted = read_condition(field["preempted"]);
    if (const RequestField reserved = field["reserved"]; reserved.is_present()) {
        read.reserved = read_kueue_time(reserved);
        read.holds_quota = true;
    }
    if (const RequestField usage = field["lqUsage"]; usage.is_present()) {
        read.local_queue_usage = usage.number(-1e308);
    }
    read.is_preemptor = field["isPreemptor"].boolean_or(false);
    read.preemption_gated = field["preemptionGateClosed"].boolean_or(false);
    if (const RequestField last = field["lastAssignment"]; last.is_present()) {
        read.last = read_last(last, names);
    }
    read_pod_sets(field["podSets"], gates, names, read);
    return read;
}

}  // namespace berth::experiments
