#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/support/json_text.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/commands/trace_argument.hpp"
#include "experiments/program/config/cluster/read_device.hpp"
#include "experiments/program/config/cluster/read_providers.hpp"
#include "experiments/program/config/document/foreign_kind.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/config/experiment/read_topology_file.hpp"
#include "experiments/program/config/experiment/read_workload_file.hpp"
#include "experiments/program/config/quota/read_quota.hpp"
#include "experiments/program/config/quota/read_quota_settings.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/config/workload/read_workload.hpp"
#include "experiments/program/config/workload/trace_origin.hpp"
#include "experiments/program/plan/measure.hpp"
#include "experiments/program/plan/read_plan.hpp"
#include "experiments/program/run/make_scheduler.hpp"
#include "experiments/program/run/metric_names.hpp"
#include "experiments/program/run/warnings.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/sweep/plan.hpp"
#include "experiments/program/sweep/read_sweep.hpp"
#include "topologies/read_topology.hpp"
#include "workloads/trace/guess_format.hpp"
#include "workloads/trace/json_elements.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;
using core::Diagnostics;
using core::Value;

void validate_group(const Value& document, Diagnostics& diagnostics) {
    core::ResourceSchema schema;
    schema.add("cpu");
    schema.add("memory");
    // A group by itself may name any level and any type: only an experiment defines them.
    Value types;
    types.kind = Value::Kind::map;
    const Value* spec = document.find("spec");
    const Value* group = spec != nullptr ? spec->find("group") : nullptr;
    const Value* type = group != nullptr ? group->find("type") : nullptr;
    if (type != nullptr) {
        Value nothing;
        nothing.kind = Value::Kind::map;
        types.members.push_back({type->text, type->span, nothing});
    }
    const core::Topology tree = imagined_topology(document, schema);
    PodLabels labels(diagnostics);
    const PodTypes pod_types(&types, tree, false, false, diagnostics);
    (void)read_group(document, nullptr, pod_types, labels, tree, diagnostics);
}

/// Which programs can run the content of a file.
struct Runners {
    bool code_is_allowed = false;
    std::string only{};  ///< The only program that can; empty: this program can.
};

/// Errors: core::InputError if the experiment would run code without permission.
void validate_scheduler(ExperimentSpec& spec, Runners& runners) {
    allow_code(spec, runners.code_is_allowed);
    check_code(spec);
    runners.only = only_runner(spec);
}

/// Checks one experiment for each value of each axis.
void validate_sweep(SweepSpec sweep, Runners& runners) {
    sweep.allow_code = runners.code_is_allowed;
    const SweepPoints points(sweep);
    PointExperiments experiments(sweep, points);
    const AxisSizes sizes = read_axis_sizes(sweep, points, experiments, {}, sim::RunControl());
    for (const std::string& warning : sizes.warnings) {
        std::cerr << warning << "\n";
    }
    runners.only = sizes.only_runner;
}

/// Checks the sweep of a plan, its requirements and its costs.
void validate_plan(const std::filesystem::path& file, Runners& runners) {
    const PlanSpec plan = read_plan(file, {});
    const SweepPoints points(plan.sweep);
    PointExperiments experiments(plan.sweep, points);
    check_requirements(plan, experiments);
    const PlanChoices choices(plan, points, experiments, sim::RunControl());
    validate_sweep(plan.sweep, runners);
}

void validate_document(const std::filesystem::path& file,
                       const Value& document,
                       Runners& runners,
                       Diagnostics& diagnostics) {
    const Value* kind = document.is_map() ? document.find("kind") : nullptr;
    const std::string name = kind != nullptr ? kind->text : "";
    const std::vector<std::string> known{"Device",
                                         "DeviceList",
                                         "ElasticQuota",
                                         "ElasticQuotaList",
                                         "Experiment",
                                         "GroupPlacement",
                                         "List",
                                         "Node",
                                         "NodeList",
                                         "Plan",
                                         "Pod",
                                         "Providers",
                                         "Sweep",
                                         "Topology",
                                         "TopologyTree",
                                         "Workload"};
    if (name == "Experiment") {
        const ResolvedExperiment resolved = resolve_experiment(file, {});
        if (auto spec = read_experiment(resolved.document, diagnostics)) {
            validate_scheduler(*spec, runners);
            check_metric_names(*spec, diagnostics);
            for (const std::string& warning : experiment_warnings(*spec)) {
                diagnostics.warning(document.span, warning);
            }
        }
    } else if (name == "Sweep") {
        validate_sweep(read_sweep(file), runners);
    } else if (name == "Plan") {
        validate_plan(file, runners);
    } else if (name == "Workload") {
        (void)read_workload_file(file, diagnostics, {"Workload"});
    } else if (name == "GroupPlacement") {
        validate_group(document, diagnostics);
    } else if (topologies::is_topology_kind(name)) {
        if (auto tree = topologies::read_topology(document, {}, diagnostics)) {
            check_sums(*tree, document.span, diagnostics);
        }
    } else {
        const Value& at = kind != nullptr ? *kind : document;
        diagnostics.error(at.span,
                          fmt::format("{}: expected {}{}",
                                      kind != nullptr ? fmt::format("unknown kind '{}'", name)
                                                      : "a document without a kind",
                                      core::alternatives(known),
                                      core::suggestion(name, known)));
    }
}

/// Checks all quotas of a file as one tree, wherever they are in it.
void validate_quotas(const std::vector<Value>& documents, Diagnostics& diagnostics) {
    const auto quotas = read_quotas(documents, diagnostics);
    const auto pods = read_pods(documents, diagnostics);
    core::QuotaRules rules = check_quotas(quotas, diagnostics);
    if (!diagnostics.failed()) {  // otherwise a pod's quota may be one that was refused
        check_pods(pods, rules, diagnostics);
    }
}

/// Checks all providers of a file as one forest.
void validate_providers(const std::vector<Value>& documents, Diagnostics& diagnostics) {
    std::vector<Value> providers;
    std::ranges::copy_if(documents, std::back_inserter(providers), holds_providers);
    (void)read_providers(providers, diagnostics);
}

/// Whether a document has nodes. A List may contain a cluster's quotas, devices and nodes.
bool holds_nodes(const Value& document) {
    const Value* items = document.find("items");
    return items != nullptr && std::ranges::any_of(items->items, [](const Value& item) {
               const Value* kind = item.find("kind");
               return kind != nullptr && kind->text == "Node";
           });
}

/// The documents in a text. If there are none, an error tells what the text is instead.
std::vector<Value> parse_or_refuse(const std::shared_ptr<const core::SourceText>& source) {
    std::vector<Value> documents;
    try {
        documents = parse_documents(source);
    } catch (const core::InputError&) {
        refuse_trace(*source, {});
        throw;
    }
    if (!documents.empty() && std::ranges::none_of(documents, [](const Value& one) {
            return one.find("kind") != nullptr;
        })) {
        refuse_trace(*source, {});
    }
    return documents;
}

/// Checks documents of berth, of Kubernetes and of Koordinator.
void validate_each(const std::filesystem::path& file,
                   const std::vector<Value>& documents,
                   Runners& runners,
                   Diagnostics& diagnostics) {
    for (const Value& document : documents) {
        if (const auto foreign = foreign_document(document)) {
            diagnostics.error(foreign->span, foreign->message);
            continue;
        }
        const bool other =
            !holds_quotas(document) && !holds_devices(document) && !holds_providers(document);
        if (other || holds_nodes(document)) {
            validate_document(file, document, runners, diagnostics);
        }
    }
    validate_quotas(documents, diagnostics);
    (void)read_devices(documents, diagnostics);
    validate_providers(documents, diagnostics);
}

/// The scheduler of which a file is JSON with jobs and without anything about its setup: a trace
/// that may be too long to be held as documents. nullptr for any other file.
const SchedulerDocuments* scheduler_of_trace(const std::filesystem::path& file) {
    const workloads::FileGuess guess = guess_file(file.string());
    const auto* trace = std::get_if<workloads::TraceGuess>(&guess);
    const auto all = scheduler_documents();
    const auto of_format = std::ranges::find_if(all, [&](const SchedulerDocuments& one) {
        return trace != nullptr && trace->format == one.trace_format;
    });
    if (of_format == all.end() ||
        !begins_as_json({std::string(trace->format), file.string(), {}})) {
        return nullptr;
    }
    workloads::JsonElements elements({workloads::open_text(file.string()), file.string()});
    core::JsonText json;
    bool has_jobs = false;
    while (elements.next()) {
        if (json.parse(elements.text())) {
            return &*of_format;  // its reader reports where it is not JSON
        }
        const auto text = [&](std::string_view key) {
            const auto value = json.find(core::JsonText::root(), key);
            return value ? std::string(json.text(*value)) : std::string();
        };
        const bool is_workload = text("kind") == "Workload";
        has_jobs = has_jobs || is_workload || text("kind") == "Job" || text("kind") == "Pod";
        if (!is_workload && text("apiVersion").find(of_format->group) != std::string::npos) {
            return nullptr;
        }
    }
    return has_jobs ? &*of_format : nullptr;
}

/// Checks jobs among other documents, and removes them from `documents`.
void validate_jobs(const SchedulerDocuments& scheduler,
                   const std::filesystem::path& file,
                   std::vector<Value>& documents,
                   Diagnostics& diagnostics) {
    if (std::ranges::none_of(documents, scheduler.holds_jobs)) {
        return;
    }
    TraceOrigin origin{std::string(scheduler.trace_format), file.string(), {}};
    origin.documents = std::make_shared<const std::vector<Value>>(documents);
    (void)workload_of_trace(origin, diagnostics);
    Value list;
    list.items = std::move(documents);
    scheduler.leave_out_jobs(list);
    documents = std::move(list.items);
}

/// Checks documents, or a topology in GraphML.
void validate_documents(const std::filesystem::path& file,
                        Runners& runners,
                        Diagnostics& diagnostics) {
    if (file.filename().string().find(".graphml") != std::string::npos) {
        (void)read_topology_file(file, diagnostics);
        return;
    }
    auto documents = parse_or_refuse(read_source(file));
    if (documents.empty()) {
        throw core::InputError(
            fmt::format("{}: error: is empty: expected a document", file.string()));
    }
    for (const SchedulerDocuments& scheduler : scheduler_documents()) {
        validate_jobs(scheduler, file, documents, diagnostics);
        const auto own = std::ranges::stable_partition(
            documents, [&](const Value& document) { return !scheduler.holds_objects(document); });
        const std::vector<Value> objects(own.begin(), own.end());
        documents.erase(own.begin(), own.end());
        scheduler.check_objects(objects, diagnostics);
    }
    validate_each(file, documents, runners, diagnostics);
}

/// Reports the errors of one file. Returns whether it has none.
bool validate_file(const std::filesystem::path& file, const po::variables_map& values) {
    Diagnostics diagnostics;
    bool good = true;
    Runners runners{allows_code(values)};
    try {
        const auto trace = trace_argument("validate", file.string(), values, true);
        if (trace) {
            (void)workload_of_trace(*trace, diagnostics);
        } else if (refuse_trace_options("validate", values);
                   const SchedulerDocuments* scheduler = scheduler_of_trace(file)) {
            (void)workload_of_trace({std::string(scheduler->trace_format), file.string(), {}},
                                    diagnostics);
        } else {
            validate_documents(file, runners, diagnostics);
        }
        diagnostics.throw_if_failed();
    } catch (const core::InputError& error) {
        std::cerr << error.what() << "\n";
        good = false;
    }
    for (const std::string& warning : diagnostics.warnings()) {
        std::cerr << warning << "\n";
    }
    if (good) {
        std::cout << fmt::format(
            "{}: valid{}\n",
            file.string(),
            runners.only.empty() ? "" : ", and can be run only by " + runners.only);
    }
    return good;
}

}  // namespace

int run_validate(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    add_trace_options(options);
    add_code_option(options);
    const auto values = parse_arguments("validate", arguments, options, "FILE", -1);
    if (!values) {
        return exit_done;
    }
    bool good = true;
    for (const std::string& file : needed_arguments(*values, "validate", "FILE")) {
        good = validate_file(file, *values) && good;
    }
    return good ? exit_done : exit_wrong_input;
}

}  // namespace berth::experiments
