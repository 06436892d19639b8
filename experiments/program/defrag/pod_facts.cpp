#include "experiments/program/defrag/pod_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/config/workload/pods_in_file.hpp"
#include "workloads/trace/numbers.hpp"

namespace berth::experiments {
namespace {

using core::Value;
using sim::SimTime;

std::string name_of(const Value& object) {
    const std::string space = text_below(object, {"metadata", "namespace"});
    const std::string name = text_below(object, {"metadata", "name"});
    return space.empty() ? name : space + "/" + name;
}

std::optional<SimTime> instant(const Value& object, std::initializer_list<std::string_view> keys) {
    return workloads::parse_date_time(text_below(object, keys));
}

/// Whether labels meet one of `matchExpressions`.
bool meets(const Value* labels, const Value& expression) {
    const std::string op = text_below(expression, {"operator"});
    const std::string key = text_below(expression, {"key"});
    const Value* label = labels != nullptr ? labels->find(key) : nullptr;
    const Value* values = expression.find("values");
    const bool listed = label != nullptr && values != nullptr &&
                        std::ranges::any_of(values->items, [&](const Value& value) {
                            return value.text == label->text;
                        });
    return op == "In"       ? listed
           : op == "NotIn"  ? !listed
           : op == "Exists" ? label != nullptr
                            : label == nullptr;
}

/// Whether a budget counts a pod: an empty selector selects all pods of the namespace.
bool selects(const Value& budget, const Value& pod) {
    const Value* selector = value_below(budget, {"spec", "selector"});
    const Value* labels = value_below(pod, {"metadata", "labels"});
    if (selector == nullptr || text_below(budget, {"metadata", "namespace"}) !=
                                   text_below(pod, {"metadata", "namespace"})) {
        return false;
    }
    const Value* equal = selector->find("matchLabels");
    for (std::size_t i = 0; equal != nullptr && i < equal->members.size(); ++i) {
        const Value* label = labels != nullptr ? labels->find(equal->members[i].key) : nullptr;
        if (label == nullptr || label->text != equal->members[i].value.text) {
            return false;
        }
    }
    const Value* expressions = selector->find("matchExpressions");
    return expressions == nullptr || std::ranges::all_of(expressions->items, [&](const Value& one) {
               return meets(labels, one);
           });
}

/// A number of pods, or a per cent of `pods`, rounded up as Kubernetes does.
std::int64_t pods_of(const Value& value, std::int64_t pods, core::Diagnostics& diagnostics) {
    std::string_view text = value.text;
    const bool share = text.ends_with('%');
    text.remove_suffix(share ? 1 : 0);
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc() || end != text.data() + text.size() || number < 0 ||
        number > INT32_MAX) {
        diagnostics.error(value.span, "expected a whole number of pods, or a per cent: 1, 50%");
        return 0;
    }
    return share ? (number * pods + 99) / 100 : number;
}

std::int64_t allowed_by(const Value& budget, std::int64_t pods, core::Diagnostics& diagnostics) {
    if (const Value* allowed = value_below(budget, {"status", "disruptionsAllowed"})) {
        return pods_of(*allowed, pods, diagnostics);
    }
    if (const Value* least = value_below(budget, {"spec", "minAvailable"})) {
        return std::max<std::int64_t>(pods - pods_of(*least, pods, diagnostics), 0);
    }
    const Value* most = value_below(budget, {"spec", "maxUnavailable"});
    return most != nullptr ? pods_of(*most, pods, diagnostics) : 0;
}

/// The latest instant that a pod of the list tells; 0 if it tells none.
SimTime latest_of(const Value& pod) {
    SimTime latest = std::max(instant(pod, {"metadata", "creationTimestamp"}).value_or(SimTime(0)),
                              instant(pod, {"status", "startTime"}).value_or(SimTime(0)));
    if (const Value* containers = value_below(pod, {"status", "containerStatuses"})) {
        for (const Value& container : containers->items) {
            latest = std::max(
                latest,
                instant(container, {"state", "terminated", "finishedAt"}).value_or(SimTime(0)));
        }
    }
    return latest;
}

}  // namespace

void add_pod_facts(const core::Value& document, PodFacts& facts, core::Diagnostics& diagnostics) {
    std::vector<const Value*> running;
    SimTime now{};
    for (const Value* pod : objects_of_kind(document, "Pod")) {
        now = std::max(now, latest_of(*pod));
        if (has_node(*pod) && !has_ended(*pod)) {
            running.push_back(pod);
        }
    }
    std::size_t unknown = 0;
    for (const Value* pod : running) {
        auto since = instant(*pod, {"status", "startTime"});
        if (!since) {
            since = instant(*pod, {"metadata", "creationTimestamp"});
            ++unknown;
        }
        if (since) {
            facts.ages[name_of(*pod)] = now - *since;
        }
    }
    if (unknown > 0) {
        diagnostics.warning(
            document.span,
            fmt::format(
                "{} no status.startTime: {} work counts from metadata.creationTimestamp on, "
                "and as none without it",
                unknown == 1 ? "1 running pod has" : fmt::format("{} running pods have", unknown),
                unknown == 1 ? "its" : "their"));
    }
    for (const Value* budget : objects_of_kind(document, "PodDisruptionBudget")) {
        const auto number = static_cast<std::uint32_t>(facts.budgets.size());
        std::int64_t pods = 0;
        for (const Value* pod : running) {
            if (selects(*budget, *pod)) {
                facts.budgets_of[name_of(*pod)].push_back(number);
                ++pods;
            }
        }
        facts.budgets.push_back(allowed_by(*budget, pods, diagnostics));
    }
}

}  // namespace berth::experiments
