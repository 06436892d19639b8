#pragma once

#include <string_view>

#include "core/support/value.hpp"

namespace berth::core {

/// Whether the metadata of an object of Kubernetes can have this key.
/// Source: Kubernetes, apimachinery/pkg/apis/meta/v1, ObjectMeta.
[[nodiscard]] bool is_metadata_key(std::string_view key);

/// Errors: recorded at keys that no metadata has.
void check_metadata_keys(const Value& metadata, Diagnostics& diagnostics);
/// Checks the metadata of an object. Errors: recorded at keys that no metadata has, and at labels
/// that are none. Labels without a value are left alone.
void check_metadata(const Value& metadata, Diagnostics& diagnostics);

}  // namespace berth::core
