#include "experiments/program/commands/workload_check.hpp"
#include "experiments/program/commands/output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <variant>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/trace_argument.hpp"
#include "experiments/program/config/experiment/read_nodes_file.hpp"
#include "experiments/program/config/experiment/read_workload_file.hpp"
#include "experiments/program/config/workload/trace_origin.hpp"
#include "experiments/program/support/interval_text.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {
namespace {

using core::InputError;
using workloads::TraceFinding;
using workloads::TraceLoad;
using workloads::TraceReport;
using workloads::TraceStatus;

std::string finding_text(const TraceFinding& finding) {
    return finding.count > 0 ? fmt::format("  {}: the first is '{}', line {}\n",
                                           finding.text,
                                           finding.first,
                                           finding.line)
                             : fmt::format("  {}\n", finding.text);
}

std::string load_text(const TraceLoad& load, const std::string& name) {
    const bool bytes = load.name == "memory";
    const auto amount = [&](double number) {
        return bytes ? berth::report::bytes_text(number) : fmt::format("{:.6g}", number);
    };
    std::string out = fmt::format("{:<15} {} in all", name, amount(load.asked));
    if (load.capacity && *load.capacity > 0) {
        out += fmt::format(", {:.3g} times the cluster", load.asked / *load.capacity);
        if (load.average > 0) {
            out += fmt::format("; offered load {:.3g}", load.average / *load.capacity);
        }
    } else if (load.average > 0) {
        out += fmt::format("; {} at a time on average", amount(load.average));
    }
    return out + "\n";
}

/// Writes sizes as `1: 96, 2: 1, 3 to 4: 2`.
std::string sizes_text(const TraceReport& report) {
    std::vector<std::string> parts;
    for (const auto& [most, jobs] : report.by_size) {
        const core::Members least = most / 2 + 1;
        parts.push_back(least >= most ? fmt::format("{}: {}", most, jobs)
                                      : fmt::format("{} to {}: {}", least, most, jobs));
    }
    return core::join(parts, ", ");
}

std::string status_text(const TraceReport& report) {
    std::vector<std::string> parts;
    for (std::size_t status = 0; status < report.by_status.size(); ++status) {
        if (report.by_status[status] > 0) {
            parts.push_back(fmt::format(
                "{}: {}", to_string(static_cast<TraceStatus>(status)), report.by_status[status]));
        }
    }
    return core::join(parts, ", ");
}

std::string times_text(const TraceReport& report) {
    std::string out;
    if (report.first_submit) {
        out += fmt::format("submitted       {} to {}\nbusiest hour    {} jobs, {}\n",
                           berth::report::duration_text(sim::seconds(*report.first_submit)),
                           berth::report::duration_text(sim::seconds(*report.last_submit)),
                           report.busiest_hour_jobs,
                           workloads::percent_text(static_cast<double>(report.busiest_hour_jobs) /
                                                   static_cast<double>(report.jobs)));
    }
    if (report.mean_run_time_s) {
        out += fmt::format("run time        {} on average\n",
                           berth::report::duration_text(*report.mean_run_time_s));
    }
    if (report.warm_up) {
        out += fmt::format("start-up        {} until the load reaches its median level\n",
                           berth::report::duration_text(sim::seconds(*report.warm_up)));
    }
    return out;
}

nlohmann::ordered_json load_json(const TraceLoad& load) {
    nlohmann::ordered_json out{{"name", load.name}, {"asked", load.asked}};
    if (load.average > 0) {
        out["average"] = load.average;
    }
    if (load.capacity) {
        out["capacity"] = *load.capacity;
    }
    if (load.capacity && *load.capacity > 0) {
        out["share"] = load.asked / *load.capacity;
        if (load.average > 0) {
            out["offered_load"] = load.average / *load.capacity;
        }
    }
    return out;
}

nlohmann::ordered_json loads_json(const std::vector<TraceLoad>& loads) {
    auto out = nlohmann::ordered_json::array();
    for (const TraceLoad& load : loads) {
        out.push_back(load_json(load));
    }
    return out;
}

nlohmann::ordered_json finding_json(const TraceFinding& finding) {
    nlohmann::ordered_json out{{"name", finding.name}, {"text", finding.text}};
    if (finding.count > 0) {
        out["jobs"] = finding.count;
        out["first"] = {{"job", finding.first}, {"line", finding.line}};
    }
    out["harmless"] = finding.harmless;
    return out;
}

namespace po = boost::program_options;

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
    return with_likely_format(origin, [&] {
        const auto reader = open(origin);
        CheckedTrace checked{origin.file, workloads::examine(*reader, tree ? &*tree : nullptr)};
        for (const std::string& note : reader->notes()) {
            print_warning(fmt::format("{}: warning: {}", origin.file, note));
        }
        return checked;
    });
}

/// Checks every source `trace` of a Workload or an Experiment.
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
                                    workload.has_cluster ? workload.topology.get() : nullptr,
                                    workloads::TraceTimes::recorded,
                                    workload.left_out)});
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
    return dumped(out, 2) + "\n";
}

}  // namespace

std::string trace_check_text(const std::string& trace, const TraceReport& report) {
    std::string out = fmt::format("{}: {}", trace, to_string(report.verdict));
    if (report.verdict == workloads::TraceVerdict::not_usable) {
        out += fmt::format(": {}", core::join(report.why, "; "));
    }
    out += '\n';
    for (const TraceFinding& finding : report.findings) {
        out += finding_text(finding);
    }
    out += fmt::format("jobs            {}\npods            {}\n", report.jobs, report.pods);
    if (report.jobs == 0) {
        return out;
    }
    out += times_text(report);
    out += fmt::format("status          {}\n", status_text(report));
    out += fmt::format("pods a job      {}\n", sizes_text(report));
    for (const TraceLoad& load : report.loads) {
        out += load_text(load, load.name);
    }
    for (const TraceLoad& load : report.gpu_models) {
        out += load_text(load, fmt::format("gpu {}", load.name));
    }
    return out;
}

nlohmann::ordered_json trace_check_json(const std::string& trace, const TraceReport& report) {
    nlohmann::ordered_json out{
        {"trace", trace}, {"verdict", to_string(report.verdict)}, {"why", report.why}};
    auto& findings = out["findings"] = nlohmann::ordered_json::array();
    for (const TraceFinding& finding : report.findings) {
        findings.push_back(finding_json(finding));
    }
    out["jobs"] = report.jobs;
    out["pods"] = report.pods;
    out["rows_skipped"] = report.skipped.count;
    if (report.first_submit) {
        out["first_submit_s"] = sim::seconds(*report.first_submit);
        out["last_submit_s"] = sim::seconds(*report.last_submit);
        out["busiest_hour_jobs"] = report.busiest_hour_jobs;
    }
    if (report.mean_run_time_s) {
        out["run_time_s_mean"] = *report.mean_run_time_s;
    }
    if (report.warm_up) {
        out["warm_up_s"] = sim::seconds(*report.warm_up);
    }
    auto& status = out["status"] = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < report.by_status.size(); ++i) {
        if (report.by_status[i] > 0) {
            status[std::string(to_string(static_cast<TraceStatus>(i)))] = report.by_status[i];
        }
    }
    auto& sizes = out["pods_a_job"] = nlohmann::ordered_json::array();
    for (const auto& [most, jobs] : report.by_size) {
        sizes.push_back({{"at_most", most}, {"jobs", jobs}});
    }
    out["resources"] = loads_json(report.loads);
    out["gpu_models"] = loads_json(report.gpu_models);
    return out;
}

void add_check_options(po::options_description& options) {
    auto add = options.add_options();
    add("check", "look through a trace for what would mislead you");
    add("nodes",
        po::value<std::string>()->value_name("FILE"),
        "with --check: the cluster that the trace is meant for");
    add("nodes-from",
        po::value<std::string>()->value_name("FORMAT"),
        "the nodes' format: openb, spot, slurm or kubernetes (default: by their first line)");
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
    check_is_no_result(text_of(values, "output"));
    write_file(text_of(values, "output"), out);
    return std::ranges::any_of(checked,
                               [](const CheckedTrace& one) {
                                   return one.report.verdict == workloads::TraceVerdict::not_usable;
                               })
               ? exit_failed
               : exit_done;
}

}  // namespace berth::experiments
