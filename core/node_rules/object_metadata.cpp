#include "core/node_rules/object_metadata.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/node_rules/labels.hpp"

namespace berth::core {
namespace {

constexpr std::array<std::string_view, 16> keys{
    "name",
    "namespace",
    "labels",
    "annotations",
    "generateName",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "ownerReferences",
    "finalizers",
    "managedFields",
    "selfLink",
    "clusterName",  // until Kubernetes 1.23
};

}  // namespace

bool is_metadata_key(std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
}

void check_metadata_keys(const Value& metadata, Diagnostics& diagnostics) {
    if (!metadata.is_map() ||
        !std::ranges::all_of(metadata.members, &is_metadata_key, &Member::key)) {
        MapReader map(metadata, "metadata", diagnostics);
        for (const std::string_view key : keys) {
            (void)map.take(std::string(key));
        }
        map.report_unknown_keys();
    }
}

void check_metadata(const Value& metadata, Diagnostics& diagnostics) {
    check_metadata_keys(metadata, diagnostics);
    const Value* name = metadata.is_map() ? metadata.find("name") : nullptr;
    if (name != nullptr && (name->is_list() || name->is_map())) {
        expected(*name, "a text: the name", diagnostics);
    }
    const Value* labels = metadata.is_map() ? metadata.find("labels") : nullptr;
    if (labels == nullptr || labels->kind == Value::Kind::null) {
        return;
    }
    if (!labels->is_map()) {
        expected(*labels, "a map from labels to their values", diagnostics);
    }
    for (const Member& label : labels->members) {
        if (label.value.kind != Value::Kind::null) {
            check_label(label, diagnostics);
        }
    }
}

}  // namespace berth::core
