#include "workloads/trace/guess_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/support/parse_number.hpp"
#include "core/support/text.hpp"
#include "workloads/trace/field_names.hpp"
#include "workloads/trace/job_fields.hpp"
#include "workloads/trace/numbers.hpp"
#include "workloads/trace/row_error.hpp"
#include "workloads/trace/text_blocks.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::workloads {
namespace {

using Names = std::vector<std::string>;

bool among(const Names& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

bool has_any(const Names& names, const std::vector<std::string_view>& of) {
    return std::ranges::any_of(of, [&](std::string_view name) { return among(names, name); });
}

/// Joins a few names as `a, b and c`.
std::string and_joined(const Names& names) {
    const Names before(names.begin(), names.end() - 1);
    return before.empty() ? names.back() : core::join(before, ", ") + " and " + names.back();
}

/// The first names of a header, quoted for a message.
std::string quoted_beginning(const Names& names) {
    constexpr std::size_t shown_max = 6;
    Names shown;
    for (std::size_t at = 0; at < std::min(names.size(), shown_max); ++at) {
        shown.push_back(quoted(names[at]));
    }
    return core::join(shown, ", ") + (names.size() > shown_max ? ", ..." : "");
}

/// Recognises tables whose columns are known and that hold no arriving jobs.
FileGuess guess_other_table(const Names& names) {
    if (among(names, "sn") && among(names, "cpu_milli")) {
        return NoTrace{"a list of nodes",
                       "a trace; a list of nodes is an experiment's topology: {nodes: {format: "
                       "openb, file: ...}}, or stands behind --nodes"};
    }
    if (among(names, "gpu_capacity_num") && among(names, "node_name")) {
        return NoTrace{"a list of nodes",
                       "a trace; a list of nodes is an experiment's topology: {nodes: {format: "
                       "spot, file: ...}}, or stands behind --nodes"};
    }
    if (names.front() == "replication") {
        return NoTrace{"a table of a run's results",
                       "a trace; berth workload EXPERIMENT.yaml --to csv lists the jobs that come "
                       "into a run"};
    }
    return std::monostate();
}

/// Whether the table has column names that only sacct uses. One such name is not enough where a
/// program other than sacct may have written the table.
bool is_of_sacct(const Names& names, char delimiter) {
    if (!has_any(names, {"JobID", "JobIDRaw"})) {
        return false;
    }
    return delimiter == '|' ||
           (among(names, "Submit") &&
            has_any(names, {"AllocTRES", "ReqTRES", "State", "ElapsedRaw", "NNodes", "NCPUS"}));
}

FileGuess guess_marked(const Names& names, char delimiter) {
    if (is_of_sacct(names, delimiter)) {
        return TraceGuess{"sacct", "its header has the columns of sacct"};
    }
    if (is_of_squeue(names)) {
        return NoTrace{
            "a table that squeue prints, in which jobs that run have ended with their "
            "limit, and jobs that wait have started when that is planned",
            "what squeue --json or sacct --parsable2 --allocations prints"};
    }
    for (const TraceFormat& format : trace_formats()) {
        const Names marks = names_in(format.marks, ',');
        if (!format.marks.empty() && std::ranges::all_of(marks, [&](const std::string& mark) {
                return among(names, mark);
            })) {
            return TraceGuess{format.name, "its header has " + and_joined(marks)};
        }
    }
    return std::monostate();
}

/// A header has names. If it has numbers or dates, it is really the first row of data.
FileGuess guess_headless(const Names& names) {
    for (const std::string& name : names) {
        if (core::parse_number<double>(name) || parse_date_time(name)) {
            return NoTrace{
                fmt::format("a table without a header: its first line has {}", quoted(name)),
                "a first line with the names of the columns"};
        }
    }
    return std::monostate();
}

/// The fields of a job that the csv reader finds in such a table.
Names fields_in(const Names& names) {
    const FieldColumns columns = find_field_columns({}, names, "");
    Names fields;
    for (const auto& [field, column] : columns.names) {
        if (among(names, column)) {
            fields.emplace_back(JobFields::names()[field]);
        }
    }
    return fields;
}

/// The column that may well hold the submit times, or `COLUMN` if no column seems to.
std::string column_of_submits(const Names& names) {
    const auto at = std::ranges::find_if(names, [](const std::string& name) {
        return !names_a_length(name) &&
               (name.find("time") != std::string::npos || name.find("Time") != std::string::npos ||
                name.find("TIME") != std::string::npos);
    });
    return at == names.end() ? "COLUMN" : *at;
}

/// Whether a first line without any known name is a header, and not the first line of a broken
/// document.
bool could_be_header(const Names& names, std::string_view second_line) {
    const auto named =
        std::ranges::count_if(names, [](const std::string& name) { return !name.empty(); });
    const bool has_key = std::ranges::any_of(
        names, [](const std::string& name) { return name.find(": ") != std::string::npos; });
    return named > 1 && !has_key && !second_line.empty();
}

}  // namespace

FileGuess guess_fields(const Names& names, std::string_view format) {
    const Names fields = fields_in(names);
    const bool comes = has_any(fields, {"submit", "start", "finish"});
    const bool is_job = has_any(fields,
                                {"run_time",
                                 "name",
                                 "cpu",
                                 "cpu_milli",
                                 "memory",
                                 "memory_mib",
                                 "gpus",
                                 "gpu_milli",
                                 "members"});
    if (comes && is_job) {
        return TraceGuess{
            format,
            fmt::format(
                "its {} {}", format == "csv" ? "header tells" : "keys tell", and_joined(fields))};
    }
    return NoTrace{
        fmt::format("a table whose columns do not say {} ({})",
                    comes ? "what jobs they are of" : "when jobs come",
                    quoted_beginning(names)),
        fmt::format(
            "--columns submit={},run_time=COLUMN,gpus=COLUMN and so on, which says what they "
            "mean",
            column_of_submits(names)),
        false};
}

FileGuess guess_table(std::string_view header, std::string_view second_line) {
    const char delimiter = delimiter_of(header, ',');
    const Names names = names_in(header, delimiter);
    if (names.size() < 2) {
        return std::monostate();
    }
    for (const FileGuess& guess : {guess_marked(names, delimiter), guess_other_table(names)}) {
        if (!std::holds_alternative<std::monostate>(guess)) {
            return guess;
        }
    }
    // From here on, a text with commas has to be told apart from a table.
    if (!second_line.empty() && names_in(second_line, delimiter).size() != names.size() &&
        second_line.find('"') == std::string_view::npos) {
        return std::monostate();
    }
    FileGuess headless = guess_headless(names);
    if (!std::holds_alternative<std::monostate>(headless)) {
        return headless;
    }
    const FileGuess fields = guess_fields(names, "csv");
    return std::holds_alternative<TraceGuess>(fields) || could_be_header(names, second_line)
               ? fields
               : FileGuess();
}

}  // namespace berth::workloads
