#include "workloads/trace/guess_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

#include "core/support/json_text.hpp"
#include "core/support/parse_number.hpp"
#include "core/support/text.hpp"
#include "workloads/trace/guess_table.hpp"
#include "workloads/trace/swf_line.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::workloads {
namespace {

using namespace std::string_view_literals;

/// A kind of file that berth does not read, and what to use instead, as the end of a message.
struct ForeignFile {
    std::string_view what;      ///< Such as `a Parquet file`.
    std::string_view expected;  ///< The text that follows `expected`.
};

constexpr std::string_view table_as_text =
    "a table in text, such as the CSV that pandas or DuckDB writes of it";
constexpr std::string_view saved_as_csv = "its sheet, saved as CSV";

/// Bytes that all files of a kind have at a certain offset.
struct Mark {
    std::string_view bytes;
    std::size_t at;
    ForeignFile file;
};

constexpr std::array known_marks{
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

/// Tells workbooks from other zip archives: they are zip archives that contain certain file names.
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

/// What a file is that berth cannot read, by its first bytes; nothing for a file that may be text.
std::optional<ForeignFile> foreign_file(std::string_view beginning) {
    for (const Mark& mark : known_marks) {
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

constexpr std::string_view blank = " \t\r\n";

/// What a user should give berth instead of a list of nodes or partitions.
constexpr const char* of_jobs =
    "a trace of jobs, such as what sacct --parsable2 --allocations prints";

std::string_view first_line(std::string_view text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    return line.substr(0, line.find_last_not_of(blank) + 1);
}

/// The text behind the first line.
std::string_view after_line(std::string_view text) {
    text.remove_prefix(std::min(text.find('\n'), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
    return text;
}

/// The text from the first line on that does not begin with one of `marks`.
std::string_view after_comments(std::string_view text, std::string_view marks) {
    while (!text.empty() && marks.find(text.front()) != std::string_view::npos) {
        text = after_line(text);
    }
    return text;
}

bool has_word(std::string_view line, std::string_view word) {
    for (std::size_t at = line.find(word); at != std::string_view::npos;
         at = line.find(word, at + 1)) {
        const bool begins = at == 0 || blank.find(line[at - 1]) != std::string_view::npos;
        const std::size_t end = at + word.size();
        const bool ends = end == line.size() || blank.find(line[end]) != std::string_view::npos;
        if (begins && ends) {
            return true;
        }
    }
    return false;
}

// JSON -------------------------------------------------------------------------------------------

/// Guesses from a line with an object: a job if the keys tell so, otherwise perhaps a document.
FileGuess guess_object(std::string_view line) {
    core::JsonText json;
    if (json.parse(line) || json.kind(core::JsonText::root()) != core::JsonText::Kind::map) {
        return std::monostate();
    }
    std::vector<std::string> keys;
    for (auto key = json.first(core::JsonText::root()); key;
         key = json.next(core::JsonText::root(), *key)) {
        keys.emplace_back(json.text(*key));
    }
    const bool is_document = std::ranges::any_of(keys, [](const std::string& key) {
        return key == "spec" || key == "apiVersion" || key == "metadata" || key == "items";
    });
    return is_document || keys.empty() ? FileGuess() : guess_fields(keys, "jsonl");
}

/// Recognises objects of the formats that have some.
std::optional<TraceGuess> guess_objects(std::string_view text, std::string_view quote) {
    for (const TraceFormat& format : trace_formats()) {
        if (format.recognises != nullptr) {
            if (const std::string_view why = format.recognises(text, quote); !why.empty()) {
                return TraceGuess{format.name, std::string(why)};
            }
        }
    }
    return std::nullopt;
}

bool is_known(const FileGuess& guess) {
    return !std::holds_alternative<std::monostate>(guess);
}

/// Recognises what Slurm's programs print with --json.
template <class Has>
FileGuess guess_slurm_json(Has has) {
    if (has("\"submission\"") && has("\"elapsed\"")) {
        return TraceGuess{"sacct",
                          "it has jobs as sacct --json prints them, read as those of sacct "
                          "--parsable2"};
    }
    if (has("\"job_state\"") && has("\"submit_time\"")) {
        return TraceGuess{"sacct", "it has jobs as squeue --json and scontrol print them"};
    }
    if (has("\"real_memory\"") && has("\"threads\"")) {
        return NoTrace{"a list of nodes that sinfo or scontrol prints", of_jobs};
    }
    if (has("\"partitions\"") && has("\"maximums\"")) {
        return NoTrace{"a list of partitions that sinfo or scontrol prints", of_jobs};
    }
    return std::monostate();
}

FileGuess guess_json(std::string_view text) {
    const auto has = [&](std::string_view part) { return text.find(part) != text.npos; };
    if (const auto objects = guess_objects(text, "\"")) {
        return *objects;
    }
    if (has("\"attempts\"") && has("\"vc\"")) {
        return TraceGuess{"philly", "its objects have vc and attempts"};
    }
    if (const FileGuess slurm = guess_slurm_json(has); is_known(slurm)) {
        return slurm;
    }
    if (has("\"kind\"")) {
        const bool of_berth = has("\"Experiment\"") || has("\"Workload\"");
        const bool of_pods = has("\"Pod\"") || has("\"PodList\"") || has("\"List\"");
        return of_pods && !of_berth ? FileGuess(TraceGuess{"kubernetes",
                                                           "it has objects of kind "
                                                           "Pod or List"})
                                    : std::monostate();
    }
    const std::size_t inner = text.find_first_not_of(blank, 1);
    if (text.starts_with('[')) {
        return inner != text.npos && text[inner] == '{'
                   ? FileGuess(NoTrace{"a list of JSON",
                                       "an object a line, as jq -c '.[]' FILE prints them",
                                       false})
                   : std::monostate();
    }
    const bool is_line =
        inner != text.npos && text[inner] == '"' && first_line(text).ends_with('}');
    if (has("\"jobs\"") && (has("\"profiles\"") || has("\"nb_res\"") || !is_line)) {
        return NoTrace{"one JSON object with a list of jobs in it",
                       "an object a line, as jq -c '.jobs[]' FILE prints them"};
    }
    return is_line ? guess_object(first_line(text)) : std::monostate();
}

// Lines of numbers -------------------------------------------------------------------------------

/// Recognises a line of SWF by its numbers; users, groups and queues may have names.
FileGuess guess_numbers(std::string_view line) {
    constexpr std::size_t numbers_min = 11;
    SwfLine fields;
    fields.split(line);
    const std::size_t known = std::min(fields.count(), SwfLine::field_count);
    std::size_t numbers = 0;
    while (numbers < known && core::parse_number<double>(fields.text(numbers))) {
        ++numbers;
    }
    if (known == SwfLine::field_count && numbers >= numbers_min) {
        return TraceGuess{
            "swf",
            fields.count() == known
                ? fmt::format("its lines have {} fields, numbers first", known)
                : fmt::format("its lines have {} fields, the first {} of them as swf has them",
                              fields.count(),
                              known)};
    }
    if (known > 2 && numbers == fields.count()) {
        return NoTrace{fmt::format("a table of numbers, {} a line", known),
                       fmt::format("a table with a header, or the {} fields a line of --from swf",
                                   SwfLine::field_count)};
    }
    return std::monostate();
}

// Documents, and what programs print for people --------------------------------------------------

/// Whether a line begins with a key that documents have. Only the beginning of a file may be at
/// hand, but comments before the first key are seldom longer than that.
bool is_document(std::string_view text) {
    if (text.starts_with("---") || text.starts_with("%YAML") || text.starts_with("<?xml")) {
        return true;
    }
    for (const std::string_view key : {"apiVersion:", "kind:", "metadata:", "spec:", "items:"}) {
        if (text.starts_with(key) || text.find("\n" + std::string(key)) != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

/// Recognises columns that are aligned with blanks, as commands print them without further options.
FileGuess guess_printed(std::string_view header) {
    if (header.starts_with("JobId=")) {
        return TraceGuess{"scontrol", "its lines begin with JobId= as scontrol show job has them"};
    }
    if (header.starts_with("NodeName=")) {
        return NoTrace{"a list of nodes that scontrol prints", of_jobs};
    }
    if (header.starts_with("PartitionName=")) {
        return NoTrace{"a list of partitions that scontrol prints", of_jobs};
    }
    if (header.find_first_of(",;|\t") != std::string_view::npos) {
        return std::monostate();  // a table whose names may be aligned too
    }
    if (has_word(header, "JobID")) {
        return NoTrace{"what sacct prints for people, with names cut short",
                       "what sacct --parsable2 --allocations prints, with --format=ALL or at least "
                       "JobID,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,State,AllocTRES,"
                       "ReqTRES,NNodes"};
    }
    if (has_word(header, "JOBID") && has_word(header, "PARTITION")) {
        return NoTrace{"what squeue prints, which does not tell when jobs came",
                       "what sacct --parsable2 --allocations or squeue --json prints"};
    }
    if (has_word(header, "NODELIST")) {
        return NoTrace{"a list of nodes that sinfo prints", of_jobs};
    }
    if (has_word(header, "NAME") && has_word(header, "AGE")) {
        return NoTrace{"what kubectl prints for people", "what kubectl get -o json prints"};
    }
    return std::monostate();
}

/// Recognises lines before a header that only some programs know how to skip.
FileGuess guess_prefixed(std::string_view text) {
    const std::string_view line = first_line(text);
    if (line.starts_with("sep=")) {
        return NoTrace{"a table with 'sep=' before its header",
                       "the header first, as tail -n +2 FILE | berth workload - prints it"};
    }
    const std::string_view rest = after_comments(text, "#");
    const FileGuess table = guess_table(first_line(rest), first_line(after_line(rest)));
    if (text.starts_with('#') && std::holds_alternative<TraceGuess>(table)) {
        return NoTrace{"a table with comments before its header",
                       fmt::format("the header first, as grep -v '^#' FILE | berth workload - "
                                   "--from {} reads it",
                                   std::get<TraceGuess>(table).format)};
    }
    return text.starts_with('#') ? std::monostate() : table;
}

}  // namespace

FileGuess guess_trace(std::string_view beginning) {
    beginning = beginning.substr(0, std::min(beginning.size(), guessed_bytes_max));
    if (const auto foreign = foreign_file(beginning)) {
        return NoTrace{std::string(foreign->what), std::string(foreign->expected)};
    }
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (beginning.starts_with(byte_order_mark)) {
        beginning.remove_prefix(byte_order_mark.size());
    }
    beginning.remove_prefix(std::min(beginning.find_first_not_of(blank), beginning.size()));
    const std::string_view jobs = after_comments(beginning, ";#");
    if (FileGuess numbers = guess_numbers(first_line(jobs)); is_known(numbers)) {
        return numbers;
    }
    if (jobs.empty() && beginning.starts_with(';')) {
        return TraceGuess{"swf", "it begins with comments after ';'"};
    }
    if (beginning.starts_with('{') || beginning.starts_with('[')) {
        return guess_json(beginning);
    }
    if (is_document(beginning)) {
        const auto objects = guess_objects(beginning, "");
        return objects ? FileGuess(*objects) : std::monostate();
    }
    if (FileGuess printed = guess_printed(first_line(beginning)); is_known(printed)) {
        return printed;
    }
    return guess_prefixed(beginning);
}

}  // namespace berth::workloads
