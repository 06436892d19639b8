#include "schedulers/kueue/documents/read_kueue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/node_rules/labels.hpp"
#include "core/node_rules/object_metadata.hpp"
#include "core/tree/level_of_label.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/document/object_fields.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "schedulers/kueue/documents/read_cluster_queue.hpp"
#include "schedulers/kueue/documents/read_flavor_taints.hpp"
#include "schedulers/kueue/documents/read_kueue_changes.hpp"
#include "schedulers/kueue/documents/read_kueue_configuration.hpp"
#include "schedulers/kueue/trace/object_fields.hpp"
#include "schedulers/kueue/trace/object_header.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;

using core::Diagnostics;
using core::MapReader;
using core::Value;

std::string text_at(const Value& object, std::string_view key) {
    const Value* found = object.is_map() ? object.find(key) : nullptr;
    return found != nullptr && found->is_scalar() ? found->text : std::string();
}

bool is_of_kueue(const Value& document) {
    const std::string version = text_at(document, "apiVersion");
    return version.starts_with("kueue.x-k8s.io/") || version.starts_with("config.kueue.x-k8s.io/");
}

/// Whether an object belongs to a trace of the format kueue, or to the state of a cluster. Such
/// objects may be in the same file as Kueue's setup.
bool is_job(const Value& object) {
    const std::string version = text_at(object, "apiVersion");
    const std::string kind = text_at(object, "kind");
    const auto is = [&](std::string_view of_version, std::string_view of_kind) {
        return version == of_version && kind == of_kind;
    };
    return (is_of_kueue(object) && kind == "Workload") || is("batch/v1", "Job") ||
           is("v1", "Pod") || is("v1", "Node") || kind == "PodGroup" ||
           is("scheduling.k8s.io/v1", "PriorityClass");
}

class ObjectsReader {
public:
    /// `tree`: the cluster of a run, whose levels topologies refer to; nullptr for objects without
    /// a run.
    ObjectsReader(sim::KueueSettings& settings,
                  const core::Topology* tree,
                  bool placer_reads_labels,
                  Diagnostics& diagnostics)
        : settings_(settings),
          tree_(tree),
          placer_reads_labels_(placer_reads_labels),
          diagnostics_(diagnostics) {}

    void read(const Value& object) {
        const std::string kind = text_at(object, "kind");
        if (const Value* items = object.is_map() ? object.find("items") : nullptr) {
            if (!items->is_list()) {
                expected(*items, "a list of objects", diagnostics_);
            }
            for (const Value& item : items->items) {
                read(item);
            }
        } else if (kind == "ConfigMap") {
            diagnostics_.error(
                object.span,
                "a ConfigMap: expected Kueue's Configuration itself, which is a text in it, under "
                "data: kubectl get configmap kueue-manager-config -n kueue-system -o "
                "jsonpath='{.data.controller_manager_config\\.yaml}' prints it");
        } else if (!is_of_kueue(object)) {
            expected(object,
                     "an object of kueue.x-k8s.io or config.kueue.x-k8s.io, such as kind: "
                     "ClusterQueue",
                     diagnostics_);
        } else if (kind == "Configuration") {
            once(object, kind, "");
            configuration_fields_.look_at(object);
            read_kueue_configuration(object, settings_, diagnostics_);
            sharing_ =
                settings_.admission_fair_sharing ? object.find("admissionFairSharing") : nullptr;
        } else {
            read_named(object, kind);
        }
    }

    /// Checks the references between objects that a run needs.
    void check_references() {
        for (const auto& [name, queue] : local_queues_) {
            if (!has_queue(queue->text)) {
                expected(*queue, "a ClusterQueue among the objects", diagnostics_);
            }
        }
        for (const auto& [flavor, name] : topology_of_) {
            const auto topology = topologies_.find(name->text);
            if (topology == topologies_.end()) {
                expected(*name, "a Topology among the objects", diagnostics_);
            } else {
                settings_.topologies.emplace(flavor, topology->second);
            }
        }
        warn_of_queues_that_admit_nobody();
        warn_of_what_has_no_effect("among the objects");
    }

    /// Checks the same references for objects without a run: other objects may be in another file.
    void warn_of_references() {
        for (const auto& [name, queue] : local_queues_) {
            if (!has_queue(queue->text)) {
                diagnostics_.warning(
                    queue->span,
                    fmt::format("LocalQueue {}/{}: ClusterQueue {} is not in this file, without "
                                "which no job in the queue is admitted",
                                name.first,
                                name.second,
                                queue->text));
            }
        }
        for (const auto& [flavor, name] : topology_of_) {
            if (!topologies_.contains(name->text)) {
                diagnostics_.warning(name->span,
                                     fmt::format("ResourceFlavor {}: Topology {} is not in this "
                                                 "file, without which no job is admitted",
                                                 settings_.cache.names[flavor],
                                                 name->text));
            }
        }
        warn_of_queues_that_admit_nobody();
        warn_of_what_has_no_effect("in this file");
    }

private:
    [[nodiscard]] bool has_queue(const std::string& name) const { return queues_.contains(name); }

    void warn_of_queues_that_admit_nobody() {
        const std::set<std::string> circles = cohorts_in_circles(settings_.cache);
        for (const kueue::ClusterQueue& queue : settings_.cache.queues) {
            check_flavors(queue);
            if (circles.contains(queue.cohort)) {
                diagnostics_.warning(
                    queues_.at(queue.name),
                    fmt::format("ClusterQueue {} can't admit new workloads: the parents of its "
                                "cohort {} go round in a circle",
                                queue.name,
                                queue.cohort));
            }
        }
    }

    void warn_of_what_has_no_effect(std::string_view where) {
        experiments::warn_of_what_has_no_effect(
            settings_, {queues_, cohorts_, sharing_}, tree_, where, diagnostics_);
        if (tree_ == nullptr) {
            return;  // without a run, nothing depends on these fields yet
        }
        configuration_fields_.warn("Configuration", diagnostics_);
        if (!settings_.admission_fair_sharing) {
            queue_fields_.warn("LocalQueue", diagnostics_);
        }
    }

    void read_named(const Value& object, const std::string& kind) {
        MapReader map(object, kind.empty() ? "an object" : fmt::format("a {}", kind), diagnostics_);
        for (const char* key : {"apiVersion", "kind", "status"}) {
            (void)map.take(key);
        }
        const Value* metadata = map.need("metadata");
        if (metadata != nullptr) {
            core::check_metadata(*metadata, diagnostics_);
        }
        const std::string name = metadata != nullptr ? text_at(*metadata, "name") : "";
        const Value nothing{Value::Kind::map, {}, {}, {}, object.span};
        const Value* given = map.take("spec");
        const Value& spec = given != nullptr ? *given : nothing;
        if (kind == "WorkloadPriorityClass") {
            (void)map.integer("value", 0, INT32_MIN, INT32_MAX);
            (void)map.take("description");
        }
        map.report_unknown_keys();
        if (name.empty()) {
            expected(
                metadata != nullptr ? *metadata : object, "metadata: {name: ...}", diagnostics_);
            return;
        }
        const std::string given_space = text_at(*metadata, "namespace");
        const std::string name_space = given_space.empty() ? "default" : given_space;
        once(object, kind, kind == "LocalQueue" ? name_space + "/" + name : name);
        if (kind == "ClusterQueue") {
            settings_.cache.queues.push_back(
                read_cluster_queue(spec, name, settings_.cache.names, diagnostics_));
            queues_.emplace(name, object.span);
        } else if (kind == "Cohort") {
            settings_.cache.cohorts.push_back(
                read_cohort(spec, name, settings_.cache.names, diagnostics_));
            cohorts_.emplace(name, object.span);
        } else if (kind == "ResourceFlavor") {
            read_flavor(spec, name);
        } else if (kind == "LocalQueue") {
            queue_fields_.look_at(object);
            read_local_queue(spec, {name_space, name});
        } else if (kind == "Topology") {
            read_topology(spec, name);
        } else if (kind != "WorkloadPriorityClass") {
            diagnostics_.error(object.span,
                               fmt::format("kind {}: expected ClusterQueue, Cohort, LocalQueue, "
                                           "ResourceFlavor, Topology, WorkloadPriorityClass or "
                                           "Configuration, since others are not modelled in a run",
                                           kind));
        }
    }

    void once(const Value& object, const std::string& kind, const std::string& name) {
        if (!seen_.emplace(kind, name).second) {
            diagnostics_.error(object.span,
                               fmt::format("{} {} a second time: expected one", kind, name));
        }
    }

    void read_flavor(const Value& value, const std::string& name) {
        MapReader spec(value, "a ResourceFlavor's spec", diagnostics_);
        kueue::ResourceFlavor flavor;
        if (const Value* labels = spec.take("nodeLabels")) {
            flavor.node_labels = core::read_labels(*labels, diagnostics_);
            check_labels(*labels, name, flavor.node_labels, value.find("topologyName") != nullptr);
        }
        flavor.tolerations = read_flavor_taints(spec);
        const kueue::FlavorId id = settings_.cache.names.flavor(name);
        if (const Value* topology = spec.take("topologyName")) {
            if (flavor.node_labels.empty()) {
                expected(value, "nodeLabels, as every flavor with a topology has", diagnostics_);
            }
            topology_of_.emplace(id, topology);
        }
        spec.report_unknown_keys();
        settings_.cache.flavors.emplace(id, std::move(flavor));
    }

    /// Warns about flavors without servers. Such a flavor can only be a mistake of the user,
    /// because pods that get it wait for ever.
    void check_labels(const Value& at,
                      const std::string& flavor,
                      const core::Labels& labels,
                      bool has_topology) {
        if (tree_ == nullptr || labels.empty() || placer_reads_labels_) {
            return;
        }
        if (!core::knows_labels(*tree_)) {
            diagnostics_.warning(
                at.span,
                fmt::format("flavor {}: no server has labels, so that its pods may "
                            "run on all of them: machineTypes may have labels",
                            flavor));
            return;
        }
        const std::vector<bool> with = core::servers_with(*tree_, labels);
        if (std::ranges::find(with, true) != with.end()) {
            return;
        }
        const std::string none = fmt::format("flavor {}: no server has these labels", flavor);
        if (has_topology) {
            diagnostics_.error(at.span, none + ": expected one at least for its topology");
        } else {
            diagnostics_.warning(at.span, none + ": pods that get it find no place");
        }
    }

    void read_topology(const Value& value, const std::string& name) {
        MapReader spec(value, "a Topology's spec", diagnostics_);
        const Value* levels = spec.need("levels");
        spec.report_unknown_keys();
        constexpr std::size_t levels_max = 16;
        if (levels == nullptr) {
            return;
        }
        if (!levels->is_list() || levels->items.empty() || levels->items.size() > levels_max) {
            expected(*levels, "a list of 1 to 16 levels: {nodeLabel: ...}", diagnostics_);
            return;
        }
        sim::FlavorTopology topology{name, {}, {}};
        std::set<std::string> labels;
        for (const Value& item : levels->items) {
            MapReader level(item, "a level", diagnostics_);
            const Value* label = level.need("nodeLabel");
            level.report_unknown_keys();
            if (label == nullptr || !core::check_label_key(*label, diagnostics_)) {
                continue;
            }
            if (!labels.insert(label->text).second) {
                expected(*label, "a label that no level above has", diagnostics_);
            } else if (label->text == core::hostname_label && &item != &levels->items.back()) {
                expected(*label, "it only as the lowest level", diagnostics_);
            } else if (tree_ != nullptr) {
                add_level(*label, topology);
            }
        }
        if (tree_ != nullptr && topology.levels.size() == levels->items.size() &&
            topology.levels.back() != tree_->server_level()) {
            expected(
                levels->items.back(),
                "kubernetes.io/hostname as the lowest level, since a run places pods on servers",
                diagnostics_);
        }
        topologies_.emplace(name, std::move(topology));
    }

    void add_level(const Value& label, sim::FlavorTopology& topology) {
        const auto level = core::level_of_label(label.text, *tree_, settings_.level_names);
        if (!level || *level == core::Level{0}) {
            const auto& names = tree_->level_names();
            expected(label,
                     fmt::format("a label that ends in the name of a level ({}), or beside "
                                 "file, levels: {{{}: LEVEL}}",
                                 fmt::join(names.begin() + 1, names.end(), ", "),
                                 label.text),
                     diagnostics_);
            return;
        }
        if (!topology.levels.empty() && !(topology.levels.back() < *level)) {
            expected(label, "levels that differ, from the top down", diagnostics_);
            return;
        }
        topology.labels.push_back(label.text);
        topology.levels.push_back(*level);
    }

    void read_local_queue(const Value& value, std::pair<std::string, std::string> name) {
        if (const Value* queue = value.find("clusterQueue")) {
            local_queues_.emplace_back(name, queue);
        }
        settings_.local_queues.emplace(std::move(name),
                                       experiments::read_local_queue(value, diagnostics_));
    }

    /// Warns about queues with a missing flavor: nothing is admitted to them.
    void check_flavors(const kueue::ClusterQueue& queue) {
        std::vector<std::string> missing;
        for (const kueue::ResourceGroup& group : queue.groups) {
            for (const kueue::FlavorId flavor : group.flavors) {
                if (!settings_.cache.flavors.contains(flavor)) {
                    missing.push_back(settings_.cache.names[flavor]);
                }
            }
        }
        if (!missing.empty()) {
            diagnostics_.warning(
                queues_.at(queue.name),
                fmt::format("ClusterQueue {} can't admit new workloads: references missing "
                            "ResourceFlavor(s): {}",
                            queue.name,
                            fmt::join(missing, ",")));
        }
    }

    sim::KueueSettings& settings_;
    const core::Topology* tree_;
    bool placer_reads_labels_;  ///< Its nodes may have labels that those of the tree have not.
    Diagnostics& diagnostics_;
    std::set<std::pair<std::string, std::string>> seen_;  ///< Kind and name of each object.
    std::vector<std::pair<std::pair<std::string, std::string>, const Value*>> local_queues_;
    std::map<std::string, core::SourceSpan> queues_;   ///< Place of each ClusterQueue.
    std::map<std::string, core::SourceSpan> cohorts_;  ///< Place of each Cohort.
    std::map<std::string, sim::FlavorTopology> topologies_;
    std::map<kueue::FlavorId, const Value*> topology_of_;  ///< The name of each flavor's topology.
    /// The Configuration's admissionFairSharing; nullptr if usage has no effect.
    const Value* sharing_ = nullptr;
    ObjectFields configuration_fields_{workloads::kueue_configuration_fields()};
    ObjectFields queue_fields_{workloads::unshared_queue_fields()};
};

}  // namespace

bool holds_kueue_jobs(const Value& document) {
    const Value* items = document.is_map() ? document.find("items") : nullptr;
    if (items != nullptr) {
        return std::ranges::any_of(items->items, holds_kueue_jobs);
    }
    const Value* queue = value_below(document, {"metadata", "labels", workloads::queue_label});
    return is_job(document) && (is_of_kueue(document) || queue != nullptr);
}

void leave_out_jobs(Value& documents) {
    for (Value& document : documents.items) {
        Value* items = document.is_map() ? document.find("items") : nullptr;
        if (items != nullptr) {
            leave_out_jobs(*items);
        }
    }
    std::erase_if(documents.items, is_job);
}

bool holds_kueue_objects(const Value& document) {
    const Value* items = document.is_map() ? document.find("items") : nullptr;
    return (is_of_kueue(document) && !is_job(document)) ||
           (items != nullptr && std::ranges::any_of(items->items, holds_kueue_objects));
}

void check_kueue_objects(const std::vector<Value>& documents, Diagnostics& diagnostics) {
    sim::KueueSettings settings;
    set_kueue_defaults(settings);
    ObjectsReader reader(settings, nullptr, false, diagnostics);
    for (const Value& document : documents) {
        reader.read(document);
    }
    if (!diagnostics.failed()) {  // otherwise an object may be missing that was refused
        reader.warn_of_references();
    }
}

namespace {

/// Reads `{admit: 20ms, retry: 1s}`.
void read_latency(const Value& value, sim::KueueSettings& settings, Diagnostics& diagnostics) {
    if (!value.is_map()) {
        expected(value, "{admit: 20ms, retry: 1s}", diagnostics);
        return;
    }
    MapReader map(value, "kueue.latency", diagnostics);
    settings.write_time = read_duration(map, "admit").value_or(settings.write_time);
    if (const Value* retry = map.take("retry")) {
        settings.retry_after = read_duration(*retry, diagnostics).value_or(settings.retry_after);
        if (settings.retry_after == sim::SimTime(0)) {
            expected(*retry, "more than 0s: Kueue has 1s", diagnostics);
        }
    }
    map.report_unknown_keys();
}

}  // namespace

std::shared_ptr<const sim::AdmissionSettings> read_kueue(const Value& value,
                                                         const core::Topology* tree,
                                                         bool placer_reads_labels,
                                                         Diagnostics& diagnostics) {
    MapReader map(value, "kueue", diagnostics);
    auto settings = std::make_shared<sim::KueueSettings>();
    set_kueue_defaults(*settings);
    (void)map.take("file");
    const Value* objects = map.take("objects");
    settings->grace = read_duration(map, "grace").value_or(sim::SimTime(0));
    if (const Value* latency = map.take("latency")) {
        read_latency(*latency, *settings, diagnostics);
    }
    if (const Value* given = map.take("levels")) {
        if (!given->is_map()) {
            expected(*given, "a map such as {example.com/rack: rack}", diagnostics);
        }
        for (const core::Member& level : given->members) {
            if (tree != nullptr && !tree->find_level(level.value.text)) {
                expected(level.value, "a level of the cluster", diagnostics);
            }
            settings->level_names.emplace(level.key, level.value.text);
        }
    }
    const Value* changes = map.take("changes");
    map.report_unknown_keys();
    if (objects == nullptr || !objects->is_list()) {
        expected(objects != nullptr ? *objects : value,
                 "file: kueue.yaml, or objects: a list of Kueue's objects",
                 diagnostics);
        return settings;
    }
    ObjectsReader reader(*settings, tree, placer_reads_labels, diagnostics);
    for (const Value& object : objects->items) {
        reader.read(object);
    }
    reader.check_references();
    if (settings->cache.queues.empty()) {
        expected(*objects, "a ClusterQueue at least", diagnostics);
    }
    if (changes != nullptr) {
        read_kueue_changes(*changes, *settings, diagnostics);
    }
    return settings;
}

}  // namespace berth::experiments
