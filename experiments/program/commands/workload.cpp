#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "core/support/csv_record.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/output.hpp"
#include "experiments/program/commands/trace_argument.hpp"
#include "experiments/program/commands/workload_check.hpp"
#include "experiments/program/config/experiment/read_workload_file.hpp"
#include "experiments/program/run/csv_recorder.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "experiments/program/support/interval_text.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/whole_file.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;
using sim::Job;

std::string duration_seconds(const Job& job) {
    return job.duration ? sim::format_seconds(*job.duration) : "";
}

/// Counts what jobs have that a list does not.
class LeftOut {
public:
    void look(const Job& job) {
        count("ties to others (after)", job.ties && !job.ties->after.empty());
        count("an estimate", job.estimate.has_value());
        count("a user", !job.user.empty());
        count("a class", !job.job_class.empty());
        count("a minAvailable below their size", job.min_available < job.size);
        count("constraints of their group", job.constraints.has_value());
        count("wishes about nodes", job.nodes != nullptr);
    }
    /// Says what was counted.
    void say(const std::string& file) const {
        for (const auto& [what, jobs] : counts_) {
            std::cerr << fmt::format("{}: warning: {} job{} with {}, which the list leaves out\n",
                                     file,
                                     jobs,
                                     jobs == 1 ? "" : "s",
                                     what);
        }
    }

private:
    void count(const char* what, bool is_so) {
        if (is_so) {
            ++counts_[what];
        }
    }

    std::map<std::string, std::uint64_t> counts_;
};

std::string as_csv(sim::PodSource& source,
                   const core::ResourceSchema& resources,
                   LeftOut& left_out) {
    std::string out = "job,group,submit_s,duration_s,size,priority,quota";
    for (const std::string& name : resources.names()) {
        out += "," + core::csv_field(name);
    }
    out += '\n';
    while (const auto job = source.next()) {
        left_out.look(*job);
        core::append(out,
                     "{},{},{},{},{},{},{}",
                     core::csv_field(job->name),
                     job->group,
                     sim::format_seconds(job->submit),
                     duration_seconds(*job),
                     job->size,
                     job->priority,
                     core::csv_field(job->quota));
        for (std::size_t resource = 0; resource < resources.size(); ++resource) {
            out += "," + resources.format(resource, job->demand[resource]);
        }
        out += '\n';
    }
    return out;
}

std::string as_jsonl(sim::PodSource& source,
                     const core::ResourceSchema& resources,
                     LeftOut& left_out) {
    std::string out;
    while (const auto job = source.next()) {
        left_out.look(*job);
        nlohmann::ordered_json line{
            {"job", job->name}, {"group", job->group}, {"submit_s", sim::seconds(job->submit)}};
        if (job->duration) {
            line["duration_s"] = sim::seconds(*job->duration);
        }
        line["size"] = job->size;
        line["priority"] = job->priority;
        line["quota"] = job->quota;
        for (std::size_t resource = 0; resource < resources.size(); ++resource) {
            line["demand"][resources.name(resource)] =
                resources.format(resource, job->demand[resource]);
        }
        out += dumped(line) + "\n";
    }
    return out;
}

/// Sums over all jobs.
struct Totals {
    std::uint64_t jobs = 0;
    std::uint64_t groups = 0;
    std::int64_t pods = 0;
    std::int64_t largest_group = 0;
    sim::SimTime first = sim::never;
    sim::SimTime last{};
    std::uint64_t endless = 0;
    double service_s = 0;
    std::vector<double> demand;          ///< Sum over all jobs, indexed by resource.
    std::vector<double> demand_seconds;  ///< Indexed by resource; only of jobs that end.
};

Totals total(sim::PodSource& source, std::size_t resources) {
    Totals totals;
    totals.demand.resize(resources);
    totals.demand_seconds.resize(resources);
    while (const auto job = source.next()) {
        ++totals.jobs;
        totals.pods += job->size;
        if (job->group) {
            ++totals.groups;
            totals.largest_group = std::max(totals.largest_group, job->size);
        }
        totals.first = std::min(totals.first, job->submit);
        totals.last = std::max(totals.last, job->submit);
        const double run = job->duration ? sim::seconds(*job->duration) : 0;
        totals.endless += job->duration ? 0 : 1;
        totals.service_s += run;
        for (std::size_t resource = 0; resource < resources; ++resource) {
            const double demand =
                static_cast<double>(job->demand[resource]) * static_cast<double>(job->size);
            totals.demand[resource] += demand;
            totals.demand_seconds[resource] += demand * run;
        }
    }
    return totals;
}

/// Such as `3150`, or `1.25 Ti` for bytes.
std::string amount_text(const core::ResourceSchema& resources,
                        std::size_t resource,
                        double amount) {
    return resources.unit(resource) == "bytes"
               ? report::bytes_text(amount)
               : report::number_text(amount / static_cast<double>(resources.per_unit(resource)));
}

std::string as_statistics(sim::PodSource& source, const WorkloadFile& file) {
    const core::Topology& tree = *file.topology;
    const core::ResourceSchema& resources = tree.resources();
    const Totals totals = total(source, resources.size());
    std::string out = fmt::format("jobs            {}\npods            {}\ngroups          {}",
                                  totals.jobs,
                                  totals.pods,
                                  totals.groups);
    if (totals.groups > 0) {
        out += fmt::format(", the largest of {}", totals.largest_group);
    }
    out += '\n';
    if (totals.jobs == 0) {
        return out;
    }
    const double span = sim::seconds(totals.last - totals.first);
    out += fmt::format("submitted       {} to {}\n",
                       report::duration_text(sim::seconds(totals.first)),
                       report::duration_text(sim::seconds(totals.last)));
    if (totals.jobs > 1) {
        out += fmt::format("between jobs    {} on average\n",
                           report::duration_text(span / static_cast<double>(totals.jobs - 1)));
    }
    if (totals.jobs > totals.endless) {
        out +=
            fmt::format("run time        {} on average\n",
                        report::duration_text(totals.service_s /
                                              static_cast<double>(totals.jobs - totals.endless)));
    }
    if (totals.endless > 0) {
        out += fmt::format("without end     {}\n", totals.endless);
    }
    const core::Ledger ledger(file.topology);
    for (std::size_t resource = 0; resource < resources.size(); ++resource) {
        if (totals.demand[resource] == 0) {
            continue;
        }
        out += fmt::format("{:<15} {} in all",
                           resources.name(resource),
                           amount_text(resources, resource, totals.demand[resource]));
        const auto capacity = static_cast<double>(ledger.capacity(tree.root())[resource]);
        if (file.has_cluster && capacity > 0) {
            out += fmt::format(", {:.3g} times the cluster", totals.demand[resource] / capacity);
            if (span > 0) {
                out += fmt::format("; offered load {:.3g}",
                                   totals.demand_seconds[resource] / span / capacity);
            }
        }
        out += '\n';
    }
    return out;
}

/// `stats`, `csv` or `jsonl`: from an option, or from the ending of the output's name.
std::string wanted_format(const po::variables_map& values) {
    const auto named = renamed_option(values, "workload", "to", "format");
    if (!named) {
        const std::string ending =
            std::filesystem::path(values["output"].as<std::string>()).extension().string();
        const bool tells = values.count("stats") == 0 && (ending == ".csv" || ending == ".jsonl");
        return tells ? ending.substr(1) : "stats";
    }
    if (*named != "csv" && *named != "jsonl") {
        const bool of_traces =
            std::ranges::find(workloads::trace_formats(), *named, &workloads::TraceFormat::name) !=
            workloads::trace_formats().end();
        throw core::InputError(
            fmt::format("berth workload: error: unknown format '{0}': expected csv or jsonl{1}",
                        *named,
                        of_traces ? fmt::format("; --from {} says what FILE is", *named) : ""));
    }
    return *named;
}

void refuse_check_options(const po::variables_map& values) {
    for (const char* option : {"nodes", "nodes-from", "nodes-format", "json"}) {
        if (values.count(option) > 0) {
            throw core::InputError(
                fmt::format("berth workload: error: --{} without --check: expected both", option));
        }
    }
}

}  // namespace

int run_workload(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("stats", "how many, how often, how long, how much (the default)");
    add("to", po::value<std::string>()->value_name("FORMAT"), "every job, as csv or jsonl");
    add("output,o",
        po::value<std::string>()->default_value("-")->value_name("FILE"),
        "where to write (default: standard output); FILE.csv and .jsonl imply --to");
    add_trace_options(options);
    add_check_options(options);
    add("format,f", po::value<std::string>()->value_name("FORMAT"), "the older name of --to");
    add("trace", po::value<std::string>()->value_name("FORMAT"), "the older name of --from");
    add("nodes-format",
        po::value<std::string>()->value_name("FORMAT"),
        "the older name of --nodes-from");
    const auto values = parse_arguments("workload", arguments, options, "FILE", 1);
    if (!values) {
        return exit_done;
    }
    const std::string file_name = needed_arguments(*values, "workload", "FILE")[0];
    const std::string format = wanted_format(*values);
    if (values->count("check") == 0) {
        refuse_check_options(*values);
    }
    const auto trace = trace_argument("workload", file_name, *values);
    if (values->count("check") > 0) {
        return check_workload(file_name, trace, *values);
    }
    if (!trace) {
        refuse_trace_options("workload", *values);
    }
    core::Diagnostics diagnostics;
    const WorkloadFile file =
        trace ? workload_of_trace(*trace, diagnostics) : read_workload_file(file_name, diagnostics);
    diagnostics.throw_if_failed();
    for (const std::string& warning : diagnostics.warnings()) {
        std::cerr << warning << "\n";
    }
    const auto source = make_workload(file.sources, sim::replication_seed(file.seed, 0));
    const core::ResourceSchema& resources = file.topology->resources();
    LeftOut left_out;
    const std::string out = format == "csv"     ? as_csv(*source, resources, left_out)
                            : format == "jsonl" ? as_jsonl(*source, resources, left_out)
                                                : as_statistics(*source, file);
    left_out.say(file_name);
    check_is_no_result((*values)["output"].as<std::string>());
    write_file((*values)["output"].as<std::string>(), out);
    return exit_done;
}

}  // namespace berth::experiments
