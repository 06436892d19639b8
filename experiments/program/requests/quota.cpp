#include "experiments/program/requests/quota.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/elastic_quota/quota_names.hpp"
#include "core/elastic_quota/quota_rules.hpp"
#include "core/elastic_quota/water_filling.hpp"
#include "core/support/value.hpp"
#include "experiments/program/config/quota/read_quota.hpp"
#include "experiments/program/support/json_writer.hpp"
#include "experiments/program/support/parsed_json.hpp"

namespace berth::experiments {
namespace {

using core::ElasticQuota;
using core::QuotaId;
using core::QuotaTrees;
using core::Refusal;
using core::ResourceList;
using core::Value;

/// Writes what `amount` returns for each resource, without those for which it returns nothing.
template <class Amount>
void write_amounts(JsonWriter& out,
                   const char* key,
                   const core::ResourceSchema& schema,
                   Amount amount) {
    out.key(key);
    out.begin_map();
    for (std::size_t r = 0; r < schema.size(); ++r) {
        if (const std::optional<core::Amount> value = amount(r)) {
            out.member(schema.name(r), *value);
        }
    }
    out.end_map();
}

void describe(QuotaRequestTrees& request, QuotaId quota, JsonWriter& out) {
    QuotaTrees& trees = request.trees();
    const auto write = [&](const char* key, auto amount) {
        write_amounts(out, key, request.schema(), amount);
    };
    out.begin_map();
    write("request", [&](std::size_t r) { return trees.request(quota, r); });
    write("used", [&](std::size_t r) { return trees.used(quota, r); });
    if (!trees.is_root(quota) && !trees.is_special(quota)) {
        write("childRequest", [&](std::size_t r) { return trees.child_request(quota, r); });
        write("limitRequest", [&](std::size_t r) { return trees.limited_request(quota, r); });
        write("autoScaleMin", [&](std::size_t r) { return trees.scaled_min(quota, r); });
        write("sharedWeight", [&](std::size_t r) { return trees.weight(quota, r); });
        write("runtime", [&](std::size_t r) { return trees.runtime(quota, r); });
    }
    out.end_map();
}

std::string answer_runtime(const RequestValue& json) {
    QuotaRequestTrees request(json);
    QuotaTrees& trees = request.trees();
    JsonWriter out;
    out.begin_map();
    out.key("quotas");
    out.begin_map();
    for (std::uint32_t i = 0; i < trees.count(); ++i) {
        const QuotaId quota{i};
        bool is_silent = trees.is_special(quota);
        for (std::size_t r = 0; r < request.schema().size(); ++r) {
            is_silent = is_silent && trees.request(quota, r) == 0;
        }
        if (!is_silent) {
            out.key(trees.name(quota));
            describe(request, quota, out);
        }
    }
    out.end_map();
    Json totals = Json::object();
    for (const QuotaId root : trees.roots()) {
        const std::string& id = trees.spec(root).tree_id;
        const core::ResourceList total = trees.total(root);
        totals[id.empty() ? core::root_quota_name : id] = request.object(
            [&](std::size_t r) { return total.has(r) ? std::optional(total[r]) : std::nullopt; });
    }
    out.member("treeTotal", totals);
    out.end_map();
    return out.take();
}

Json answer_redistribute(const RequestValue& request) {
    struct Node {
        std::string name;
        core::Share share;
    };
    std::vector<Node> nodes;
    for (const RequestValue& node : need_list(request, "nodes", "the request")) {
        Node out;
        out.name = text(need(node, "Name", "a node"), "Name");
        const auto amount = [&](const char* key) {
            const auto value = node.find(key);
            return value ? whole(*value, key, INT64_MIN) : 0;
        };
        out.share.request = amount("Request");
        out.share.weight = amount("SharedWeight");
        out.share.min = std::max(amount("Min"), amount("Guarantee"));
        out.share.lent = boolean(node, "Lent", true);
        nodes.push_back(std::move(out));
    }
    std::ranges::sort(nodes, {}, &Node::name);
    std::vector<core::Share> shares;
    for (const Node& node : nodes) {
        shares.push_back(node.share);
    }
    core::WaterFilling().share(whole(need(request, "total", "the request"), "total", INT64_MIN),
                               shares);
    Json runtime = Json::object();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        runtime[nodes[i].name] = shares[i].runtime;
    }
    return {{"runtime", std::move(runtime)}};
}

std::string quota_answer(const RequestValue& request) {
    (void)need(request, "kind", "the request");
    switch (choice(request, "kind", {"runtime", "redistribute", "admission", "validation"})) {
        case 0:
            return answer_runtime(request);
        case 1:
            return dumped(answer_redistribute(request));
        case 2:
            return dumped(answer_quota_admission(request));
        default:
            return dumped(answer_quota_validation(request));
    }
}

const std::string& domain = quota_domain;

/// Converts a JSON value to a document. It has no place in a text, so all of it gets the place of
/// the operation.
Value document_of(const RequestValue& json, const core::SourceSpan& span, int depth = 0) {
    constexpr int depth_max = 500;
    if (depth == depth_max) {
        throw RequestError(fmt::format(
            "{} is nested too deep: expected at most {} levels", span.source->name, depth_max));
    }
    Value value;
    value.span = span;
    if (json.is_map()) {
        value.kind = Value::Kind::map;
        for (auto [key, member] : json.members()) {
            value.members.push_back({std::move(key), span, document_of(member, span, depth + 1)});
        }
    } else if (json.is_list()) {
        value.kind = Value::Kind::list;
        for (const RequestValue& item : json.items()) {
            value.items.push_back(document_of(item, span, depth + 1));
        }
    } else if (!json.is_null()) {
        value.kind = Value::Kind::scalar;
        value.text = json.is_number() ? dumped(json.json()) : std::string(json.text());
    }
    return value;
}

/// Runs a reader over a part of an operation.
/// Errors: RequestError with the first error.
template <class Read>
auto read_part(const RequestValue& operation,
               const char* key,
               const std::string& where,
               Read read) {
    const RequestValue part = need(operation, key, where);
    if (!part.is_map()) {
        throw RequestError(fmt::format("{}.{} is {}: expected an object", where, key, shown(part)));
    }
    const auto source = std::make_shared<core::SourceText>();
    source->name = fmt::format("{}.{}", where, key);
    core::Diagnostics diagnostics;
    const Value document = document_of(part, {source, 0, 0, 1});
    QuotaReader reader(AnnotationSyntax::strict, diagnostics);
    auto result = read(reader, document);
    try {
        diagnostics.throw_if_failed();
    } catch (const core::InputError& error) {
        const std::string all = error.what();
        throw RequestError(all.substr(0, all.find('\n')));
    }
    return result;
}

ElasticQuota read_object(const RequestValue& operation, const std::string& where) {
    return read_part(operation,
                     "object",
                     where,
                     [](QuotaReader& reader, const Value& document) {
                         return reader.read_quota(document).value_or(ReadQuota());
                     })
        .quota;
}

core::LabelledPod read_pod(const RequestValue& operation,
                           const char* key,
                           const std::string& where) {
    return read_part(
               operation,
               key,
               where,
               [](QuotaReader& reader, const Value& document) { return reader.read_pod(document); })
        .pod;
}

RequestValue metadata_of(const RequestValue& object, const char* key) {
    const RequestValue map = object["metadata"][key];
    return map.is_map() ? map : RequestValue();
}

/// The labels after mutation: the written ones, and those that were filled in.
Json labels_of(const RequestValue& object, const ElasticQuota& quota) {
    const RequestValue written = metadata_of(object, "labels");
    Json labels = written.is_map() ? written.json() : Json::object();
    const auto stated = [&](const char* label) {
        const RequestValue value = written[domain + label];
        return !value.is_null() && !(value == "");
    };
    if (!stated("parent") && !stated("parent-quota-name") && !quota.parent.empty()) {
        labels[domain + "parent"] = quota.parent;
    }
    if (!stated("tree-id") && !quota.tree_id.empty()) {
        labels[domain + "tree-id"] = quota.tree_id;
    }
    return labels;
}

/// The shared-weight annotation after mutation: as it was written if it names exactly the resources
/// of max, otherwise rebuilt from the annotation and max.
std::string weight_text(const RequestValue& object, const ElasticQuota& quota) {
    const RequestValue annotation = metadata_of(object, "annotations")[domain + "shared-weight"];
    std::string written(annotation.is_string() ? annotation.text() : "");
    if (quota.name == core::root_quota_name) {
        return written;
    }
    const auto& max = quota.written.max;
    const Json stated = written.empty() ? Json::object() : parsed_json(written);
    Json filled = Json::object();
    bool same = !written.empty() && stated.size() == max.size();
    for (const auto& [resource, amount] : max) {
        const bool has = stated.contains(resource);
        const Json weight = has ? stated.at(resource) : Json(amount);
        filled[resource] = core::canonical_quantity(weight.is_string() ? weight.get<std::string>()
                                                                       : dumped(weight));
        same = same && has;
    }
    return same ? written : written.empty() && max.empty() ? "null" : dumped(filled);
}

Json created(core::QuotaRules& rules, const RequestValue& operation, const std::string& where) {
    ElasticQuota quota = read_object(operation, where);
    const std::string name = quota.name;
    if (Refusal refusal = rules.create(std::move(quota))) {
        return {{"allowed", false}, {"message", std::move(*refusal)}};
    }
    const RequestValue object = operation["object"];
    const ElasticQuota& known = *rules.find(name);
    return {{"allowed", true},
            {"labels", labels_of(object, known)},
            {"sharedWeight", weight_text(object, known)}};
}

Json answer_operation(core::QuotaRules& rules,
                      const RequestValue& operation,
                      const std::string& where) {
    (void)need(operation, "op", where);
    Refusal refusal;
    switch (choice(operation, "op", {"create", "update", "delete", "addPod", "updatePod"})) {
        case 0:
            return created(rules, operation, where);
        case 1:
            refusal = rules.update(read_object(operation, where));
            break;
        case 2:
            refusal = rules.remove(text(need(operation, "name", where), where + ".name"));
            break;
        case 3:
            refusal = rules.add_pod(read_pod(operation, "pod", where));
            break;
        default:
            refusal = rules.update_pod(read_pod(operation, "oldPod", where),
                                       read_pod(operation, "pod", where));
            break;
    }
    return refusal ? Json{{"allowed", false}, {"message", std::move(*refusal)}}
                   : Json{{"allowed", true}};
}

}  // namespace

std::string answer_quota_request(std::string_view request) {
    return answer_line(request, &quota_answer);
}

Json answer_quota_validation(const RequestValue& request) {
    core::QuotaRules rules = core::QuotaRules::with_own_parents();
    Json results = Json::array();
    for (const RequestValue& operation : need_list(request, "ops", "the request")) {
        results.push_back(
            answer_operation(rules, operation, fmt::format("ops[{}]", results.size())));
    }
    return {{"results", std::move(results)}};
}

}  // namespace berth::experiments
