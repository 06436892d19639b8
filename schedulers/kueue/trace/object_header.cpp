#include "schedulers/kueue/trace/object_header.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/parse_number.hpp"
#include "workloads/trace/row_error.hpp"

namespace berth::workloads {
namespace {

using Index = JsonRow::Index;

std::string text_below(const JsonRow& row, Index from, std::string_view key) {
    const auto value = row.find(from, {key});
    return value ? std::string(row.text(*value)) : std::string();
}

}  // namespace

const ObjectOwner* ObjectHeader::controller() const {
    const auto found = std::ranges::find(owners, true, &ObjectOwner::controls);
    return found != owners.end() ? &*found : nullptr;
}

ObjectHeader read_object_header(const JsonRow& row) {
    ObjectHeader out;
    const std::string version(row.text({"apiVersion"}));
    const std::size_t slash = version.find('/');
    out.group = slash == std::string::npos ? "" : version.substr(0, slash);
    out.version = slash == std::string::npos ? version : version.substr(slash + 1);
    out.kind = row.text({"kind"});
    if (out.kind.empty()) {
        row.fail(JsonText::root(),
                 "an object without a kind: expected one, as kubectl get -o json prints it");
    }
    out.name = row.text({"metadata", "name"});
    if (out.name.empty() && out.kind != "Configuration") {  // a file, and no object of a cluster
        row.fail(JsonText::root(),
                 fmt::format("a {} without metadata.name: expected one", out.kind));
    }
    out.name_space = row.text({"metadata", "namespace"});
    out.uid = row.text({"metadata", "uid"});
    out.queue = label_of(row, queue_label);
    row.for_each(row.find({"metadata", "ownerReferences"}), [&](Index owner) {
        out.owners.push_back({text_below(row, owner, "kind"),
                              text_below(row, owner, "name"),
                              text_below(row, owner, "uid"),
                              text_below(row, owner, "controller") == "true"});
    });
    return out;
}

std::string label_of(const JsonRow& row, std::string_view key) {
    return std::string(row.text({"metadata", "labels", key}));
}

std::string annotation_of(const JsonRow& row, std::string_view key) {
    return std::string(row.text({"metadata", "annotations", key}));
}

std::int64_t whole_number(
    const JsonRow& row, Index value, std::string_view what, std::int64_t min, std::int64_t max) {
    const auto number = core::parse_number<std::int64_t>(row.text(value));
    if (!number || *number < min || *number > max) {
        row.fail(value,
                 fmt::format("{} {}: expected a whole number from {} to {}",
                             what,
                             quoted(row.text(value)),
                             min,
                             max));
    }
    return *number;
}

std::int64_t whole_number_or(const JsonRow& row,
                             std::optional<Index> value,
                             std::string_view what,
                             std::int64_t min,
                             std::int64_t max,
                             std::int64_t otherwise) {
    return value ? whole_number(row, *value, what, min, max) : otherwise;
}

}  // namespace berth::workloads
