#include <fmt/format.h>

#include <memory>
#include <utility>

#include "core/elastic_quota/quota_rules.hpp"
#include "core/support/value.hpp"
#include "experiments/program/config/quota/read_quota.hpp"
#include "experiments/program/requests/quota.hpp"

namespace berth::experiments {
namespace {

using core::ElasticQuota;
using core::Refusal;
using core::Value;

const std::string& domain = quota_domain;

/// A JSON value as a document. It has no place in a text: the operation's is good for all.
Value document_of(const Json& json, const core::SourceSpan& span, int depth = 0) {
    constexpr int depth_max = 500;
    if (depth == depth_max) {
        throw RequestError(fmt::format(
            "{} is nested too deep: expected at most {} levels", span.source->name, depth_max));
    }
    Value value;
    value.span = span;
    if (json.is_object()) {
        value.kind = Value::Kind::map;
        for (const auto& [key, member] : json.items()) {
            value.members.push_back({key, span, document_of(member, span, depth + 1)});
        }
    } else if (json.is_array()) {
        value.kind = Value::Kind::list;
        for (const Json& item : json) {
            value.items.push_back(document_of(item, span, depth + 1));
        }
    } else if (!json.is_null()) {
        value.kind = Value::Kind::scalar;
        value.text = json.is_string() ? json.get<std::string>() : json.dump();
    }
    return value;
}

/// Runs a reader over a part of an operation.
/// Errors: RequestError with the first thing that is wrong.
template <class Read>
auto read_part(const Json& operation, const char* key, const std::string& where, Read read) {
    const Json& part = need(operation, key, where);
    if (!part.is_object()) {
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

ElasticQuota read_object(const Json& operation, const std::string& where) {
    return read_part(operation,
                     "object",
                     where,
                     [](QuotaReader& reader, const Value& document) {
                         return reader.read_quota(document).value_or(ReadQuota());
                     })
        .quota;
}

core::LabelledPod read_pod(const Json& operation, const char* key, const std::string& where) {
    return read_part(
               operation,
               key,
               where,
               [](QuotaReader& reader, const Value& document) { return reader.read_pod(document); })
        .pod;
}

const Json& metadata_of(const Json& object, const char* key) {
    static const Json nothing = Json::object();
    const Json& metadata = object.at("metadata");
    return metadata.contains(key) && metadata.at(key).is_object() ? metadata.at(key) : nothing;
}

/// The labels after mutation: those that were written, and what was filled in.
Json labels_of(const Json& object, const ElasticQuota& quota) {
    Json labels = metadata_of(object, "labels");
    const auto stated = [&](const char* label) {
        return labels.contains(domain + label) && !labels[domain + label].is_null() &&
               labels[domain + label] != "";
    };
    if (!stated("parent") && !stated("parent-quota-name") && !quota.parent.empty()) {
        labels[domain + "parent"] = quota.parent;
    }
    if (!stated("tree-id") && !quota.tree_id.empty()) {
        labels[domain + "tree-id"] = quota.tree_id;
    }
    return labels;
}

/// The shared-weight annotation after mutation: as it was written if it names the resources of
/// max, else rebuilt from it and from max.
std::string weight_text(const Json& object, const ElasticQuota& quota) {
    const Json& annotations = metadata_of(object, "annotations");
    const std::string key = domain + "shared-weight";
    std::string written =
        annotations.contains(key) && annotations[key].is_string() ? annotations[key] : Json("");
    if (quota.name == core::root_quota_name) {
        return written;
    }
    const auto& max = quota.written.max;
    const Json stated = written.empty() ? Json::object() : Json::parse(written);
    Json filled = Json::object();
    bool same = !written.empty() && stated.size() == max.size();
    for (const auto& [resource, amount] : max) {
        const bool has = stated.contains(resource);
        const Json weight = has ? stated.at(resource) : Json(amount);
        filled[resource] = core::canonical_quantity(weight.is_string() ? weight.get<std::string>()
                                                                       : weight.dump());
        same = same && has;
    }
    return same ? written : written.empty() && max.empty() ? "null" : filled.dump();
}

Json created(core::QuotaRules& rules, const Json& operation, const std::string& where) {
    ElasticQuota quota = read_object(operation, where);
    const std::string name = quota.name;
    if (Refusal refusal = rules.create(std::move(quota))) {
        return {{"allowed", false}, {"message", std::move(*refusal)}};
    }
    const Json& object = operation.at("object");
    const ElasticQuota& known = *rules.find(name);
    return {{"allowed", true},
            {"labels", labels_of(object, known)},
            {"sharedWeight", weight_text(object, known)}};
}

Json answer_operation(core::QuotaRules& rules, const Json& operation, const std::string& where) {
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

Json answer_quota_validation(const Json& request) {
    const Json& operations = need(request, "ops", "the request");
    if (!operations.is_array()) {
        throw RequestError(fmt::format("ops is {}: expected a list", shown(operations)));
    }
    core::QuotaRules rules = core::QuotaRules::with_own_parents();
    Json results = Json::array();
    for (std::size_t i = 0; i < operations.size(); ++i) {
        results.push_back(answer_operation(rules, operations[i], fmt::format("ops[{}]", i)));
    }
    return {{"results", std::move(results)}};
}

}  // namespace berth::experiments
