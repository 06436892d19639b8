#include "experiments/program/commands/list.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <utility>

#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/gpu_sharing/tree_policy.hpp"
#include "core/group_allocator/group_scorer.hpp"
#include "core/index/scorer.hpp"
#include "core/machine_allocators/machine_allocator.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/plot/bench_plot.hpp"
#include "experiments/program/plot/plot.hpp"
#include "experiments/program/plot/sweep_plot.hpp"
#include "experiments/program/results/tables/metric_table.hpp"
#include "experiments/program/results/tables/tables.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "sim/queue/queue_policy.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;

/// The lines of registries whose entries have a name and a summary.
template <class... Registries>
std::vector<ListLine> lines_of(const Registries&... registries) {
    std::vector<ListLine> lines;
    const auto add = [&](const auto& registry) {
        for (const auto& entry : registry) {
            lines.push_back({entry.name, entry.summary});
        }
    };
    (add(registries), ...);
    return lines;
}

std::vector<List> profile_lists() {
    return {
        {"queue-sorts", "queueSort", lines_of(sim::queue_policies())},
        {"pre-filters",
         "preFilter",
         {{"elastic-quota", "the pod's quota admits it: by its runtime, max or min"}}},
        {"filters",
         "filter",
         {{"resources-fit", "the pod's demand is available on the server"},
          {"the reserve plug-in", "the server has the devices for the pod, free together"},
          {"allocation-candidates", "the server has an allocation candidate for the pod"}}},
        {"post-filters",
         "postFilter",
         {{"gang-preemption", "jobs of lower priority make room, or those of quotas that borrowed"},
          {"in-quota-preemption", "pods of lower priority of the same quota make room"}}},
        {"solvers",
         "placementGroup: solver",
         {{"greedy", "the paper's Algorithm 1: recursive descent, best child first"},
          {"exact", "finds a placement whenever one exists, and the best one"}}},
        {"num-fits",
         "placementGroup: numFit",
         {{"aggregate", "an inner node's own free amounts over the demand, as in the paper"},
          {"percolated", "the sum of its servers' fits, as in the published program"}}},
        {"scores", "score", lines_of(core::scorers())},
        {"gpu-scores",
         "score, where GPUs are shared",
         lines_of(core::gpu_policies(), core::tree_policies())},
        {"reserves", "reserve", lines_of(core::machine_allocators())},
        {"shared-reserves",
         "reserve: shared",
         {{"gpu-sharing", "shares of one GPU, or whole GPUs of accepted models"}}},
        {"device-rules",
         "device-allocator: rules",
         {{"documented", "joint allocation as its document says"},
          {"published", "as the program does, accidents included"}}},
        {"group-rules",
         "group-allocator: rules",
         {{"paper", "the group allocator as its paper says"},
          {"published", "as the program does, accidents included"}}},
        {"group-scorers", "group scorers (berth allocate)", lines_of(core::group_scorers())},
        {"besides",
         "besides the profile",
         {{"recycler", "takes back what quotas use above their runtime"},
          {"failures", "servers fail, are repaired, are added"},
          {"drains", "parts of the cluster are taken out for maintenance, as announced"}}},
    };
}

std::vector<List> input_lists() {
    return {
        {"topologies",
         "topologies read",
         {{"Topology", "generated from levels and counts, or a list of nodes (YAML, JSON)"},
          {"TopologyTree", "nested maps of names (JSON)"},
          {"NodeList, List", "kubectl get nodes -o json"},
          {"GraphML", "a .graphml file"},
          {"openb, spot", "lists of nodes beside a trace, a server in each row"},
          {"slurm", "the nodes that scontrol show node or sinfo --json prints"}}},
        {"topology-formats",
         "topologies written",
         {{"text", "a table for people"},
          {"dot", "a graph for Graphviz"},
          {"graphml", "a graph for other programs"},
          {"json", "nested maps of names"},
          {"device", "Device objects"},
          {"group-keys", "a node's devices as group keys"},
          {"providers", "resource providers"}}},
        {"sources",
         "workload sources",
         {{"background", "what is in use before the run: random, or given by server"},
          {"groups", "placement groups at given times"},
          {"pods", "pods at given times"},
          {"generate", "a renewal process: Poisson or any other, any service time"},
          {"running", "the pods of a cluster as it is, as the start of a run"},
          {"trace", "jobs as a file recorded them"}}},
        {"trace-formats", "trace formats", lines_of(workloads::trace_formats())},
        {"distributions",
         "distributions",
         {{"constant", "always the same value"},
          {"uniform", "each value between two bounds alike"},
          {"exponential", "without memory: times between independent arrivals"},
          {"log-normal", "by mean and variation"},
          {"weibull", "by mean and shape"},
          {"pareto", "a heavy tail"},
          {"empirical", "values that were measured"}}},
        {"figures",
         "figures",
         lines_of(report::figures(), report::sweep_figures(), report::bench_figures())},
    };
}

void print(const List& list) {
    std::cout << list.title << "\n";
    for (const ListLine& line : list.lines) {
        std::cout << fmt::format("  {:<22} {}\n", line.name, line.summary);
    }
}

std::string_view shown_unit(std::string_view unit) {
    return unit.empty() ? "-" : unit;
}

/// What a run needs to have a column, as the text behind the column's meaning.
std::string_view needs(report::Part part) {
    switch (part) {
        case report::Part::devices:
            return " (with an allocator of devices)";
        case report::Part::candidates:
            return " (with allocation candidates)";
        case report::Part::drops:
            return " (where jobs may be dropped)";
        case report::Part::evictions:
            return " (where pods may be evicted)";
        case report::Part::gain:
            return " (where causes fail, servers are drained, or jobs write checkpoints or train)";
        case report::Part::training:
            return " (where jobs train)";
        case report::Part::drains:
            return " (with drains)";
        case report::Part::admission:
            return " (where jobs are admitted by quota)";
        case report::Part::hangs:
            return " (with failures.detection)";
        case report::Part::always:
        case report::Part::sampled:
            return "";
    }
    return "";
}

void print_metrics() {
    std::cout << "metrics of summary.json: name, unit, which way is better, meaning; capitals "
                 "stand for any name\n";
    for (const report::MetricRecord& metric : report::metric_table()) {
        std::cout << fmt::format(
            "  {:<34} {:<12} {:<7} {}\n",
            metric.name,
            shown_unit(metric.unit),
            metric.better == report::Direction::unknown ? "-" : report::to_string(metric.better),
            metric.meaning);
    }
}

void print_columns() {
    std::cout
        << "columns of the tables of a run directory: name, unit, meaning; capitals stand for "
           "any name\n";
    for (const report::TableRecord& table : report::tables()) {
        std::cout << fmt::format("\n{}: {}\n", table.file, table.rows);
        for (const report::ColumnRecord& column : report::columns()) {
            if (column.table == table.table) {
                std::cout << fmt::format("  {:<26} {:<10} {}{}\n",
                                         column.name,
                                         shown_unit(column.unit),
                                         column.meaning,
                                         needs(column.part));
            }
        }
    }
}

Json columns_json() {
    Json out = Json::array();
    for (const report::ColumnRecord& column : report::columns()) {
        out.push_back({{"file", report::file_name(column.table)},
                       {"name", column.name},
                       {"type", report::to_string(column.type)},
                       {"unit", column.unit},
                       {"meaning", std::string(column.meaning) + std::string(needs(column.part))}});
    }
    return out;
}

Json metrics_json() {
    Json out = Json::array();
    for (const report::MetricRecord& metric : report::metric_table()) {
        out.push_back({{"name", metric.name},
                       {"group", metric.group},
                       {"unit", metric.unit},
                       {"better", report::to_string(metric.better)},
                       {"meaning", metric.meaning}});
    }
    return out;
}

Json json_of(const List& list) {
    Json out = Json::array();
    for (const ListLine& line : list.lines) {
        out.push_back({{"name", line.name}, {"summary", line.summary}});
    }
    return out;
}

/// Errors: core::InputError for a name without a list, with the nearest name.
void check_name(const std::string& wanted, const std::vector<List>& lists) {
    std::vector<std::string> names{std::string(metrics_name), std::string(columns_name)};
    for (const List& list : lists) {
        names.emplace_back(list.name);
    }
    if (std::ranges::find(names, wanted) == names.end()) {
        throw core::InputError(fmt::format("berth list: error: unknown list '{}': expected {}{}",
                                           wanted,
                                           core::alternatives(names),
                                           core::suggestion(wanted, names)));
    }
}

}  // namespace

std::vector<List> all_lists() {
    std::vector<List> lists = profile_lists();
    for (List& list : input_lists()) {
        lists.push_back(std::move(list));
    }
    return lists;
}

int run_list(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    options.add_options()("json", "for programs: an object of lists, or the one list");
    const auto values = parse_arguments("list", arguments, options, "NAME", 1);
    if (!values) {
        return exit_done;
    }
    const bool json = values->count("json") > 0;
    const auto named = positional_arguments(*values, "NAME");
    const std::string wanted = named.empty() ? "" : named.front();
    const std::vector<List> lists = all_lists();
    if (!wanted.empty()) {
        check_name(wanted, lists);
    }
    Json all = Json::object();
    for (const List& list : lists) {
        if (!wanted.empty() && wanted != list.name) {
            continue;
        }
        if (json) {
            all[std::string(list.name)] = json_of(list);
        } else {
            print(list);
        }
    }
    if (json && (wanted.empty() || wanted == metrics_name)) {
        all[std::string(metrics_name)] = metrics_json();
    }
    if (json && (wanted.empty() || wanted == columns_name)) {
        all[std::string(columns_name)] = columns_json();
    }
    if (json) {
        std::cout << dumped(wanted.empty() ? all : all.front(), 2) << "\n";
    } else if (wanted == metrics_name) {
        print_metrics();
    } else if (wanted == columns_name) {
        print_columns();
    } else if (wanted.empty()) {
        std::cout << "metrics, columns\n  berth list metrics and berth list columns tell the name, "
                     "unit and meaning of "
                     "each\n";
    }
    return exit_done;
}

}  // namespace berth::experiments
