#include "workloads/trace/foreign_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace berth::workloads {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view table_as_text =
    "a table in text, such as the CSV that pandas or DuckDB writes of it";
constexpr std::string_view saved_as_csv = "its sheet, saved as CSV";

/// Bytes that files of a kind have at a place.
struct Mark {
    std::string_view bytes;
    std::size_t at;
    ForeignFile file;
};

constexpr std::array marks{
    Mark{"PAR1"sv, 0, {"a Parquet file", table_as_text}},
    Mark{"ARROW1"sv, 0, {"an Arrow file", table_as_text}},
    Mark{"FEA1"sv, 0, {"a Feather file", table_as_text}},
    Mark{"ORC"sv, 0, {"an ORC file", table_as_text}},
    Mark{"Obj\x01"sv, 0, {"an Avro file", table_as_text}},
    Mark{"\x89HDF\r\n"sv, 0, {"an HDF5 file", table_as_text}},
    Mark{"\x93NUMPY"sv, 0, {"an array of NumPy", table_as_text}},
    Mark{"SQLite format 3\0"sv,
         0,
         {"a database of SQLite",
          "one of its tables, as sqlite3 -header -csv FILE 'select * from TABLE' prints it"}},
    Mark{"\xD0\xCF\x11\xE0"sv, 0, {"a workbook of Excel", saved_as_csv}},
    Mark{"%PDF"sv, 0, {"a PDF", table_as_text}},
    Mark{"\x1F\x8B"sv,
         0,
         {"compressed by gzip, which its name does not say", "a name that ends in .gz"}},
    Mark{"\x28\xB5\x2F\xFD"sv,
         0,
         {"compressed by zstd, which its name does not say", "a name that ends in .zst"}},
    Mark{"\xFD"
         "7zXZ"sv,
         0,
         {"compressed by xz", "what xz -dc FILE prints, or a file that ends in .gz or .zst"}},
    Mark{"BZh"sv,
         0,
         {"compressed by bzip2", "what bzip2 -dc FILE prints, or a file that ends in .gz or .zst"}},
    Mark{"\x04\x22\x4D\x18"sv,
         0,
         {"compressed by lz4", "what lz4 -dc FILE prints, or a file that ends in .gz or .zst"}},
    Mark{"7z\xBC\xAF"sv, 0, {"an archive of 7-Zip", "a file from it"}},
    Mark{"ustar"sv, 257, {"a tar archive", "a file from it"}},
    Mark{"\xFF\xFE"sv, 0, {"UTF-16 text", "UTF-8, as iconv -f UTF-16 -t UTF-8 FILE prints it"}},
    Mark{"\xFE\xFF"sv, 0, {"UTF-16 text", "UTF-8, as iconv -f UTF-16 -t UTF-8 FILE prints it"}},
    Mark{"version https://git-lfs"sv,
         0,
         {"a pointer of Git LFS, not the file itself", "the file, which git lfs pull fetches"}},
};

/// Workbooks are zip archives whose files have certain names.
ForeignFile zip_file(std::string_view beginning) {
    const bool is_workbook = beginning.find("[Content_Types].xml") != std::string_view::npos ||
                             beginning.find("opendocument.spreadsheet") != std::string_view::npos;
    return is_workbook ? ForeignFile{"a workbook, as .xlsx and .ods are", saved_as_csv}
                       : ForeignFile{"a zip archive", "a file from it"};
}

bool begins_as_page(std::string_view beginning) {
    std::string small(beginning.substr(0, 14));
    std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
    return small.starts_with("<!doctype html") || small.starts_with("<html");
}

}  // namespace

std::optional<ForeignFile> foreign_file(std::string_view beginning) {
    for (const Mark& mark : marks) {
        if (beginning.substr(std::min(mark.at, beginning.size())).starts_with(mark.bytes)) {
            return mark.file;
        }
    }
    if (beginning.starts_with("PK\x03\x04")) {
        return zip_file(beginning);
    }
    if (begins_as_page(beginning)) {
        return ForeignFile{"a web page, as servers send in the place of a file that they lack",
                           "the file itself"};
    }
    if (beginning.find('\0') != std::string_view::npos) {
        return ForeignFile{"no text", "a document or a table, in UTF-8"};
    }
    return std::nullopt;
}

}  // namespace berth::workloads
