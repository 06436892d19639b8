#include "experiments/program/commands/workload_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/trace_argument.hpp"
#include "experiments/program/commands/trace_check_text.hpp"
#include "experiments/program/config/experiment/read_nodes_file.hpp"
#include "experiments/program/config/experiment/read_workload_file.hpp"
#include "experiments/program/config/workload/likely_format.hpp"
#include "experiments/program/support/whole_file.hpp"

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

void print_warning(const std::string& warning) {
    std::cerr << warning << "\n";
}

CheckedTrace check_trace(const TraceOrigin& origin, const po::variables_map& values) {
    std::optional<core::Topology> tree;
    if (values.count("nodes") > 0) {
        core::Diagnostics diagnostics;
        const auto format = renamed_option(values, "workload", "nodes-from", "nodes-format");
        tree = read_nodes_file(
            text_of(values, "nodes"), format.value_or(""), "--nodes-from", diagnostics);
        diagnostics.throw_if_failed();
        std::ranges::for_each(diagnostics.warnings(), print_warning);
    }
    try {
        const auto reader = open(origin);
        CheckedTrace checked{origin.file, workloads::examine(*reader, tree ? &*tree : nullptr)};
        for (const std::string& note : reader->notes()) {
            print_warning(fmt::format("{}: warning: {}", origin.file, note));
        }
        return checked;
    } catch (const InputError& error) {
        throw with_likely_format(error, origin);
    }
}

/// Every source `trace` of a Workload or an Experiment.
std::vector<CheckedTrace> check_document(const std::string& file, const po::variables_map& values) {
    refuse_trace_options("workload", values, {"nodes", "nodes-from", "nodes-format"});
    core::Diagnostics diagnostics;
    const WorkloadFile workload = read_workload_file(file, diagnostics);
    diagnostics.throw_if_failed();
    std::ranges::for_each(diagnostics.warnings(), print_warning);
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
            "openb, file: pods.csv}}, or a trace itself, with --from FORMAT",
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
    add("nodes",
        po::value<std::string>()->value_name("FILE"),
        "with --check: the cluster that the trace is meant for");
    add("nodes-from",
        po::value<std::string>()->value_name("FORMAT"),
        "the nodes' format: openb, spot or kubernetes (default: by their first line)");
    add("json", "with --check: for programs");
}

int check_workload(const std::string& file,
                   const std::optional<TraceOrigin>& trace,
                   const po::variables_map& values) {
    std::vector<CheckedTrace> checked;
    if (trace) {
        checked.push_back(check_trace(*trace, values));
    } else {
        checked = check_document(file, values);
    }
    std::string out;
    if (values.count("json") > 0) {
        out = as_json(checked);
    } else {
        for (const CheckedTrace& one : checked) {
            out += (out.empty() ? "" : "\n") + trace_check_text(one.name, one.report);
        }
    }
    write_file(text_of(values, "output"), out);
    return std::ranges::any_of(checked,
                               [](const CheckedTrace& one) {
                                   return one.report.verdict == workloads::TraceVerdict::not_usable;
                               })
               ? exit_failed
               : exit_done;
}

}  // namespace berth::experiments
