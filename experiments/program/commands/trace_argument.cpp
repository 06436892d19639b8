#include "experiments/program/commands/trace_argument.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <variant>
#include <vector>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/config/workload/trace_origin.hpp"
#include "experiments/program/support/documents.hpp"
#include "workloads/trace/guess_format.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;
using core::InputError;
using workloads::FileGuess;

/// Reads `FIELD=COLUMN,FIELD=COLUMN`, given once or several times.
std::map<std::string, std::string> columns_of(std::string_view command,
                                              const std::vector<std::string>& given) {
    std::map<std::string, std::string> columns;
    for (std::string_view rest : given) {
        while (!rest.empty()) {
            const std::string_view pair = rest.substr(0, rest.find(','));
            rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
            const std::size_t equals = pair.find('=');
            if (equals == std::string_view::npos || equals == 0) {
                throw InputError(
                    fmt::format("berth {}: error: --columns '{}': expected FIELD=COLUMN, such as "
                                "submit=timestamp, with commas between",
                                command,
                                pair));
            }
            columns[std::string(pair.substr(0, equals))] = pair.substr(equals + 1);
        }
    }
    return columns;
}

/// The format that a guess suggests; nothing if the file may be a document.
std::optional<std::string> guessed_format(const FileGuess& guess,
                                          const std::string& file,
                                          bool pods_are_documents) {
    if (const auto* none = std::get_if<workloads::NoTrace>(&guess);
        none != nullptr && none->certain) {
        throw InputError(
            fmt::format("{}: error: is {}: expected {}", file, none->what, none->expected));
    }
    const auto* trace = std::get_if<workloads::TraceGuess>(&guess);
    const auto* format = trace == nullptr ? nullptr : workloads::find_trace_format(trace->format);
    const bool may_be_documents = format != nullptr && format->objects;
    if (trace == nullptr || (pods_are_documents && may_be_documents)) {
        return std::nullopt;
    }
    std::cerr << fmt::format(
        "{}: note: read as a trace of the format {}, since {}; --from names "
        "another\n",
        file,
        trace->format,
        trace->why);
    return std::string(trace->format);
}

/// The format that columns are given for: tables with any column names.
std::string format_with_columns(const FileGuess& guess) {
    const auto* trace = std::get_if<workloads::TraceGuess>(&guess);
    return trace != nullptr && trace->format == "jsonl" ? "jsonl" : "csv";
}

}  // namespace

void add_trace_options(po::options_description& options) {
    auto add = options.add_options();
    add("from",
        po::value<std::string>()->value_name("FORMAT"),
        "FILE is a trace of this format (default: by how it begins)");
    add("columns",
        po::value<std::vector<std::string>>()->composing()->value_name("FIELD=COLUMN,..."),
        "which column of a csv or jsonl trace holds what; FIELD= reads none");
    add("lenient", "of a trace: skip and count rows that are wrong");
}

std::optional<TraceOrigin> trace_argument(std::string_view command,
                                          const std::string& file,
                                          const po::variables_map& values,
                                          bool pods_are_documents) {
    TraceOrigin origin;
    origin.file = file;
    origin.options.lenient = values.count("lenient") > 0;
    const bool has_columns = values.count("columns") > 0;
    if (has_columns) {
        origin.options.columns =
            columns_of(command, values["columns"].as<std::vector<std::string>>());
    }
    std::optional<std::string> format = renamed_option(values, command, "from", "trace");
    if (has_columns && format && *format != "csv" && *format != "jsonl") {
        throw InputError(fmt::format(
            "berth {}: error: --columns beside --from {}, whose columns are known: expected "
            "--from csv or jsonl",
            command,
            *format));
    }
    const bool is_pipe = core::kind_of(file) == core::FileKind::other;
    if (file == "-" || (is_pipe && (format || has_columns))) {
        origin.text = read_piped_trace(file);
    }
    if (!format) {
        const FileGuess guess =
            origin.text != nullptr ? workloads::guess_trace(*origin.text) : guess_file(file);
        format = has_columns ? format_with_columns(guess)
                             : guessed_format(guess, file, pods_are_documents);
    }
    if (!format) {
        return std::nullopt;
    }
    origin.format = *format;
    return origin;
}

void refuse_trace_options(std::string_view command,
                          const po::variables_map& values,
                          const std::vector<std::string>& more) {
    std::vector<std::string> options{"lenient"};
    options.insert(options.end(), more.begin(), more.end());
    for (const std::string& option : options) {
        if (values.count(option) > 0) {
            throw InputError(
                fmt::format("berth {}: error: --{} cannot be used with a document, which says so "
                            "itself: expected it with a trace only",
                            command,
                            option));
        }
    }
}

}  // namespace berth::experiments
