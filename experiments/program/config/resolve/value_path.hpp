#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/support/value.hpp"

namespace berth::experiments {

/// A change of one value of a document: `--set spec.path=VALUE`, or a value of a sweep's axis.
struct Override {
    /// `spec.workload[0].background.load`: keys, and entries of lists by their index from 0 or by
    /// their name, `spec.topology.spec.levels[rack].count`.
    std::string path;
    core::Value value;
    core::SourceSpan span;  ///< Where the path stands.
};

/// Parses `PATH=VALUE`; the value is YAML.
/// Errors: InputError.
[[nodiscard]] Override parse_override(const std::string& option);

/// Sets the value at a path below `document`; the last step may be a key that is new there, and so
/// may be maps on the way that every experiment can have, such as `scheduler.profile`.
/// Errors: InputError at the override when the way there does not exist, with the nearest that
///         does, or when several entries of a list have the name.
void apply_override(core::Value& document, const Override& override);

/// The same, but where the way there does not exist nothing is changed, and false is returned.
/// Errors: InputError at the override when the path is none.
[[nodiscard]] bool try_override(core::Value& document, const Override& override);

/// The path with entries of lists by their index wherever they are by name, as far as it leads in
/// the document: two paths to one place are then one text.
/// Errors: InputError when it is no path, or when several entries of a list have the name.
[[nodiscard]] std::string path_by_index(core::Value& document, const Override& override);

}  // namespace berth::experiments
