#include "experiments/program/config/workload/trace_origin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>
#include <variant>

#include "core/support/file_kind.hpp"
#include "experiments/program/config/workload/read_training.hpp"
#include "experiments/program/support/documents.hpp"
#include "workloads/trace/job_fields.hpp"

namespace berth::experiments {

using core::Diagnostics;
using core::MapReader;
using core::Value;

namespace {

std::map<std::string, std::string> read_columns(const Value* list, Diagnostics& diagnostics) {
    std::map<std::string, std::string> columns;
    if (list == nullptr) {
        return columns;
    }
    if (!list->is_map()) {
        expected(*list, "the file's columns by field, such as {submit: SubmitTime}", diagnostics);
    }
    const auto names = workloads::JobFields::names();
    const std::vector<std::string> fields(names.begin(), names.end());
    for (const core::Member& member : list->members) {
        if (std::ranges::find(fields, member.key) == fields.end()) {
            diagnostics.error(member.key_span,
                              fmt::format("unknown field '{}': expected {}{}",
                                          member.key,
                                          core::alternatives(fields),
                                          core::suggestion(member.key, fields)));
        }
        columns[member.key] = read_text(member.value, diagnostics).value_or("");
    }
    return columns;
}

/// Reports a missing format. An experiment must state what it means: a guess is proposed, not used.
void refuse_missing_format(MapReader& map,
                           const std::string& file,
                           const std::vector<std::string>& formats) {
    const auto guess = file.empty() ? workloads::FileGuess() : guess_file(file);
    const auto* likely = std::get_if<workloads::TraceGuess>(&guess);
    map.diagnostics().error(
        map.span(),
        likely != nullptr
            ? fmt::format("no 'format' beside the file: expected format: {}, since {}, or another",
                          likely->format,
                          likely->why)
            : fmt::format("no 'format' beside the file: expected {}", core::alternatives(formats)));
}

}  // namespace

TraceOrigin read_trace_origin(MapReader& map) {
    TraceOrigin origin;
    std::vector<std::string> formats;
    for (const workloads::TraceFormat& format : workloads::trace_formats()) {
        formats.emplace_back(format.name);
    }
    const Value* format = map.take("format");
    (void)map.need("file");
    origin.file = map.text("file", "");
    if (format == nullptr) {
        refuse_missing_format(map, origin.file, formats);
    }
    origin.format = formats[map.choice("format", formats, 0)];
    (void)map.take("sha256");  // was checked against the file when the experiment was resolved
    origin.options.lenient = map.boolean("lenient", false);
    const Value* arrival = map.take("arrival");
    origin.options.arrival =
        static_cast<workloads::TraceArrival>(map.choice("arrival", {"eligible", "submit"}, 0));
    if (arrival != nullptr && origin.format != "sacct") {
        map.diagnostics().error(arrival->span,
                                fmt::format("arrival beside format {}: expected format: sacct, "
                                            "which tells when jobs became eligible",
                                            origin.format));
    }
    const Value* columns = map.take("columns");
    origin.options.columns = read_columns(columns, map.diagnostics());
    if (columns != nullptr && origin.format != "csv" && origin.format != "jsonl") {
        map.diagnostics().error(
            columns->span,
            fmt::format("columns beside format {}: expected format: csv or jsonl, whose columns "
                        "have any names",
                        origin.format));
    }
    if (const Value* speeds = map.take("speeds")) {
        origin.options.speeds = read_speeds(*speeds, map.diagnostics());
        if (origin.format != "training") {
            map.diagnostics().error(
                speeds->span,
                fmt::format("speeds beside format {}: expected format: training, whose jobs train "
                            "models",
                            origin.format));
        }
    }
    return origin;
}

bool begins_as_json(const TraceOrigin& origin) {
    std::string beginning;
    if (origin.text != nullptr) {
        beginning = origin.text->substr(0, workloads::guessed_bytes_max);
    } else {
        beginning = beginning_of(origin.file);
    }
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    const std::size_t from = beginning.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    const std::size_t first = beginning.find_first_not_of(" \t\r\n", from);
    return first == std::string::npos || beginning[first] == '{' || beginning[first] == '[';
}

TraceOrigin with_documents(TraceOrigin origin) {
    const auto* format = workloads::find_trace_format(origin.format);
    if (format == nullptr || format->make_of_documents == nullptr || origin.documents != nullptr ||
        begins_as_json(origin)) {
        return origin;
    }
    origin.documents = std::make_shared<const std::vector<Value>>(
        parse_documents(origin.text == nullptr ? read_source(origin.file)
                                               : std::make_shared<const core::SourceText>(
                                                     core::SourceText{origin.file, *origin.text})));
    return origin;
}

std::unique_ptr<workloads::TraceReader> open(const TraceOrigin& origin) {
    if (const TraceOrigin whole = with_documents(origin); whole.documents != nullptr) {
        return workloads::find_trace_format(whole.format)
            ->make_of_documents(whole.documents, whole.file, whole.options);
    }
    if (origin.text != nullptr) {
        return workloads::open_trace(origin.format,
                                     std::make_unique<std::istringstream>(*origin.text),
                                     origin.file,
                                     origin.options);
    }
    return workloads::open_trace(origin.format, origin.file, origin.options);
}

std::string beginning_of(const std::string& file) {
    std::string text(workloads::guessed_bytes_max, '\0');
    const auto in = workloads::open_text(file);
    in->read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in->gcount()));
    return text;
}

workloads::FileGuess guess_file(const std::string& file) {
    const core::FileKind kind = file == "-" ? core::FileKind::other : core::kind_of(file);
    const bool has_no_beginning = kind == core::FileKind::other || kind == core::FileKind::folder;
    return has_no_beginning ? workloads::FileGuess() : workloads::guess_trace(beginning_of(file));
}

namespace {

/// Whether a file begins like its format: a table whose header fits, or a first row that is a job.
bool begins_as_said(TraceOrigin origin) {
    if (origin.file == "-" && origin.text == nullptr) {
        return false;  // It cannot be read a second time.
    }
    origin.options.lenient = false;
    try {
        const auto reader = open(origin);
        workloads::TraceJob job;
        return origin.format == "csv" || reader->next(job);
    } catch (const core::InputError&) {
        return false;
    }
}

/// Whether a message may show the row that it is about. It shows no row of a file that is no trace,
/// because the reader of the message may have no right to read that file.
bool may_be_shown(const workloads::FileGuess& guess, const TraceOrigin& origin) {
    const bool has_own_columns = origin.format == "csv" || origin.format == "jsonl";
    return std::holds_alternative<workloads::TraceGuess>(guess) ||
           (has_own_columns && begins_as_said(origin));
}

}  // namespace

core::InputError with_likely_format(const core::InputError& error, const TraceOrigin& origin) {
    const workloads::FileGuess guess =
        origin.text == nullptr ? guess_file(origin.file) : workloads::guess_trace(*origin.text);
    std::string likely;
    if (const auto* trace = std::get_if<workloads::TraceGuess>(&guess)) {
        likely = trace->format == origin.format
                     ? ""
                     : fmt::format("; the file looks like {}, since {}", trace->format, trace->why);
    } else if (const auto* none = std::get_if<workloads::NoTrace>(&guess)) {
        // For a table with any column names, the user stated what they mean, and knows better.
        likely = origin.format == "csv" && !none->certain
                     ? ""
                     : fmt::format("; the file is {}: expected {}", none->kind(), none->expected);
    }
    std::string message = error.what();
    const std::size_t row = std::min(message.find('\n'), message.size());
    if (!may_be_shown(guess, origin)) {
        message.resize(row);
    }
    message.insert(row, likely);
    return core::InputError(core::MessageLines{message});
}

}  // namespace berth::experiments
