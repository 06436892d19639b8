#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// The error of a document that is none of berth's: a table or a text instead of a map, or an
/// object of a system that berth does not read yet; nothing for any other document. This gives one
/// message instead of one for each key.
struct ForeignDocument {
    core::SourceSpan span;
    std::string message;
};
[[nodiscard]] std::optional<ForeignDocument> foreign_document(const core::Value& document);

/// Reports what a text is that is no document of one of `kinds`, although one is expected: a trace
/// of jobs, or a file that berth does not read. Returns if that is not known. Without kinds, a
/// document of any kind or a trace is expected.
/// Errors: InputError.
void refuse_trace(const core::SourceText& source, const std::vector<std::string>& kinds);

}  // namespace berth::experiments
