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

/// YAML has no plain text with brackets inside `{}`, though a path such as spec.workload[0].at is
/// most at home there: `{name: at, path: spec.workload[0].at}`. So that it may stand there without
/// quotes, the brackets of indices and names in paths are hidden from the parser, each behind one
/// character that no document has, so that every place stays where it is.
[[nodiscard]] std::string hide_path_brackets(std::string_view text);

/// Puts hidden brackets back.
[[nodiscard]] std::string show_path_brackets(std::string text);

/// The documents of a YAML text, without those that are empty, each value with its place. `text` is
/// what is read, and `source` what places are in; the two have equal lines.
///
/// Errors: YAML::Exception where the text is not well-formed, then with `advice`, if it is asked
///         for and there is any; InputError for a key that is no text
///         or occurs twice, for what is nested too deep, and for aliases that stand for too much.
/// Cost:   O(text), and at most a million values more for aliases.
[[nodiscard]] std::vector<core::Value> parse_yaml_values(
    const std::string& text,
    const std::shared_ptr<const core::SourceText>& source,
    std::optional<YamlAdvice>* advice = nullptr);

/// Errors: InputError at the second of two equal keys of a map.
void reject_duplicate_keys(const core::Value& map);

/// No name and no text has control characters but tabs and the ends of lines: NUL ends texts for
/// others, and the rest steers terminals. All is UTF-8: nothing else could be written back.
/// Errors: InputError.
void reject_unwritable_text(std::string_view text, const core::SourceSpan& span);

}  // namespace berth::experiments
