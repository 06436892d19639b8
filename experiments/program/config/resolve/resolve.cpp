#include "experiments/program/config/resolve/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "experiments/program/config/cluster/read_device.hpp"
#include "experiments/program/config/cluster/slurm_nodes.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/document/foreign_kind.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/config/profile/read_outside.hpp"
#include "experiments/program/config/quota/read_quota.hpp"
#include "experiments/program/config/resolve/input_files.hpp"
#include "experiments/program/config/resolve/object_lists.hpp"
#include "experiments/program/config/resolve/position_of_kind.hpp"
#include "experiments/program/config/workload/pod_lifetimes.hpp"
#include "experiments/program/config/workload/pods_in_file.hpp"
#include "experiments/program/config/workload/slurm_state.hpp"
#include "experiments/program/support/documents.hpp"
#include "topologies/graphml_reader.hpp"
#include "topologies/read_topology.hpp"
#include "topologies/writers.hpp"

namespace berth::experiments {
namespace {

using core::InputError;
using core::Value;
using Path = std::filesystem::path;
using Source = std::shared_ptr<const core::SourceText>;

constexpr std::size_t nesting_max = 16;

Value* member(Value& map, std::string_view key) {
    return map.is_map() ? map.find(key) : nullptr;
}

Value make_map(std::string key, Value value) {
    Value map;
    map.kind = Value::Kind::map;
    map.span = value.span;
    const core::SourceSpan span = value.span;
    map.members.push_back({std::move(key), span, std::move(value)});
    return map;
}

Value make_scalar(std::string text, core::SourceSpan span) {
    Value scalar;
    scalar.kind = Value::Kind::scalar;
    scalar.text = std::move(text);
    scalar.span = std::move(span);
    return scalar;
}

/// The name of the file whose content will stand under another key of the map; nullptr if none is
/// named. Errors: InputError if it is no text, or if there is such content already.
Value* file_of(Value& map, std::string_view content) {
    Value* file = file_in(map);
    if (file != nullptr && member(map, content) != nullptr) {
        throw InputError(file->span,
                         fmt::format("file and {} are both given: expected one of them", content));
    }
    return file;
}

/// The name of the file whose content will take the place of the map; nullptr if none is named.
/// Errors: InputError if it is no text, or if the map has other keys, which would be lost.
Value* file_instead_of(Value& map) {
    Value* file = file_in(map);
    if (file != nullptr) {
        check_is_alone(map);
    }
    return file;
}

/// Replaces file names by the content of the files. file_keys.cpp lists their keys.
class Inliner {
public:
    explicit Inliner(InputFiles& files) : files_(files) {}

    void experiment(Value& document, const Path& folder) {
        Value* spec = member(document, "spec");
        if (spec == nullptr) {
            return;
        }
        if (Value* place = member(*spec, "topology")) {
            topology(*place, folder);
        }
        if (Value* scheduler = member(*spec, "scheduler")) {
            labels_count_ = std::ranges::any_of(scheduler_documents(), [&](const auto& one) {
                return one.read_pod != nullptr && member(*scheduler, one.key) != nullptr;
            });
        }
        if (Value* sources = member(*spec, "workload")) {
            workload(*sources, folder, 0);
        }
        if (Value* sources = member(*spec, "quotas")) {
            for (Value& source : sources->items) {
                quotas(source, folder);
            }
        }
        if (Value* sources = member(*spec, "devices")) {
            for (Value& source : sources->items) {
                devices(source, folder);
            }
        }
        if (Value* scheduler = member(*spec, "scheduler")) {
            if (Value* pods = member(*scheduler, "typicalPods")) {
                keep_trace(*pods, folder);
            }
            for (const SchedulerDocuments& one : scheduler_documents()) {
                if (Value* own = member(*scheduler, one.key)) {
                    scheduler_objects(*own, one, folder);
                }
            }
            outside_scheduler(*scheduler, folder);
        }
        if (Value* failures = member(*spec, "failures")) {
            table(*failures, folder);
        }
        if (Value* changes = member(*spec, "quotaChanges")) {
            for (Value& change : changes->items) {
                quota_change(change, folder);
            }
        }
    }

    /// Replaces the name of a workload file by the sources in the file.
    void workload(Value& sources, const Path& folder, std::size_t depth) {
        std::vector<Value> out;
        for (Value& source : sources.items) {
            Value* file = file_instead_of(source);
            if (file == nullptr) {
                workload_source(source, folder);
                out.push_back(std::move(source));
                continue;
            }
            if (depth == nesting_max) {
                throw InputError(file->span,
                                 "workload files name each other without end: expected no file "
                                 "that leads back to itself");
            }
            const Path path = folder / file->text;
            Value found = document(path, *file, {"Workload"});
            core::Diagnostics diagnostics;
            (void)read_workload_parts(found, diagnostics);
            diagnostics.throw_if_failed();
            Value* nested = found.find("spec")->find("sources");
            if (!nested->is_list()) {
                throw InputError(found.span, "a Workload has no spec.sources: expected a list");
            }
            workload(*nested, path.parent_path(), depth + 1);
            std::ranges::move(nested->items, std::back_inserter(out));
        }
        sources.items = std::move(out);
    }

private:
    Source text(const Path& path, const Value& named) {
        try {
            return files_.text(path);
        } catch (const InputError& error) {
            std::string why = error.what();
            const std::string prefix = path.string() + ": error: ";
            if (why.starts_with(prefix)) {
                why.erase(0, prefix.size());
            }
            throw InputError(named.span, fmt::format("{} {}", path.string(), why));
        }
    }

    const std::vector<Value>& documents(const Path& path, const Value& named) {
        (void)text(path, named);  // reports a missing file at its name
        return *files_.documents(path);
    }

    Value document(const Path& path, const Value& named, const std::vector<std::string>& kinds) {
        const std::vector<Value>& all = documents(path, named);
        return one_of_kind(
            all, text(path, named), kinds, [&](std::size_t position) { return all[position]; });
    }

    void topology(Value& place, const Path& folder) {
        Value* nodes = member(place, "nodes");
        const Value* format = nodes != nullptr ? member(*nodes, "format") : nullptr;
        if (format != nullptr && (format->text == "openb" || format->text == "spot")) {
            keep_file(*nodes, folder, files_);
            return;
        }
        Value& named = nodes != nullptr ? *nodes : place;
        Value* file = nodes != nullptr ? file_of(named, "document") : file_instead_of(named);
        if (file == nullptr) {
            return;
        }
        const Path path = folder / file->text;
        if (nodes != nullptr) {
            // The list of nodes is kept as it is; format and levels stay beside it.
            if (format != nullptr && format->text == "slurm") {
                *file = read_slurm_nodes(text(path, *file));
                member(*nodes, "format")->text = "kubernetes";
            } else {
                *file = document(path, *file, {"Node", "NodeList", "List"});
            }
            leave_nodes_alone(*file);
            std::ranges::find(named.members, "file", &core::Member::key)->key = "document";
            return;
        }
        Value found = topology_document(path, *file);
        Value* spec = member(found, "spec");
        place = kind_of(found) == "Topology" && spec != nullptr
                    ? make_map("spec", std::move(*spec))
                    : make_map("document", std::move(found));
    }

    /// Removes what the cluster listed besides its nodes, which is not part of the topology.
    static void leave_nodes_alone(Value& document) {
        if (Value* items = member(document, "items")) {
            std::erase_if(items->items, [](const Value& item) {
                return !kind_of(item).empty() && kind_of(item) != "Node";
            });
        }
    }

    Value topology_document(const Path& path, const Value& named) {
        const std::string name = path.filename().string();
        if (name.find(".graphml") == std::string::npos) {
            return document(path, named, {"Topology", "TopologyTree", "Node", "NodeList", "List"});
        }
        const Source source = text(path, named);
        std::istringstream in(source->text);
        auto tree = topologies::read_plain_graphml(in, {});
        if (!tree) {
            std::istringstream again(source->text);
            tree = topologies::read_graphml(again, source->name, {});
        }
        std::ostringstream json;
        topologies::write_json(json, *tree);
        auto text = std::make_shared<core::SourceText>();
        text->name = source->name;
        text->text = json.str();
        return parse_documents(text).front();
    }

    /// The documents of a file that are wanted, as a list.
    Value objects(const Path& path,
                  const Value& named,
                  bool (*is_wanted)(const Value&),
                  std::string_view if_none) {
        const core::SourceSpan whole{text(path, named), 1, 1, 1};
        Value list;
        list.kind = Value::Kind::list;
        list.span = whole;
        std::ranges::copy_if(documents(path, named), std::back_inserter(list.items), is_wanted);
        if (list.items.empty()) {
            throw InputError(whole, if_none);
        }
        return list;
    }

    /// Replaces the name of a file by all ElasticQuota objects in it.
    void quotas(Value& source, const Path& folder) {
        Value* file = file_of(source, "objects");
        if (file == nullptr) {
            return;
        }
        *file = objects(folder / file->text,
                        *file,
                        holds_quotas,
                        "found no quota: expected kind: ElasticQuota");
        std::ranges::find(source.members, "file", &core::Member::key)->key = "objects";
    }

    /// Replaces the name of a file, which may be a text alone, by all of a scheduler's objects in
    /// it. Does the same in each change of objects.
    void scheduler_objects(Value& source, const SchedulerDocuments& scheduler, const Path& folder) {
        if (source.is_scalar() && !scheduler.file_key.empty()) {
            Value map{Value::Kind::map, {}, {}, {}, source.span};
            map.members.push_back({std::string(scheduler.file_key), source.span, source});
            source = std::move(map);
        }
        for (const std::string_view key : scheduler.text_files) {
            scheduler_text(source, key, scheduler.text_key, folder);
        }
        scheduler_file(source, scheduler, folder);
        if (Value* changes = member(source, "changes")) {
            for (Value& change : changes->items) {
                scheduler_file(change, scheduler, folder);
            }
        }
        if (Value* own =
                scheduler.cluster_key.empty() ? nullptr : member(source, scheduler.cluster_key)) {
            cluster_objects(*own, scheduler, folder);
        }
    }

    /// Replaces the name of a file by its text.
    void scheduler_text(Value& source,
                        std::string_view key,
                        std::string_view text_key,
                        const Path& folder) {
        Value* file = member(source, key);
        if (file == nullptr || !file->is_scalar()) {
            return;
        }
        const Source read = text(folder / file->text, *file);
        Value map{Value::Kind::map, {}, {}, {}, file->span};
        map.members.push_back(
            {std::string(text_key), file->span, make_scalar(read->text, {read, 1, 1, 1})});
        *file = std::move(map);
    }

    /// Makes one list of what is an object, a list of objects, or the name of a file of objects.
    void cluster_objects(Value& source, const SchedulerDocuments& scheduler, const Path& folder) {
        if (source.kind == Value::Kind::null) {
            return;
        }
        Value all{Value::Kind::list, {}, {}, {}, source.span};
        if (!source.is_list()) {
            Value only = std::move(source);
            source = {Value::Kind::list, {}, {}, {}, only.span};
            source.items.push_back(std::move(only));
        }
        for (Value& entry : source.items) {
            if (entry.is_scalar()) {
                std::ranges::move(
                    cluster_objects_in(documents(folder / entry.text, entry), entry, scheduler),
                    std::back_inserter(all.items));
            } else {
                add_objects(std::move(entry), all.items);
            }
        }
        source = std::move(all);
    }

    void scheduler_file(Value& source, const SchedulerDocuments& scheduler, const Path& folder) {
        const bool is_file = scheduler.file_key == "file";
        Value* file = is_file ? file_of(source, "objects") : member(source, scheduler.file_key);
        if (file == nullptr || !file->is_scalar()) {
            return;
        }
        *file = objects(folder / file->text, *file, scheduler.holds_objects, scheduler.no_object);
        scheduler.leave_out_jobs(*file);
        if (is_file) {
            std::ranges::find(source.members, "file", &core::Member::key)->key = "objects";
        }
    }

    /// Replaces the name of a file by all Device objects in it.
    void devices(Value& source, const Path& folder) {
        Value* file = file_of(source, "objects");
        if (file == nullptr) {
            return;
        }
        *file = objects(
            folder / file->text, *file, holds_devices, "found no device: expected kind: Device");
        std::ranges::find(source.members, "file", &core::Member::key)->key = "objects";
    }

    /// A scheduler from outside stays in its file. A text that is no name of a scheduler is left
    /// for the reader to refuse.
    void outside_scheduler(Value& scheduler, const Path& folder) {
        const OutsideKind* kind = outside_kind(scheduler);
        if (kind == nullptr) {
            return;
        }
        if (const auto name = outside_name(scheduler.find(kind->key)->text, *kind)) {
            keep_file(scheduler, folder, files_, kind->key, name->rest.size());
        }
    }

    /// Replaces the name of a CSV file by its text.
    void keep_trace(Value& trace, const Path& folder) {
        keep_file(trace, folder, files_);
        if (Value* speeds = member(trace, "speeds")) {
            table(*speeds, folder);
        }
    }

    void table(Value& map, const Path& folder) {
        if (Value* file = file_of(map, "csv")) {
            const Source csv = text(folder / file->text, *file);
            *file = make_scalar(csv->text, {csv, 1, 1, 1});
            std::ranges::find(map.members, "file", &core::Member::key)->key = "csv";
        }
    }

    void quota_change(Value& change, const Path& folder) {
        for (const char* key : {"create", "update"}) {
            Value* object = member(change, key);
            if (Value* file = object != nullptr ? file_instead_of(*object) : nullptr) {
                *object = document(folder / file->text, *file, {"ElasticQuota"});
            }
        }
    }

    /// Replaces the name of a file by what runs: pods as a document, jobs of Slurm as a text.
    void running(Value& source, const Path& folder) {
        const bool of_slurm = is_of_slurm(source);
        Value* file = file_of(source, of_slurm ? "jobs" : "document");
        if (file == nullptr) {
            return;
        }
        const Path path = folder / file->text;
        if (of_slurm) {
            const Source jobs = text(path, *file);
            *file = make_scalar(jobs->text, {jobs, 1, 1, 1});
        } else {
            *file = trimmed_pods(document(path, *file, {"Pod", "PodList", "List"}),
                                 PodLifetimes::draws_from_ended(source.find("lifetime")),
                                 labels_count_);
        }
        std::ranges::find(source.members, "file", &core::Member::key)->key =
            of_slurm ? "jobs" : "document";
    }

    void workload_source(Value& source, const Path& folder) {
        if (Value* background = member(source, "background")) {
            table(*background, folder);
        }
        if (Value* pods = member(source, "running")) {
            running(*pods, folder);
        }
        if (Value* trace = member(source, "trace")) {
            keep_trace(*trace, folder);
        }
        Value* pods = member(source, "pods");
        for (std::size_t i = 0; pods != nullptr && i < pods->items.size(); ++i) {
            Value& entry = pods->items[i];
            if (Value* file = file_of(entry, "document")) {
                *file = object_with_pods_in(documents(folder / file->text, *file), *file);
                std::ranges::find(entry.members, "file", &core::Member::key)->key = "document";
            }
            Value* training = member(entry, "training");
            if (Value* speeds = training != nullptr ? member(*training, "speeds") : nullptr) {
                table(*speeds, folder);
            }
        }
        Value* groups = member(source, "groups");
        if (groups == nullptr) {
            return;
        }
        for (Value& group : groups->items) {
            if (Value* file = file_of(group, "document")) {
                *file = document(folder / file->text, *file, {"GroupPlacement"});
                std::ranges::find(group.members, "file", &core::Member::key)->key = "document";
            }
        }
    }

    InputFiles& files_;
    bool labels_count_ = false;  ///< Whether a scheduler reads all labels of pods.
};

}  // namespace

Value resolve_document(Value document,
                       const Path& folder,
                       const std::vector<Override>& overrides,
                       InputFiles& files) {
    std::vector<const Override*> inside_files;
    for (const Override& override : overrides) {
        if (!try_override(document, override)) {
            inside_files.push_back(&override);
        }
    }
    Inliner(files).experiment(document, folder);
    for (const Override* override : inside_files) {
        apply_override(document, *override);
    }
    return document;
}

ResolvedExperiment resolve_experiment(const Path& file, const std::vector<Override>& overrides) {
    InputFiles files;
    return {resolve_document(document_of_kind(files.text(file), {"Experiment"}),
                             file == "-" ? Path() : file.parent_path(),
                             overrides,
                             files)};
}

ResolvedExperiment resolve_workload(const Path& file) {
    InputFiles files;
    Value document = document_of_kind(files.text(file), {"Workload"});
    if (Value* spec = member(document, "spec")) {
        if (Value* sources = member(*spec, "sources")) {
            Inliner(files).workload(*sources, file == "-" ? Path() : file.parent_path(), 0);
        }
    }
    return {std::move(document)};
}

}  // namespace berth::experiments
