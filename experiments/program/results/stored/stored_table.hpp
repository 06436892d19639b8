#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <string>

namespace berth::report {

/// A table that is `jobs.csv` as text may be stored in another form beside it or in its place:
/// `jobs.csv.zst` or `jobs.arrow`. Whoever reads a table names its text, and reads the same text in
/// any form.
enum class Form : std::uint8_t { zstd, arrow };

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
/// The name of the file that has a table in another form: `jobs.csv.zst` for `jobs.csv`.
[[nodiscard]] std::string file_stored_as(const std::string& csv, Form form);
[[nodiscard]] bool is_arrow(const std::filesystem::path& stored);
/// The name of a table's text, by the name of a file that has it: `jobs.csv` for `jobs.csv.zst`.
/// Another file's name stays as it is.
[[nodiscard]] std::string name_of_text(const std::string& file);

}  // namespace berth::report
