#include "workloads/trace/guess_format.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/support/parse_number.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::workloads {
namespace {

constexpr std::string_view blank = " \t\r\n";
constexpr std::size_t swf_fields = 18;

std::string_view first_line(std::string_view text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    return line.substr(0, line.find_last_not_of(blank) + 1);
}

/// The parts between separators; of several separators in a row, one counts.
std::vector<std::string_view> split(std::string_view line, std::string_view separators) {
    std::vector<std::string_view> fields;
    while (!line.empty()) {
        const std::size_t begin = std::min(line.find_first_not_of(separators), line.size());
        line.remove_prefix(begin);
        const std::size_t end = std::min(line.find_first_of(separators), line.size());
        if (end > 0) {
            fields.push_back(line.substr(0, end));
        }
        line.remove_prefix(end);
    }
    return fields;
}

bool is_number(std::string_view text) {
    return core::parse_number<double>(text).has_value();
}

std::optional<std::string_view> guess_json(std::string_view text) {
    const auto has = [&](std::string_view part) { return text.find(part) != text.npos; };
    if (has("\"attempts\"") && has("\"vc\"")) {
        return "philly";
    }
    if (has("\"kind\"")) {
        const bool of_berth = has("\"Experiment\"") || has("\"Workload\"");
        const bool of_pods = has("\"Pod\"") || has("\"PodList\"") || has("\"List\"");
        return of_pods && !of_berth ? std::optional("kubernetes") : std::nullopt;
    }
    return text.starts_with('{') && first_line(text).ends_with('}') ? std::optional("jsonl")
                                                                    : std::nullopt;
}

bool tells_submit_times(std::string_view header) {
    std::string small(header);
    std::ranges::transform(small, small.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const auto fields = split(small, ",;|\t\"");
    return fields.size() > 1 && std::ranges::any_of(fields, [](std::string_view field) {
               return field.starts_with("submit") || field.starts_with("submission") ||
                      field.starts_with("arrival");
           });
}

std::optional<std::string_view> guess_columns(std::string_view header) {
    const auto piped = split(header, "|");
    if (std::ranges::find(piped, "JobID") != piped.end()) {
        return "sacct";
    }
    const auto fields = split(header, ",\"");
    const auto has_all = [&](std::string_view columns) {
        return std::ranges::all_of(split(columns, ","), [&](std::string_view column) {
            return std::ranges::find(fields, column) != fields.end();
        });
    };
    for (const TraceFormat& format : trace_formats()) {
        if (!format.marks.empty() && has_all(format.marks)) {
            return format.name;
        }
    }
    // Of a table that tells when jobs come, the csv reader says what else it takes.
    return tells_submit_times(header) ? std::optional("csv") : std::nullopt;
}

}  // namespace

std::optional<std::string_view> guess_trace_format(std::string_view beginning) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (beginning.starts_with(byte_order_mark)) {
        beginning.remove_prefix(byte_order_mark.size());
    }
    beginning.remove_prefix(std::min(beginning.find_first_not_of(blank), beginning.size()));
    if (beginning.starts_with(';')) {
        return "swf";
    }
    if (beginning.starts_with('{') || beginning.starts_with('[')) {
        return guess_json(beginning);
    }
    const auto numbers = split(first_line(beginning), blank);
    if (numbers.size() == swf_fields && std::ranges::all_of(numbers, is_number)) {
        return "swf";
    }
    return guess_columns(first_line(beginning));
}

}  // namespace berth::workloads
