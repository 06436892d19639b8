#pragma once

#include <string>
#include <string_view>

namespace berth::experiments {

/// YAML has no plain text with brackets inside `{}`, though a path such as spec.workload[0].at is
/// most at home there: `{name: at, path: spec.workload[0].at}`. So that it may stand there without
/// quotes, the brackets of indices and names in paths are hidden from the parser, each behind one
/// character that no document has, so that every place stays where it is.
[[nodiscard]] std::string hide_path_brackets(std::string_view text);

/// Puts hidden brackets back.
[[nodiscard]] std::string show_path_brackets(std::string text);

}  // namespace berth::experiments
