#pragma once

#include <optional>
#include <string>

#include "core/support/value.hpp"

namespace berth::experiments {

/// What to say of a document that is none of berth's: a table or a text where a map is expected, or
/// an object of a system that berth does not read yet, such as Kueue's `ClusterQueue`; nothing for
/// any other. One message instead of one for each key.
struct ForeignDocument {
    core::SourceSpan span;
    std::string message;
};
[[nodiscard]] std::optional<ForeignDocument> foreign_document(const core::Value& document);

}  // namespace berth::experiments
