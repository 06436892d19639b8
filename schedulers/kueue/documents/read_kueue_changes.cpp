#include "schedulers/kueue/documents/read_kueue_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/node_rules/object_metadata.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "schedulers/kueue/documents/read_cluster_queue.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;

using core::Diagnostics;
using core::MapReader;
using core::Value;

std::string name_of(const Value& object, std::string_view key) {
    const Value* metadata = object.find("metadata");
    const Value* name = metadata != nullptr ? metadata->find(key) : nullptr;
    return name != nullptr ? name->text : std::string();
}

class ChangeReader {
public:
    ChangeReader(sim::KueueSettings& settings, Diagnostics& diagnostics)
        : settings_(settings), diagnostics_(diagnostics) {}

    sim::KueueChange read(const Value& entry) {
        MapReader map(entry, "an entry of changes", diagnostics_);
        sim::KueueChange change;
        (void)map.need("at");
        change.at = read_duration(map, "at").value_or(sim::SimTime(0));
        (void)map.take("file");
        const Value* objects = map.take("objects");
        map.report_unknown_keys();
        if (objects == nullptr || !objects->is_list() || objects->items.empty()) {
            expected(objects != nullptr ? *objects : entry,
                     "file: changed.yaml, or objects: a list of ClusterQueues, Cohorts and "
                     "LocalQueues",
                     diagnostics_);
        } else {
            seen_.clear();
            read_objects(*objects, change);
        }
        return change;
    }

private:
    void read_objects(const Value& list, sim::KueueChange& change) {
        for (const Value& object : list.items) {
            const Value* items = object.is_map() ? object.find("items") : nullptr;
            if (items != nullptr && !items->is_list()) {
                expected(*items, "a list of objects", diagnostics_);
            } else if (items != nullptr) {
                read_objects(*items, change);
            } else {
                read_object(object, change);
            }
        }
    }

    /// Checks an object beside its spec. Returns its spec, or nullptr if it has none.
    const Value* check_object(const Value& object, const std::string& kind) {
        MapReader map(object, "a " + kind, diagnostics_);
        const Value* version = map.take("apiVersion");
        for (const char* key : {"kind", "status"}) {
            (void)map.take(key);
        }
        if (version != nullptr && !version->text.starts_with("kueue.x-k8s.io/")) {
            expected(*version, "kueue.x-k8s.io/v1beta2, or another version of it", diagnostics_);
        }
        if (const Value* metadata = map.take("metadata")) {
            core::check_metadata(*metadata, diagnostics_);
        }
        const Value* spec = map.take("spec");
        map.report_unknown_keys();
        return spec;
    }

    void read_object(const Value& object, sim::KueueChange& change) {
        const Value* kind = object.is_map() ? object.find("kind") : nullptr;
        const std::string what = kind != nullptr ? kind->text : std::string();
        if (what != "ClusterQueue" && what != "Cohort" && what != "LocalQueue") {
            expected(kind != nullptr ? *kind : object,
                     "kind ClusterQueue, Cohort or LocalQueue, since others do not change in a run",
                     diagnostics_);
            return;
        }
        const Value* spec = check_object(object, what);
        if (spec == nullptr || name_of(object, "name").empty()) {
            diagnostics_.error(
                object.span,
                fmt::format("a {}: expected metadata: {{name: ...}} and the whole spec", what));
        } else if (!seen_.insert({what, name_of(object, "namespace"), name_of(object, "name")})
                        .second) {
            diagnostics_.error(object.span,
                               fmt::format("{} {} a second time: expected it once in each change",
                                           what,
                                           name_of(object, "name")));
        } else if (what == "Cohort") {
            change.cohorts.push_back(
                read_cohort(*spec, name_of(object, "name"), settings_.cache.names, diagnostics_));
        } else if (what == "ClusterQueue") {
            read_queue(object, *spec, change);
        } else {
            read_local(object, *spec, change);
        }
    }

    void read_queue(const Value& object, const Value& spec, sim::KueueChange& change) {
        kueue::ClusterQueue queue =
            read_cluster_queue(spec, name_of(object, "name"), settings_.cache.names, diagnostics_);
        const auto& before = settings_.cache.queues;
        const auto found = std::ranges::find(before, queue.name, &kueue::ClusterQueue::name);
        if (found == before.end()) {
            diagnostics_.error(
                object.span,
                fmt::format(
                    "a change cannot add ClusterQueue {}: expected one that is among the objects "
                    "from the beginning, with stopPolicy: Hold if it is to come later",
                    queue.name));
            return;
        }
        check_flavors(object, *found, queue);
        if (queue.shares_by_usage != found->shares_by_usage) {
            diagnostics_.error(
                object.span,
                fmt::format("a change cannot give ClusterQueue {} another admissionScope: expected "
                            "the one that it has from the beginning",
                            queue.name));
        }
        change.queues.push_back(std::move(queue));
    }

    void check_flavors(const Value& object,
                       const kueue::ClusterQueue& before,
                       const kueue::ClusterQueue& after) {
        const auto has_topology = [&](const kueue::ClusterQueue& queue) {
            return std::ranges::any_of(queue.quotas, [&](const auto& quota) {
                return settings_.topologies.contains(quota.first.flavor);
            });
        };
        if (has_topology(after) && !has_topology(before)) {
            diagnostics_.error(
                object.span,
                fmt::format("ClusterQueue {}: a change cannot add a flavor with a topology, since "
                            "earlier jobs of this queue carry no topology request: expected one "
                            "from the beginning, or none",
                            after.name));
        }
        for (const auto& [what, quota] : after.quotas) {
            if (!settings_.cache.flavors.contains(what.flavor)) {
                diagnostics_.warning(
                    object.span,
                    fmt::format("ClusterQueue {} can't admit new workloads from then on: "
                                "references missing ResourceFlavor(s): {}",
                                after.name,
                                settings_.cache.names[what.flavor]));
                return;
            }
        }
    }

    void read_local(const Value& object, const Value& spec, sim::KueueChange& change) {
        const std::string name_space = name_of(object, "namespace");
        const std::pair name(name_space.empty() ? "default" : name_space, name_of(object, "name"));
        sim::KueueLocalQueue queue = read_local_queue(spec, diagnostics_);
        const auto before = settings_.local_queues.find(name);
        if (before == settings_.local_queues.end()) {
            diagnostics_.error(object.span,
                               fmt::format("a change cannot add LocalQueue {}/{}: expected one "
                                           "that is among the objects from the beginning",
                                           name.first,
                                           name.second));
        } else if (queue.cluster_queue != before->second.cluster_queue &&
                   !queue.cluster_queue.empty() && !before->second.cluster_queue.empty()) {
            expected(*spec.find("clusterQueue"),
                     before->second.cluster_queue + ", since a LocalQueue keeps its ClusterQueue",
                     diagnostics_);
        }
        change.local_queues[name] = std::move(queue);
    }

    sim::KueueSettings& settings_;
    Diagnostics& diagnostics_;
    /// The kinds, namespaces and names of the objects of a change.
    std::set<std::array<std::string, 3>> seen_;
};

}  // namespace

void read_kueue_changes(const Value& list, sim::KueueSettings& settings, Diagnostics& diagnostics) {
    if (!list.is_list()) {
        expected(list, "a list such as [{at: 2h, objects: [...]}]", diagnostics);
        return;
    }
    ChangeReader reader(settings, diagnostics);
    for (const Value& entry : list.items) {
        settings.changes.push_back(reader.read(entry));
    }
    std::ranges::stable_sort(settings.changes, {}, &sim::KueueChange::at);
}

}  // namespace berth::experiments
