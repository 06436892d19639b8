#pragma once

#include <optional>

#include "core/support/value.hpp"

namespace berth::experiments {

/// Parses JSON in a text of a document, as annotations of Kubernetes contain it. Each value gets
/// its own place in the document if the text is written plainly there (in quotes without escapes,
/// or as a literal block), otherwise the place of the whole text.
///
/// Returns: nothing if the text is not JSON, with an error at the place where it stops being JSON;
///          `expectation` says what should be there.
[[nodiscard]] std::optional<core::Value> parse_embedded_json(const core::Value& text,
                                                             std::string_view expectation,
                                                             core::Diagnostics& diagnostics);

}  // namespace berth::experiments
