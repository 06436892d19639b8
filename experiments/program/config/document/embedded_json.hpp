#pragma once

#include <optional>

#include "core/support/value.hpp"

namespace berth::experiments {

/// The JSON that stands in a text of a document, as annotations of Kubernetes have it. Each value
/// has its place in the document where the text is written plainly there (in quotes without
/// escapes, or as a literal block), else that of the whole text.
///
/// Returns: nothing, with an error at the place where the text stops being JSON; `expectation` says
///          what should be there.
[[nodiscard]] std::optional<core::Value> parse_embedded_json(const core::Value& text,
                                                             std::string_view expectation,
                                                             core::Diagnostics& diagnostics);

}  // namespace berth::experiments
