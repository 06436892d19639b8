#include "experiments/program/config/resolve/position_of_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "experiments/program/config/document/foreign_kind.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"

namespace berth::experiments {

using core::InputError;
using core::Value;

std::string kind_of(const Value& document) {
    const Value* kind = document.is_map() ? document.find("kind") : nullptr;
    return kind != nullptr ? kind->text : "";
}

namespace {

/// How an experiment names the file of a document that is only a part of an experiment; empty if it
/// cannot.
std::string place_in_experiment(const Value& document, std::string_view file) {
    const Value* items = document.is_map() ? document.find("items") : nullptr;
    const bool has_items = items != nullptr && !items->items.empty();
    const std::string kind = has_items ? kind_of(items->items.front()) : kind_of(document);
    struct Place {
        std::string_view kind;
        std::string_view before;
        std::string_view after;
    };
    static constexpr std::array places{
        Place{"Topology", "topology: {file: ", "}"},
        Place{"TopologyTree", "topology: {file: ", "}"},
        Place{"Node", "topology: {nodes: {format: kubernetes, file: ", "}}"},
        Place{"NodeList", "topology: {nodes: {format: kubernetes, file: ", "}}"},
        Place{"Workload", "workload: [{file: ", "}]"},
        Place{"GroupPlacement", "workload: [{groups: [{file: ", "}]}]"},
        Place{"Pod", "workload: [{trace: {format: kubernetes, file: ", "}}]"},
        Place{"Deployment", "workload: [{pods: [{file: ", "}]}]"},
        Place{"ReplicaSet", "workload: [{pods: [{file: ", "}]}]"},
        Place{"StatefulSet", "workload: [{pods: [{file: ", "}]}]"},
        Place{"Job", "workload: [{pods: [{file: ", "}]}]"},
        Place{"PodList", "workload: [{trace: {format: kubernetes, file: ", "}}]"},
        Place{"ElasticQuota", "quotas: [{file: ", "}]"},
        Place{"Device", "devices: [{file: ", "}]"}};
    if (const SchedulerDocuments* scheduler = scheduler_of_objects(document)) {
        return fmt::format("scheduler: {{{}: {}}}", scheduler->key, file);
    }
    const auto* place = std::ranges::find(places, kind, &Place::kind);
    return place == places.end() ? "" : fmt::format("{}{}{}", place->before, file, place->after);
}

/// What a user can do with a document of a kind that is not the expected one, such as
/// `; berth sweep runs a Sweep`; empty if that is not known.
std::string what_to_do(const Value& document,
                       const core::SourceText& source,
                       const std::vector<std::string>& kinds) {
    const std::string found = kind_of(document);
    const bool for_run = kinds == std::vector<std::string>{"Experiment"};
    const bool for_sweep = kinds == std::vector<std::string>{"Sweep"};
    if (for_run && found == "Sweep") {
        return "; berth sweep runs a Sweep";
    }
    if (const std::string place = place_in_experiment(document, source.name);
        for_run && !place.empty()) {
        return fmt::format("; write one whose spec has {}", place);
    }
    if ((found == "PodList" || found == "List" || found == "Pod") &&
        std::ranges::find(kinds, "Workload") != kinds.end()) {
        return "; pods are a trace as kubectl get pods -o json prints them";
    }
    return for_sweep && found == "Experiment" ? "; berth run runs an Experiment" : "";
}

/// Whether a document is of a kind that belongs to clusters, of which kubectl lists any number at
/// once.
bool is_of_kubernetes(const Value& document) {
    static constexpr std::array<std::string_view, 5> kinds{
        "List", "Node", "NodeList", "Pod", "PodList"};
    return std::ranges::find(kinds, kind_of(document)) != kinds.end();
}

}  // namespace

void add_objects(Value document, std::vector<Value>& objects) {
    constexpr std::string_view list = "List";
    std::string kind = kind_of(document);
    if (!kind.ends_with(list)) {
        objects.push_back(std::move(document));
        return;
    }
    kind.resize(kind.size() - list.size());
    Value* items = document.find("items");
    for (std::size_t i = 0; items != nullptr && i < items->items.size(); ++i) {
        Value& object = objects.emplace_back(std::move(items->items[i]));
        if (object.is_map() && object.find("kind") == nullptr && !kind.empty()) {
            object.members.push_back(
                {"kind", object.span, {Value::Kind::scalar, kind, {}, {}, object.span}});
        }
    }
}

Value one_of_kind(const std::vector<Value>& documents,
                  const std::shared_ptr<const core::SourceText>& source,
                  const std::vector<std::string>& kinds,
                  const std::function<Value(std::size_t)>& take) {
    std::vector<const Value*> found;
    std::vector<std::string> others;
    for (const Value& document : documents) {
        const std::string kind = kind_of(document);
        const bool foreign = foreign_document(document).has_value();
        if (!foreign && std::ranges::find(kinds, kind) != kinds.end()) {
            found.push_back(&document);
        } else {
            others.push_back(kind.empty() ? "a document without a kind" : kind);
        }
    }
    if (!documents.empty() &&
        std::ranges::all_of(documents, [](const Value& one) { return kind_of(one).empty(); })) {
        refuse_trace(*source, kinds);
    }
    if (found.empty() && std::ranges::any_of(documents, scheduler_of_jobs)) {
        refuse_trace(*source, kinds);
    }
    if (found.empty() && documents.size() == 1 &&
        scheduler_of_objects(documents.front()) == nullptr) {
        if (const auto foreign = foreign_document(documents.front())) {
            throw InputError(foreign->span, foreign->message);
        }
    }
    const bool is_cluster = std::ranges::all_of(
        found, [](const Value* document) { return is_of_kubernetes(*document); });
    if (found.size() > 1 && !is_cluster) {
        const std::string first = kind_of(*found[0]);
        const std::string second = kind_of(*found[1]);
        throw InputError(
            found[1]->span,
            first == second
                ? fmt::format("a second {} in one file: expected one", second)
                : fmt::format("both {} and {} in one file: expected one of them", first, second));
    }
    const auto nameless = std::ranges::find_if(documents, [](const Value& document) {
        return document.kind != Value::Kind::null && kind_of(document).empty();
    });
    if (!found.empty() && nameless != documents.end()) {
        throw InputError(nameless->span,
                         "a document without a kind: expected its lines before the '---' above "
                         "it, or a kind");
    }
    if (found.empty() && documents.size() == 1 && documents.front().is_map() &&
        documents.front().find("kind") != nullptr) {
        const Value& kind = *documents.front().find("kind");
        throw InputError(kind.span,
                         fmt::format("found kind '{}': expected {}{}{}",
                                     kind.text,
                                     core::alternatives(kinds),
                                     core::suggestion(kind.text, kinds),
                                     what_to_do(documents.front(), *source, kinds)));
    }
    if (found.empty()) {
        const core::SourceSpan whole{source, documents.empty() ? 0 : 1, 1, 1};
        throw InputError(
            documents.empty() ? whole : documents.front().span,
            fmt::format("found {}: expected kind: {}{}",
                        others.empty() ? "nothing" : core::alternatives(others),
                        core::alternatives(kinds),
                        documents.empty() ? "" : what_to_do(documents.front(), *source, kinds)));
    }
    const auto position = [&](const Value* document) {
        return static_cast<std::size_t>(document - documents.data());
    };
    if (found.size() == 1) {
        return take(position(found.front()));
    }
    const core::SourceSpan span = found.front()->span;
    Value items{Value::Kind::list, {}, {}, {}, span};
    for (const Value* document : found) {
        add_objects(take(position(document)), items.items);
    }
    Value list{Value::Kind::map, {}, {}, {}, span};
    list.members.push_back({"kind", span, {Value::Kind::scalar, "List", {}, {}, span}});
    list.members.push_back({"items", span, std::move(items)});
    return list;
}

}  // namespace berth::experiments
