#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// Checks that a document may have this size so far, because it takes many times its text's size in
/// memory.
/// Errors: InputError, also for a compressed file that contains hardly anything but its length.
void check_document_size(const std::string& file, std::size_t size);

/// Reads a whole file; `-` is standard input. `.gz` and `.zst` are decompressed transparently.
/// Errors: InputError naming the file if it cannot be read, has more than 1 GiB, or has a byte that
///         no text has; for a pipe or a device also if its first 64 KiB look like neither a
///         document nor a table.
/// Cost:   memory for the text. Each piece is checked before the next is read.
[[nodiscard]] std::shared_ptr<const core::SourceText> read_source(
    const std::filesystem::path& file);

/// Reads all of a pipe, or of standard input, that contains a trace or perhaps a document.
/// read_source() can still return what was read from `-`.
/// Errors: as for read_source(), except that bytes which no text has are accepted behind the first
///         64 KiB, and that the limit is 4 GiB.
[[nodiscard]] std::shared_ptr<const std::string> read_piped_trace(const std::string& file);

/// The documents in a YAML or JSON text (JSON is YAML), each value with its place.
/// Errors: InputError at the place where the text is not well-formed, or where a key occurs twice.
/// Cost:   about 10 MB/s for YAML. A text that begins with `{` or `[` is read as JSON, ten times
///         faster, and as YAML only if it is not valid JSON.
[[nodiscard]] std::vector<core::Value> parse_documents(
    const std::shared_ptr<const core::SourceText>& source);

/// The value as a YAML document, which parse_documents() reads back as the same value.
[[nodiscard]] std::string emit_yaml(const core::Value& value);

}  // namespace berth::experiments
