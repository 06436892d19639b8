#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/support/yaml_advice.hpp"

namespace berth::experiments {

/// YAML does not allow plain text with brackets inside `{}`, but paths such as spec.workload[0].at
/// are most common there: `{name: at, path: spec.workload[0].at}`. To allow them without quotes,
/// the brackets of indices and names in paths are hidden from the parser: each is replaced by one
/// character that no document has, so that all places stay the same.
[[nodiscard]] std::string hide_path_brackets(std::string_view text);

/// Restores hidden brackets.
[[nodiscard]] std::string show_path_brackets(std::string text);

/// The documents in a YAML text, without empty ones, each value with its place. `text` is what is
/// parsed, and `source` is what places refer to; the two have equal lines.
///
/// Errors: YAML::Exception if the text is not well-formed; `advice`, if it is not nullptr, is then
///         set if there is any. InputError for a key that is no text or occurs twice, for too deep
///         nesting, and for aliases that stand for too much.
/// Cost:   O(text), and at most a million additional values for aliases.
[[nodiscard]] std::vector<core::Value> parse_yaml_values(
    const std::string& text,
    const std::shared_ptr<const core::SourceText>& source,
    std::optional<YamlAdvice>* advice = nullptr);

/// Errors: InputError at the second of two equal keys of a map.
void reject_duplicate_keys(const core::Value& map);

/// Refuses control characters, except tabs and line ends, in names and texts: NUL ends texts in
/// other programs, and the rest controls terminals. Everything must be UTF-8, because nothing else
/// could be written back.
/// Errors: InputError.
void reject_unwritable_text(std::string_view text, const core::SourceSpan& span);

}  // namespace berth::experiments
