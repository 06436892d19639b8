#pragma once

#include <string_view>

#include "core/support/value.hpp"
#include "core/tree/device_names.hpp"

namespace berth::core {

/// Whether Kubernetes accepts a text as the key, or as the value, of a label.
/// Source: Kubernetes, apimachinery/pkg/util/validation, IsQualifiedName and IsValidLabelValue.
[[nodiscard]] bool is_label_key(std::string_view key);
[[nodiscard]] bool is_label_value(std::string_view value);

/// Check whether a value is a text that Kubernetes accepts as the key, or as the value, of a label.
/// Return whether it is. Errors: recorded.
bool check_label_key(const Value& key, Diagnostics& diagnostics);
bool check_label_value(const Value& value, Diagnostics& diagnostics);
/// Does the same for one member of a map, which is a label.
bool check_label(const Member& label, Diagnostics& diagnostics);
/// Reads a map of labels. Errors: recorded at the keys and values that no label has, which are left
/// out.
[[nodiscard]] Labels read_labels(const Value& labels, Diagnostics& diagnostics);

}  // namespace berth::core
