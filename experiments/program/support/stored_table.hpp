#pragma once

#include <filesystem>
#include <istream>
#include <memory>
#include <string>

namespace berth::report {

/// A table that is `jobs.csv` as text may be stored in another form beside it or in its place:
/// `jobs.csv.zst`. Whoever reads a table names its text, and reads the same text in any form.

/// The file that has a table: its text, or the first other form that is there; `csv` itself if
/// there is none.
/// Errors: core::ReadError.
[[nodiscard]] std::filesystem::path stored_table(const std::filesystem::path& csv);
/// Errors: core::ReadError.
[[nodiscard]] bool has_table(const std::filesystem::path& csv);
/// The text of a file that stored_table() named.
/// Errors: core::ReadError at once; core::InputError from whatever reads, at a file that is cut
///         short or damaged.
[[nodiscard]] std::unique_ptr<std::istream> open_table(const std::filesystem::path& stored);
/// All of it.
[[nodiscard]] std::string text_of_table(const std::filesystem::path& csv);
/// The name of a table's text, by the name of a file that has it: `jobs.csv` for `jobs.csv.zst`.
/// Another file's name stays as it is.
[[nodiscard]] std::string name_of_text(const std::string& file);

}  // namespace berth::report
