#include "experiments/program/config/quota/read_quota.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "core/node_rules/object_metadata.hpp"
#include "core/tree/resources.hpp"
#include "experiments/program/config/document/object_fields.hpp"
#include "workloads/unmodelled/object_fields.hpp"

namespace berth::experiments {

using core::Diagnostics;
using core::ElasticQuota;
using core::MapReader;
using core::Quantities;
using core::SourceSpan;
using core::Value;

namespace {

const std::string& domain = quota_domain;

const std::vector<std::string> quota_labels{"allow-force-update",
                                            "allow-lent-resource",
                                            "ignore-default-tree",
                                            "is-parent",
                                            "is-root",
                                            "parent",
                                            "parent-quota-name",
                                            "profile",
                                            "tree-id"};
const std::vector<std::string> pod_labels{"name", "preemptible", "quota-name"};
/// Annotations that a cluster writes are known, but not read.
const std::vector<std::string> quota_annotations{"admission",
                                                 "allocated",
                                                 "child-request",
                                                 "guaranteed",
                                                 "max-strict-check-resource-keys",
                                                 "namespaces",
                                                 "non-preemptible-request",
                                                 "non-preemptible-used",
                                                 "request",
                                                 "resource-keys",
                                                 "runtime",
                                                 "shared-weight",
                                                 "total-resource",
                                                 "unschedulable-resource"};

std::map<std::string, std::string> texts_of(const Value* map) {
    std::map<std::string, std::string> texts;
    if (map != nullptr) {
        for (const core::Member& member : map->members) {
            texts[member.key] = member.value.text;
        }
    }
    return texts;
}

/// The text of a value that is compared letter by letter. A list that YAML has parsed is written as
/// a text too.
std::string text_of(const Value& value) {
    if (!value.is_list()) {
        return value.text;
    }
    std::string text = "[";
    for (const Value& item : value.items) {
        text += item.text + ",";
    }
    return text + "]";
}

bool has_kind(const Value& item, std::string_view wanted, bool otherwise) {
    const Value* kind = item.find("kind");
    return kind != nullptr ? kind->text == wanted : otherwise;  // typed lists omit kinds
}

/// Calls `function` with each object of one kind, in documents and in lists.
void for_each_of_kind(std::span<const Value> documents,
                      const std::string& kind,
                      const std::function<void(const Value&)>& function) {
    for (const Value& document : documents) {
        const bool typed = has_kind(document, kind + "List", false);
        const Value* items = document.find("items");
        if (has_kind(document, kind, false)) {
            function(document);
        } else if ((typed || has_kind(document, "List", false)) && items != nullptr) {
            for (const Value& item : items->items) {
                if (has_kind(item, kind, typed)) {
                    function(item);
                }
            }
        }
    }
}

}  // namespace

/// The metadata of an object that is read; Kubernetes adds more, which means nothing here.
struct QuotaReader::Metadata {
    Metadata(const Value* metadata, const SourceSpan& otherwise, Diagnostics& diagnostics)
        : span(otherwise) {
        if (metadata == nullptr) {
            return;
        }
        if (!metadata->is_map()) {
            expected(*metadata, "a map such as {name: team-a}", diagnostics);
            return;
        }
        core::check_metadata(*metadata, diagnostics);
        const Value* stated = metadata->find("name");
        if (stated == nullptr) {
            stated = metadata->find("generateName");  // for pods that a controller makes
        }
        if (stated != nullptr && stated->is_scalar()) {
            name = stated->text;
            span = stated->span;
        }
        const Value* stands_in = metadata->find("namespace");
        if (stands_in != nullptr && stands_in->is_scalar()) {
            object_namespace = stands_in->text;
        }
        labels = map_at(*metadata, "labels", diagnostics);
        annotations = map_at(*metadata, "annotations", diagnostics);
    }
    static const Value* map_at(const Value& metadata,
                               const std::string& key,
                               Diagnostics& diagnostics) {
        const Value* map = metadata.find(key);
        if (map == nullptr || map->kind == Value::Kind::null) {
            return nullptr;
        }
        if (!map->is_map()) {
            expected(*map, fmt::format("a map of {}", key), diagnostics);
        }
        return map;
    }

    std::string name;
    std::string object_namespace;
    SourceSpan span;
    const Value* labels = nullptr;
    const Value* annotations = nullptr;
};

std::optional<ReadQuota> QuotaReader::read_quota(const Value& document) {
    MapReader object(document, "an ElasticQuota", diagnostics_);
    const std::string api_version = "scheduling.sigs.k8s.io/v1alpha1";
    if (const Value* version = object.take("apiVersion");
        version != nullptr && version->text != api_version) {
        expected(*version, api_version, diagnostics_);
    }
    (void)object.take("kind");
    const Metadata metadata(object.take("metadata"), document.span, diagnostics_);
    const Value* spec = object.take("spec");
    const Value* status = object.take("status");
    object.report_unknown_keys();
    if (metadata.name.empty()) {
        diagnostics_.error(metadata.span, "an ElasticQuota has no metadata.name: expected one");
        return std::nullopt;
    }
    warn_of_unknown(metadata.labels, "label", quota_labels);
    warn_of_unknown(metadata.annotations, "annotation", quota_annotations);

    ElasticQuota quota;
    quota.name = metadata.name;
    quota.object_namespace = metadata.object_namespace;
    quota.parent = either_label(metadata, "parent", "parent-quota-name");
    quota.tree_id = label(metadata, "tree-id");
    quota.written.is_parent = label(metadata, "is-parent");
    quota.is_parent = flag(metadata, "is-parent", false);
    quota.allow_lent_resource = flag(metadata, "allow-lent-resource", true);
    quota.allow_force_update = flag(metadata, "allow-force-update", false);
    quota.is_root = flag(metadata, "is-root", false);
    quota.ignore_default_tree = flag(metadata, "ignore-default-tree", false);
    read_annotations(metadata, quota);
    if (spec != nullptr) {
        MapReader fields(*spec, "an ElasticQuota's spec", diagnostics_);
        const Value* min = fields.take("min");
        const Value* max = fields.take("max");
        fields.report_unknown_keys();
        quota.min = read_quantities(min);
        quota.max = read_quantities(max);
        quota.written.min = texts_of(min);
        quota.written.max = texts_of(max);
    }
    const Value* used = status != nullptr ? status->find("used") : nullptr;
    quota.used = read_quantities(used != nullptr && used->is_map() ? used : nullptr);
    return ReadQuota{std::move(quota), metadata.span};
}

ReadPod QuotaReader::read_pod(const Value& document) {
    const Metadata metadata(document.find("metadata"), document.span, diagnostics_);
    if (metadata.name.empty()) {
        diagnostics_.error(metadata.span, "a Pod has no metadata.name: expected one");
    }
    warn_of_unknown(metadata.labels, "label", pod_labels);
    return {{metadata.name,
             metadata.object_namespace,
             either_label(metadata, "name", "quota-name"),
             label(metadata, "preemptible")},
            metadata.span};
}

std::string QuotaReader::label(const Metadata& metadata, const std::string& name) {
    const Value* value =
        metadata.labels != nullptr ? metadata.labels->find(domain + name) : nullptr;
    if (value == nullptr || value->kind == Value::Kind::null) {
        return {};
    }
    return core::read_text(*value, diagnostics_).value_or(std::string());
}

std::string QuotaReader::either_label(const Metadata& metadata,
                                      const std::string& name,
                                      const std::string& other) {
    std::string text = label(metadata, name);
    std::string other_text = label(metadata, other);
    if (!text.empty() && !other_text.empty() && text != other_text) {
        diagnostics_.error(metadata.labels->find(domain + other)->span,
                           fmt::format("{} is '{}' and {} is '{}': expected the same, or one only",
                                       other,
                                       other_text,
                                       name,
                                       text));
    }
    return text.empty() ? other_text : text;
}

bool QuotaReader::flag(const Metadata& metadata, const std::string& name, bool otherwise) {
    const std::string text = label(metadata, name);
    if (!text.empty() && text != "true" && text != "false") {
        warn_once(
            metadata.labels->find(domain + name)->span,
            fmt::format(
                "{} is '{}', which counts as {}: expected true or false", name, text, otherwise));
    }
    return otherwise ? text != "false" : text == "true";
}

template <class Parsed>
std::optional<Parsed> QuotaReader::annotation(const std::variant<Parsed, AnnotationFault>& read,
                                              const Value& value,
                                              const std::string& name,
                                              std::string* fault) {
    if (const auto* parsed = std::get_if<Parsed>(&read)) {
        return *parsed;
    }
    const std::string& text = std::get<AnnotationFault>(read).text;
    if (syntax_ == AnnotationSyntax::lenient) {
        diagnostics_.error(value.span, fmt::format("{} is {}", name, text));
    } else if (fault != nullptr) {
        *fault = text;
    }
    return std::nullopt;
}

void QuotaReader::read_annotations(const Metadata& metadata, ElasticQuota& quota) {
    if (metadata.annotations == nullptr) {
        return;
    }
    const auto find = [&](const std::string& name) -> const Value* {
        const Value* value = metadata.annotations->find(domain + name);
        if (value != nullptr && !value->is_scalar() && syntax_ == AnnotationSyntax::strict) {
            expected(*value, "a text", diagnostics_);
            return nullptr;
        }
        const bool empty = value == nullptr || value->kind == Value::Kind::null ||
                           (value->is_scalar() && value->text.empty());
        return empty ? nullptr : value;
    };
    if (const Value* value = find("shared-weight")) {
        quota.shared_weight = annotation(
            parse_quantities(*value, syntax_), *value, "shared-weight", &quota.shared_weight_fault);
    }
    if (const Value* value = find("total-resource")) {
        quota.total_resource =
            annotation(parse_quantities(*value, syntax_), *value, "total-resource", nullptr);
    }
    if (const Value* value = find("namespaces")) {
        quota.written.namespaces = text_of(*value);
        quota.namespaces = annotation(parse_names(*value, syntax_), *value, "namespaces", nullptr)
                               .value_or(std::vector<std::string>());
    }
    if (const Value* value = find("max-strict-check-resource-keys")) {
        quota.max_strict_check_resource_keys = annotation(parse_names(*value, syntax_),
                                                          *value,
                                                          "max-strict-check-resource-keys",
                                                          &quota.strict_keys_fault)
                                                   .value_or(std::vector<std::string>());
    }
}

Quantities QuotaReader::read_quantities(const Value* map) {
    Quantities quantities;
    if (map == nullptr) {
        return quantities;
    }
    if (!map->is_map()) {
        expected(*map, "quantities such as {cpu: 2, memory: 32Gi}", diagnostics_);
    }
    for (const core::Member& member : map->members) {
        const auto parsed = member.value.is_scalar() ? core::parse_exact_quantity(member.value.text)
                                                     : core::QuantityFault::malformed;
        if (const auto* fault = std::get_if<core::QuantityFault>(&parsed)) {
            expected(member.value,
                     fmt::format("{} of {}", describe(*fault, "billionths"), member.key),
                     diagnostics_);
            continue;
        }
        quantities[member.key] = std::get<core::Quantity>(parsed);
    }
    return quantities;
}

void QuotaReader::warn_of_unknown(const Value* map,
                                  std::string_view what,
                                  const std::vector<std::string>& known) {
    if (map == nullptr) {
        return;
    }
    for (const core::Member& member : map->members) {
        if (!member.key.starts_with(domain)) {
            continue;
        }
        const std::string name = member.key.substr(domain.size());
        if (std::ranges::find(known, name) == known.end()) {
            warn_once(member.key_span,
                      fmt::format("unknown {} '{}', which is not read: expected {}{}",
                                  what,
                                  name,
                                  core::alternatives(known),
                                  core::suggestion(name, known)));
        }
    }
}

void QuotaReader::warn_once(const SourceSpan& span, const std::string& message) {
    if (warned_.insert(message).second) {
        diagnostics_.warning(span, message);
    }
}

bool holds_quotas(const Value& document) {
    bool found = has_kind(document, "ElasticQuotaList", false);
    for (const char* kind : {"ElasticQuota", "Pod"}) {
        for_each_of_kind({&document, 1}, kind, [&](const Value&) { found = true; });
    }
    return found;
}

std::vector<ReadQuota> read_quotas(std::span<const Value> documents, Diagnostics& diagnostics) {
    QuotaReader reader(AnnotationSyntax::lenient, diagnostics);
    std::vector<ReadQuota> quotas;
    ObjectFields fields(workloads::elastic_quota_fields());
    for_each_of_kind(documents, "ElasticQuota", [&](const Value& document) {
        fields.look_at(document);
        if (auto quota = reader.read_quota(document)) {
            quotas.push_back(std::move(*quota));
        }
    });
    fields.warn("ElasticQuota", diagnostics);
    return quotas;
}

std::vector<ReadPod> read_pods(std::span<const Value> documents, Diagnostics& diagnostics) {
    QuotaReader reader(AnnotationSyntax::lenient, diagnostics);
    std::vector<ReadPod> pods;
    for_each_of_kind(documents, "Pod", [&](const Value& document) {
        pods.push_back(reader.read_pod(document));
    });
    return pods;
}

}  // namespace berth::experiments
