#include "experiments/config/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "experiments/config/kept_file.hpp"
#include "experiments/config/read_device.hpp"
#include "experiments/config/read_quota.hpp"
#include "experiments/config/read_running.hpp"
#include "experiments/documents.hpp"
#include "topologies/graphml_reader.hpp"
#include "topologies/read_topology.hpp"
#include "topologies/write_json.hpp"

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

std::string kind_of(const Value& document) {
    const Value* kind = document.is_map() ? document.find("kind") : nullptr;
    return kind != nullptr ? kind->text : "";
}

/// Replaces file names by what the files hold.
class Inliner {
public:
    std::vector<Source> inputs;

    Source read(const Path& path) {
        const auto known = std::ranges::find(inputs, path.string(), &core::SourceText::name);
        if (known != inputs.end()) {
            return *known;
        }
        inputs.push_back(read_source(path));
        return inputs.back();
    }

    void experiment(Value& document, const Path& folder) {
        Value* spec = member(document, "spec");
        if (spec == nullptr) {
            return;
        }
        if (Value* place = member(*spec, "topology")) {
            topology(*place, folder);
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
                keep_file(*pods, folder);
            }
        }
        if (Value* changes = member(*spec, "quotaChanges")) {
            for (Value& change : changes->items) {
                quota_change(change, folder);
            }
        }
    }

    /// A list of sources; those of a workload file take the place of its name.
    void workload(Value& sources, const Path& folder, std::size_t depth) {
        std::vector<Value> out;
        for (Value& source : sources.items) {
            Value* file = member(source, "file");
            if (file == nullptr || !file->is_scalar()) {
                workload_source(source, folder);
                out.push_back(std::move(source));
                continue;
            }
            if (depth == nesting_max) {
                throw InputError(file->span, "workload files name each other: expected an end");
            }
            const Path path = folder / file->text;
            Value document = document_of_kind(read_named(path, *file), {"Workload"});
            Value* spec = member(document, "spec");
            Value* nested = spec != nullptr ? member(*spec, "sources") : nullptr;
            if (nested == nullptr || !nested->is_list()) {
                throw InputError(document.span, "a Workload has no spec.sources: expected a list");
            }
            workload(*nested, path.parent_path(), depth + 1);
            std::ranges::move(nested->items, std::back_inserter(out));
        }
        sources.items = std::move(out);
    }

private:
    Source read_named(const Path& path, const Value& named) {
        try {
            return read(path);
        } catch (const InputError& error) {
            std::string why = error.what();
            const std::string prefix = path.string() + ": error: ";
            if (why.starts_with(prefix)) {
                why.erase(0, prefix.size());
            }
            throw InputError(named.span, fmt::format("{} {}", path.string(), why));
        }
    }

    void topology(Value& place, const Path& folder) {
        Value* nodes = member(place, "nodes");
        const Value* format = nodes != nullptr ? member(*nodes, "format") : nullptr;
        if (format != nullptr && (format->text == "openb" || format->text == "spot")) {
            keep_file(*nodes, folder);
            return;
        }
        Value& named = nodes != nullptr ? *nodes : place;
        Value* file = member(named, "file");
        if (file == nullptr || !file->is_scalar()) {
            return;
        }
        const Path path = folder / file->text;
        const Source source = read_named(path, *file);
        if (nodes != nullptr) {
            // The list of nodes as it is; format and levels stay beside it.
            *file = document_of_kind(source, {"Node", "NodeList", "List"});
            leave_nodes_alone(*file);
            std::ranges::find(named.members, "file", &core::Member::key)->key = "document";
            return;
        }
        Value document = topology_document(path, source);
        Value* spec = member(document, "spec");
        place = kind_of(document) == "Topology" && spec != nullptr
                    ? make_map("spec", std::move(*spec))
                    : make_map("document", std::move(document));
    }

    /// What else a cluster listed beside its nodes is no part of the topology.
    static void leave_nodes_alone(Value& document) {
        if (Value* items = member(document, "items")) {
            std::erase_if(items->items, [](const Value& item) {
                return !kind_of(item).empty() && kind_of(item) != "Node";
            });
        }
    }

    static Value topology_document(const Path& path, const Source& source) {
        const std::string name = path.filename().string();
        if (name.find(".graphml") == std::string::npos) {
            return document_of_kind(source,
                                    {"Topology", "TopologyTree", "Node", "NodeList", "List"});
        }
        std::istringstream in(source->text);
        const core::Topology tree = topologies::read_graphml(in, source->name, {});
        std::ostringstream json;
        topologies::write_json(json, tree);
        auto text = std::make_shared<core::SourceText>();
        text->name = source->name;
        text->text = json.str();
        return parse_documents(text).front();
    }

    /// All ElasticQuota objects of a file take the place of its name.
    void quotas(Value& source, const Path& folder) {
        Value* file = member(source, "file");
        if (file == nullptr || !file->is_scalar()) {
            return;
        }
        if (member(source, "objects") != nullptr) {
            throw InputError(file->span, "a file beside objects: expected one of them an entry");
        }
        const Source text = read_named(folder / file->text, *file);
        Value objects;
        objects.kind = Value::Kind::list;
        objects.span = {text, 1, 1, 1};
        for (Value& document : parse_documents(text)) {
            if (holds_quotas(document)) {
                objects.items.push_back(std::move(document));
            }
        }
        if (objects.items.empty()) {
            throw InputError({text, 1, 1, 1}, "found no quota: expected kind: ElasticQuota");
        }
        *file = std::move(objects);
        std::ranges::find(source.members, "file", &core::Member::key)->key = "objects";
    }

    /// All Device objects of a file take the place of its name.
    void devices(Value& source, const Path& folder) {
        Value* file = member(source, "file");
        if (file == nullptr || !file->is_scalar()) {
            return;
        }
        const Source text = read_named(folder / file->text, *file);
        Value objects;
        objects.kind = Value::Kind::list;
        objects.span = {text, 1, 1, 1};
        for (Value& document : parse_documents(text)) {
            if (holds_devices(document)) {
                objects.items.push_back(std::move(document));
            }
        }
        if (objects.items.empty()) {
            throw InputError({text, 1, 1, 1}, "found no device: expected kind: Device");
        }
        *file = std::move(objects);
        std::ranges::find(source.members, "file", &core::Member::key)->key = "objects";
    }

    void quota_change(Value& change, const Path& folder) {
        for (const char* key : {"create", "update"}) {
            Value* object = member(change, key);
            Value* file = object != nullptr ? member(*object, "file") : nullptr;
            if (file != nullptr && file->is_scalar()) {
                *object =
                    document_of_kind(read_named(folder / file->text, *file), {"ElasticQuota"});
            }
        }
    }

    void workload_source(Value& source, const Path& folder) {
        if (Value* background = member(source, "background")) {
            if (Value* file = member(*background, "file"); file != nullptr && file->is_scalar()) {
                const Source text = read_named(folder / file->text, *file);
                *file = make_scalar(text->text, {text, 1, 1, 1});
                std::ranges::find(background->members, "file", &core::Member::key)->key = "csv";
            }
        }
        if (Value* running = member(source, "running")) {
            if (Value* file = member(*running, "file"); file != nullptr && file->is_scalar()) {
                *file = trimmed_pods(document_of_kind(read_named(folder / file->text, *file),
                                                      {"Pod", "PodList", "List"}));
                std::ranges::find(running->members, "file", &core::Member::key)->key = "document";
            }
        }
        if (Value* trace = member(source, "trace")) {
            keep_file(*trace, folder);
        }
        Value* groups = member(source, "groups");
        if (groups == nullptr) {
            return;
        }
        for (Value& group : groups->items) {
            if (Value* file = member(group, "file"); file != nullptr && file->is_scalar()) {
                *file =
                    document_of_kind(read_named(folder / file->text, *file), {"GroupPlacement"});
                std::ranges::find(group.members, "file", &core::Member::key)->key = "document";
            }
        }
    }
};

/// A step of a path: a key, or an index.
struct Step {
    std::string key;
    std::optional<std::size_t> index;
};

std::vector<Step> parse_path(const Override& override) {
    std::vector<Step> steps;
    std::string_view rest = override.path;
    const auto malformed = [&] {
        return InputError(override.value.span,
                          fmt::format("'{}' is no path: expected one such as spec.workload[0].at",
                                      override.path));
    };
    while (!rest.empty()) {
        if (rest.starts_with('[')) {
            const std::size_t end = rest.find(']');
            std::size_t index = 0;
            const auto [stop, error] =
                std::from_chars(rest.data() + 1, rest.data() + rest.size(), index);
            if (end == std::string_view::npos || error != std::errc() ||
                stop != rest.data() + end) {
                throw malformed();
            }
            steps.push_back({"", index});
            rest.remove_prefix(end + 1);
        } else {
            rest.remove_prefix(rest.starts_with('.') && !steps.empty() ? 1 : 0);
            const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
            if (end == 0) {
                throw malformed();
            }
            steps.push_back({std::string(rest.substr(0, end)), std::nullopt});
            rest.remove_prefix(end);
        }
    }
    if (steps.empty()) {
        throw malformed();
    }
    return steps;
}

[[noreturn]] void no_such_step(const Override& override, const Step& step, const Value& at) {
    std::vector<std::string> keys;
    for (const core::Member& entry : at.members) {
        keys.push_back(entry.key);
    }
    if (step.index) {
        throw InputError(override.value.span,
                         fmt::format("the path {} has no entry [{}]: expected an index below {}",
                                     override.path,
                                     *step.index,
                                     at.items.size()));
    }
    throw InputError(override.value.span,
                     fmt::format("the path {} has no '{}': expected {}{}",
                                 override.path,
                                 step.key,
                                 keys.empty() ? "a map" : core::alternatives(keys),
                                 core::suggestion(step.key, keys)));
}

}  // namespace

Override parse_override(const std::string& option) {
    const std::size_t equals = option.find('=');
    auto source = std::make_shared<core::SourceText>();
    source->name = fmt::format("--set {}", option);
    if (equals == std::string::npos || equals == 0) {
        throw InputError({source, 0, 0, 0}, "no '=': expected spec.path=VALUE");
    }
    source->text = option.substr(equals + 1);
    std::vector<Value> values = parse_documents(source);
    Value value = values.empty() ? Value{} : std::move(values.front());
    value.span = {source, 0, 0, 0};
    return {option.substr(0, equals), std::move(value)};
}

void apply_override(Value& document, const Override& override) {
    const std::vector<Step> steps = parse_path(override);
    Value* at = &document;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Step& step = steps[i];
        Value* next = nullptr;
        if (step.index) {
            next =
                at->is_list() && *step.index < at->items.size() ? &at->items[*step.index] : nullptr;
        } else {
            next = member(*at, step.key);
            if (next == nullptr && at->is_map() && i > 0 && i + 1 == steps.size()) {
                at->members.push_back({step.key, override.value.span, {}});
                next = &at->members.back().value;
            }
        }
        if (next == nullptr) {
            no_such_step(override, step, *at);
        }
        at = next;
    }
    *at = override.value;
}

Value document_of_kind(const Source& source, const std::vector<std::string>& kinds) {
    std::vector<Value> documents = parse_documents(source);
    std::vector<Value*> found;
    std::vector<std::string> others;
    for (Value& document : documents) {
        const std::string kind = kind_of(document);
        if (std::ranges::find(kinds, kind) != kinds.end()) {
            found.push_back(&document);
        } else {
            others.push_back(kind.empty() ? "a document without a kind" : kind);
        }
    }
    if (found.size() > 1) {
        throw InputError(found[1]->span,
                         fmt::format("a second {} in one file: expected one", kind_of(*found[1])));
    }
    if (found.empty() && documents.size() == 1 && documents.front().is_map() &&
        documents.front().find("kind") != nullptr) {
        const Value& kind = *documents.front().find("kind");
        throw InputError(kind.span,
                         fmt::format("found kind '{}': expected {}{}",
                                     kind.text,
                                     core::alternatives(kinds),
                                     core::suggestion(kind.text, kinds)));
    }
    if (found.empty()) {
        const core::SourceSpan whole{source, documents.empty() ? 0 : 1, 1, 1};
        throw InputError(documents.empty() ? whole : documents.front().span,
                         fmt::format("found {}: expected kind: {}",
                                     others.empty() ? "nothing" : core::alternatives(others),
                                     core::alternatives(kinds)));
    }
    return std::move(*found.front());
}

ResolvedExperiment resolve_experiment(const Path& file, const std::vector<Override>& overrides) {
    Inliner inliner;
    Value document = document_of_kind(inliner.read(file), {"Experiment"});
    for (const Override& override : overrides) {
        apply_override(document, override);
    }
    inliner.experiment(document, file == "-" ? Path() : file.parent_path());
    return {std::move(document), std::move(inliner.inputs)};
}

ResolvedExperiment resolve_workload(const Path& file) {
    Inliner inliner;
    Value document = document_of_kind(inliner.read(file), {"Workload"});
    if (Value* spec = member(document, "spec")) {
        if (Value* sources = member(*spec, "sources")) {
            inliner.workload(*sources, file == "-" ? Path() : file.parent_path(), 0);
        }
    }
    return {std::move(document), std::move(inliner.inputs)};
}

}  // namespace berth::experiments
