#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <string>

namespace berth::report {

/// The table `jobs.csv` may be stored in another form, beside its text or instead of it: as
/// `jobs.csv.zst` or `jobs.arrow`. A reader names the text file and gets the same text from any
/// form.
enum class Form : std::uint8_t { zstd, arrow };

/// The file that holds a table: its text, or else the first other form that exists, or else `csv`
/// itself.
/// Errors: core::ReadError.
[[nodiscard]] std::filesystem::path stored_table(const std::filesystem::path& csv);
/// Whether the table exists in any form.
/// Errors: core::ReadError.
[[nodiscard]] bool has_table(const std::filesystem::path& csv);
/// Opens the text of a file that stored_table() returned.
/// Errors: core::ReadError at once; functions that read throw core::InputError if the file is cut
///         short or damaged.
[[nodiscard]] std::unique_ptr<std::istream> open_table(const std::filesystem::path& stored);
/// The whole text of a table.
[[nodiscard]] std::string text_of_table(const std::filesystem::path& csv);
/// The name of the file with a table in another form: `jobs.csv.zst` for `jobs.csv`.
[[nodiscard]] std::string file_stored_as(const std::string& csv, Form form);
[[nodiscard]] bool is_arrow(const std::filesystem::path& stored);
/// The name of a table's text for the name of a file that stores it: `jobs.csv` for `jobs.csv.zst`.
/// The name of any other file is returned as it is.
[[nodiscard]] std::string name_of_text(const std::string& file);

}  // namespace berth::report
