#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// Whether a document may be so large, which it is so far: what is held in memory is many times as
/// large as its text.
/// Errors: InputError, also for a compressed file with hardly anything in it but its length.
void check_document_size(const std::string& file, std::size_t size);

/// Reads a whole file; `-` is standard input. `.gz` and `.zst` are read transparently.
/// Errors: InputError naming the file when it cannot be read, when it has more than 1 GiB, or a
///         byte that no text has; of a pipe or a device also when its first 64 KiB are of no
///         document and of no table.
/// Cost:   memory for the text, which is looked at before more of it is read.
[[nodiscard]] std::shared_ptr<const core::SourceText> read_source(
    const std::filesystem::path& file);

/// All of a pipe, or of standard input, that holds a trace or perhaps a document: read_source()
/// still finds what was read of `-`.
/// Errors: as read_source(), but for bytes that no text has behind the first 64 KiB; more than 4
///         GiB.
[[nodiscard]] std::shared_ptr<const std::string> read_piped_trace(const std::string& file);

/// The documents of a YAML or JSON text (JSON is YAML), each value with its place.
/// Errors: InputError at the place where the text is not well-formed, or where a key occurs twice.
/// Cost:   about 10 MB/s for YAML; text that begins with `{` or `[` is read as JSON, ten times
///         faster, and as YAML only if it is no JSON.
[[nodiscard]] std::vector<core::Value> parse_documents(
    const std::shared_ptr<const core::SourceText>& source);

/// The value as a YAML document that parse_documents() reads as the same.
[[nodiscard]] std::string emit_yaml(const core::Value& value);

}  // namespace berth::experiments
