#include "experiments/program/commands/workload_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/trace_check_text.hpp"
#include "experiments/program/config/experiment/read_nodes_file.hpp"
#include "experiments/program/config/experiment/read_workload_file.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/whole_file.hpp"
#include "workloads/trace/guess_format.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;
using core::InputError;
using workloads::TraceReport;

struct CheckedTrace {
    std::string name;
    TraceReport report;
};

std::string text_of(const po::variables_map& values, const std::string& option) {
    return values.count(option) > 0 ? values[option].as<std::string>() : std::string();
}

/// The first 64 KiB of a file, decompressed.
std::string beginning_of(const std::string& file) {
    constexpr std::size_t bytes_max = std::size_t{1} << 16U;
    std::string text(bytes_max, '\0');
    const auto in = workloads::open_text(file);
    in->read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in->gcount()));
    return text;
}

/// The format that the options name, or that the file looks like; nothing: it may be a document.
std::optional<std::string> format_of(const std::string& file, const po::variables_map& values) {
    if (values.count("trace") > 0) {
        return text_of(values, "trace");
    }
    if (file == "-") {
        throw InputError(
            "berth workload: error: standard input without --trace: expected the "
            "format of the trace");
    }
    const auto guess = workloads::guess_trace_format(beginning_of(file));
    return guess ? std::optional(std::string(*guess)) : std::nullopt;
}

CheckedTrace check_file(const std::string& file,
                        const std::string& format,
                        const po::variables_map& values) {
    std::optional<core::Topology> tree;
    if (values.count("nodes") > 0) {
        core::Diagnostics diagnostics;
        tree =
            read_nodes_file(text_of(values, "nodes"), text_of(values, "nodes-format"), diagnostics);
        diagnostics.throw_if_failed();
    }
    workloads::TraceOptions options;
    options.lenient = values.count("lenient") > 0;
    const auto reader = workloads::open_trace(format, file, options);
    return {file, workloads::examine(*reader, tree ? &*tree : nullptr)};
}

/// Every source `trace` of a Workload or an Experiment.
std::vector<CheckedTrace> check_document(const std::string& file, const po::variables_map& values) {
    for (const char* option : {"nodes", "nodes-format", "lenient"}) {
        if (values.count(option) > 0) {
            throw InputError(
                fmt::format("berth workload: error: --{} beside a document, which says so itself: "
                            "expected it for a trace alone",
                            option));
        }
    }
    core::Diagnostics diagnostics;
    const WorkloadFile workload = read_workload_file(file, diagnostics);
    diagnostics.throw_if_failed();
    std::vector<CheckedTrace> checked;
    for (const WorkloadSource& source : workload.sources) {
        if (const auto* trace = std::get_if<TraceFile>(&source.what)) {
            checked.push_back(
                {source.name,
                 workloads::examine(*trace->trace.open(),
                                    workload.has_cluster ? workload.topology.get() : nullptr)});
        }
    }
    if (checked.empty()) {
        throw InputError(fmt::format(
            "{}: error: found no trace to check: expected a source such as trace: {{format: "
            "openb, file: pods.csv}}, or a trace itself, with --trace FORMAT",
            file));
    }
    return checked;
}

std::string as_json(const std::vector<CheckedTrace>& checked) {
    nlohmann::ordered_json out{{"schema", "berth.trace-check/v1"}};
    auto& traces = out["traces"] = nlohmann::ordered_json::array();
    for (const CheckedTrace& trace : checked) {
        traces.push_back(trace_check_json(trace.name, trace.report));
    }
    return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

void add_check_options(po::options_description& options) {
    auto add = options.add_options();
    add("check", "look through a trace for what would mislead you");
    add("trace",
        po::value<std::string>()->value_name("FORMAT"),
        "with --check: FILE is a trace of this format (default: by its first lines)");
    add("nodes",
        po::value<std::string>()->value_name("FILE"),
        "with --check: the cluster that the trace is meant for");
    add("nodes-format",
        po::value<std::string>()->value_name("FORMAT"),
        "openb, spot or kubernetes (default: by its first line)");
    add("lenient", "with --check: skip and count rows that are wrong");
    add("json", "with --check: for programs");
}

int check_workload(const std::string& file, const po::variables_map& values) {
    const auto format = format_of(file, values);
    std::vector<CheckedTrace> checked;
    if (format) {
        checked.push_back(check_file(file, *format, values));
    } else {
        checked = check_document(file, values);
    }
    std::string out;
    if (values.count("json") > 0) {
        out = as_json(checked);
    } else {
        for (const CheckedTrace& trace : checked) {
            out += (out.empty() ? "" : "\n") + trace_check_text(trace.name, trace.report);
        }
    }
    write_file(text_of(values, "output"), out);
    return std::ranges::any_of(checked,
                               [](const CheckedTrace& trace) {
                                   return trace.report.verdict ==
                                          workloads::TraceVerdict::not_usable;
                               })
               ? exit_failed
               : exit_done;
}

}  // namespace berth::experiments
