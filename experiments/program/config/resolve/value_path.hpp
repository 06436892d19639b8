#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/support/value.hpp"

namespace berth::experiments {

/// A change of one value of a document: `--set spec.path=VALUE`, or a value on an axis of a sweep.
struct Override {
    /// The path, such as `spec.workload[0].background.load`: keys, and entries of lists by their
    /// index from 0 or by their name, `spec.topology.spec.levels[rack].count`.
    std::string path;
    core::Value value;
    core::SourceSpan span;  ///< The place of the path.
};

/// Parses `PATH=VALUE`; the value is YAML.
/// Errors: InputError.
[[nodiscard]] Override parse_override(const std::string& option);

/// Sets the value at a path below `document`. The last step may be a new key, and maps that every
/// experiment can have, such as `scheduler.profile`, may be missing on the way.
/// Errors: InputError at the override if the path does not exist, with the nearest that does, or if
///         several entries of a list have the name.
void apply_override(core::Value& document, const Override& override);

/// Does the same, but changes nothing and returns false if the path does not exist.
/// Errors: InputError at the override if its text is no path.
[[nodiscard]] bool try_override(core::Value& document, const Override& override);

/// The path with indices instead of names for the entries of lists, as far as it leads in the
/// document: two paths to the same place then have the same text.
/// Errors: InputError if the text is no path, or if several entries of a list have the name.
[[nodiscard]] std::string path_by_index(core::Value& document, const Override& override);

}  // namespace berth::experiments
