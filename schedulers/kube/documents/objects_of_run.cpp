#include "schedulers/kube/documents/objects_of_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/config/workload/pods_in_file.hpp"
#include "schedulers/kube/documents/devices_of_run.hpp"
#include "schedulers/kube/documents/known_keys.hpp"
#include "schedulers/kube/documents/kube_objects.hpp"
#include "schedulers/kube/documents/pod_keys.hpp"
#include "schedulers/kube/documents/read_object.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Value;

/// The kinds that count, and the API group of each, since other groups have a Service, too.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kinds{
    {{"Service", ""},
     {"ReplicationController", ""},
     {"ReplicaSet", "apps"},
     {"StatefulSet", "apps"},
     {"Namespace", ""},
     {"PodDisruptionBudget", "policy"},
     {"PriorityClass", "scheduling.k8s.io"},
     {"DeviceClass", "resource.k8s.io"},
     {"ResourceSlice", "resource.k8s.io"},
     {"ResourceClaim", "resource.k8s.io"},
     {"ResourceClaimTemplate", "resource.k8s.io"}}};
/// Objects of these kinds are in no namespace.
constexpr std::array<std::string_view, 4> without_namespace{
    "Namespace", "PriorityClass", "DeviceClass", "ResourceSlice"};
constexpr std::string_view name_label = "kubernetes.io/metadata.name";

/// The kind if it counts; nothing for an object of another kind or group.
std::optional<std::string_view> kind_that_counts(const Value& object) {
    const std::string version = text_below(object, {"apiVersion"});
    const std::string_view group = std::string_view(version).substr(
        0, version.find('/') == std::string::npos ? 0 : version.find('/'));
    const auto* found = std::ranges::find(kinds,
                                          text_below(object, {"kind"}),
                                          [](const auto& kind) { return std::string(kind.first); });
    return found != kinds.end() && (version.empty() || group == found->second)
               ? std::optional(found->first)
               : std::nullopt;
}

std::optional<sim::PodCount> read_count(const RequestField& field) {
    if (!field.is_present()) {
        return std::nullopt;
    }
    const std::string text =
        field.value().is_string() ? field.text() : std::string(field.value().text());
    sim::PodCount count;
    count.is_percentage = text.ends_with('%');
    const char* end = text.data() + text.size() - (count.is_percentage ? 1 : 0);
    const auto [rest, error] = std::from_chars(text.data(), end, count.number);
    const std::int64_t most = count.is_percentage ? 100 : INT32_MAX;
    if (error != std::errc() || rest != end || count.number < 0 || count.number > most) {
        field.fail("a number of pods, or a percentage such as 30%");
    }
    return count;
}

class ObjectsReader {
public:
    explicit ObjectsReader(Diagnostics& diagnostics)
        : diagnostics_(diagnostics), devices_(diagnostics) {}

    void read(const Value& object) {
        const std::string kind = text_below(object, {"kind"});
        if (kind.empty()) {
            expected(object, "an object with a kind, such as a Service", diagnostics_);
            return;
        }
        if (kind.front() < 'A' || kind.front() > 'Z') {
            expected(*value_below(object, {"kind"}),
                     "the kind of an object, such as Service",
                     diagnostics_);
            return;
        }
        const auto counts = kind_that_counts(object);
        if (!counts) {
            note_other(object, kind);
            return;
        }
        if (has_labels_selector(*counts)) {
            const std::size_t errors = diagnostics_.error_count();
            check_selector_keys(value_below(object, {"spec", "selector"}), diagnostics_);
            if (diagnostics_.error_count() > errors) {
                return;
            }
        }
        if (*counts == "PodDisruptionBudget") {
            warn_if_idle(object);
        }
        if (is_about_devices(*counts)) {
            if (!devices_.check(*counts, object)) {
                return;
            }
            last_device_ = object.span;
        }
        read_object(object, diagnostics_, [&](const RequestField& field) {
            const std::string name = field["metadata"]["name"].text();
            const std::string name_space =
                std::ranges::find(without_namespace, *counts) != without_namespace.end()
                    ? ""
                    : namespace_of(field);
            if (!names_.emplace(*counts, name_space, name).second) {
                field["metadata"]["name"].fail(
                    fmt::format("a name that no other {} has{}",
                                kind,
                                name_space.empty() ? "" : " in this namespace"));
            }
            if (is_about_devices(*counts)) {
                devices_.read(*counts, name_space, field);
            } else {
                read_kind(*counts, field);
            }
        });
    }

    sim::KubeClusterObjects finish() {
        core::kube::ClusterObjects& read = objects_.read();
        for (auto& [name, labels] : read.namespaces) {
            labels.insert_or_assign(std::string(name_label), name);
        }
        out_.namespaces = std::move(read.namespaces);
        out_.owners = std::move(read.owners);
        out_.devices = devices_.finish(last_device_);
        warn_of_others();
        return std::move(out_);
    }

private:
    static std::string namespace_of(const RequestField& object) {
        const std::string stated = object["metadata"]["namespace"].text_or("");
        return stated.empty() ? "default" : stated;
    }

    /// Whether the selector of such an object has `matchLabels`, and is not a map of labels itself.
    static bool has_labels_selector(std::string_view kind) {
        return kind == "PodDisruptionBudget" || kind == "ReplicaSet" || kind == "StatefulSet";
    }

    /// Files are reduced to known keys before, so that no other key can be named.
    void warn_if_idle(const Value& budget) {
        if (stated_below(budget, {"spec", "minAvailable"}) == nullptr &&
            stated_below(budget, {"spec", "maxUnavailable"}) == nullptr) {
            diagnostics_.warning(
                budget.span,
                fmt::format("the PodDisruptionBudget {} states neither minAvailable nor "
                            "maxUnavailable, and allows no disruption: expected one of them",
                            text_below(budget, {"metadata", "name"})));
        }
    }

    void read_kind(std::string_view kind, const RequestField& object) {
        const RequestField spec = object["spec"];
        if (kind == "PodDisruptionBudget") {
            sim::KubeBudget& budget = out_.budgets.emplace_back();
            budget.name_space = namespace_of(object);
            budget.pods = read_label_selector(spec["selector"]);
            budget.min_available = read_count(spec["minAvailable"]);
            budget.max_unavailable = read_count(spec["maxUnavailable"]);
            if (budget.min_available && budget.max_unavailable) {
                spec["maxUnavailable"].fail("no maxUnavailable beside minAvailable");
            }
            return;
        }
        if (kind == "PriorityClass") {
            const RequestField policy = object["preemptionPolicy"];
            out_.priority_classes[object["metadata"]["name"].text()] = {
                static_cast<std::int32_t>(object["value"].whole(INT32_MIN, INT32_MAX)),
                object["globalDefault"].boolean_or(false),
                policy.is_present() && policy.choice({"PreemptLowerPriority", "Never"}) == 1};
            return;
        }
        static_cast<void>(objects_.add(kind, object));
        if (kind != "Namespace") {
            core::kube::PodOwner& owner = objects_.read().owners.back();
            owner.name_space = namespace_of(object);
            owner.replicas = kind == "Service" ? 0 : spec["replicas"].whole_or(1, 0, INT32_MAX);
        }
    }

    void note_other(const Value& object, const std::string& kind) {
        if (others_.empty()) {
            first_other_ = object.span;
        }
        ++others_[kind];
    }

    void warn_of_others() {
        if (others_.empty()) {
            return;
        }
        std::vector<std::string> counts;
        for (const auto& [kind, count] : others_) {
            counts.push_back(fmt::format("{} {}", count, kind));
        }
        std::vector<std::string_view> known;
        for (const auto& [kind, group] : kinds) {
            known.push_back(kind);
        }
        diagnostics_.warning(
            first_other_,
            fmt::format("objects of which decisions do not depend here ({}): expected {}",
                        fmt::join(counts, ", "),
                        fmt::join(known, ", ")));
    }

    Diagnostics& diagnostics_;
    KubeObjects objects_;
    DevicesReader devices_;
    core::SourceSpan last_device_;  ///< That of the last object about devices.
    sim::KubeClusterObjects out_;
    std::set<std::tuple<std::string_view, std::string, std::string>> names_;
    std::map<std::string, std::size_t> others_;  ///< How many there are of each other kind.
    core::SourceSpan first_other_;
};

}  // namespace

bool trim_object_of_run(Value& object) {
    const std::string kind = text_below(object, {"kind"});
    if (kind == "Node" || kind == "Pod") {
        return false;
    }
    if (!kind_that_counts(object)) {
        object = picked(&object, {"apiVersion", "kind"});
        return true;
    }
    object = picked(&object,
                    {"apiVersion",
                     "kind",
                     "metadata",
                     "spec",
                     "value",
                     "globalDefault",
                     "preemptionPolicy",
                     kind == "ResourceClaim" ? "status" : "kind"});
    if (Value* metadata = object.find("metadata")) {
        *metadata = picked(metadata,
                           {"name",
                            "namespace",
                            kind == "Namespace"       ? "labels"
                            : kind == "ResourceClaim" ? "annotations"
                                                      : "name"});
    }
    if (Value* spec = object.find("spec"); spec != nullptr && !is_about_devices(kind)) {
        *spec = picked(spec, {"selector", "replicas", "minAvailable", "maxUnavailable"});
    }
    return true;
}

sim::KubeClusterObjects read_objects_of_run(const Value& list, Diagnostics& diagnostics) {
    ObjectsReader reader(diagnostics);
    for (const Value& object : list.items) {
        reader.read(object);
    }
    return reader.finish();
}

}  // namespace berth::experiments
