#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/support/source.hpp"
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

/// Says of a text that stands where a document of one of `kinds` is expected, and is none, what it
/// is instead: a trace of jobs, or a file that berth does not read. Returns if it does not know.
/// Without kinds a document of any kind is expected, or a trace.
/// Errors: InputError.
void refuse_trace(const core::SourceText& source, const std::vector<std::string>& kinds);

}  // namespace berth::experiments
