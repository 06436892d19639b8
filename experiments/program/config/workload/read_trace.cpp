#include "experiments/program/config/workload/read_trace.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

#include "core/support/assert.hpp"
#include "core/tree/device_names.hpp"
#include "core/tree/gpu_resource.hpp"
#include "core/tree/level_of_label.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/config/workload/pod_nodes.hpp"
#include "experiments/program/config/workload/read_running.hpp"
#include "experiments/program/config/workload/read_training.hpp"
#include "experiments/program/config/workload/trace_origin.hpp"
#include "experiments/program/support/documents.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;
using workloads::TraceOrder;
using workloads::TracePlan;
using workloads::TraceTimes;

constexpr double factor_max = 1e6;
constexpr core::Amount thousandths = 1000;

core::Amount milli_gpus(const core::Topology& tree, const core::MachineType& type) {
    const auto gpu = core::gpu_resource(tree);
    return gpu ? type.capacity(static_cast<Eigen::Index>(*gpu)) : 0;
}

/// Thousandths of the GPUs among a machine type's devices.
core::Amount told_milli_gpus(const core::MachineType& type) {
    core::Amount count = 0;
    for (const core::DeviceGroup& group : type.devices) {
        count += group.kind == "gpu" ? group.count : 0;
    }
    return count * core::gpu_whole_milli;
}

core::Amount cluster_milli_gpus(const core::Topology& tree) {
    core::Amount sum = 0;
    for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
        sum += milli_gpus(tree, tree.machine_type(core::ServerId{server}));
    }
    return sum;
}

double factor(MapReader& map, const std::string& key, double most) {
    const double number = map.number(key, 1, 0, most);
    if (number <= 0) {
        expected(*map.take(key), "a number above 0", map.diagnostics());
    }
    return number;
}

void read_plan(MapReader& map, TracePlan& plan) {
    plan.order = static_cast<TraceOrder>(map.choice("order", {"time", "file"}, 0));
    const bool in_file_order = plan.order == TraceOrder::file;
    plan.times =
        static_cast<TraceTimes>(map.choice("times", {"recorded", "ignore"}, in_file_order ? 1 : 0));
    if (in_file_order && plan.times == TraceTimes::recorded) {
        expected(*map.take("times"),
                 "ignore, since the order of the file is not that of time",
                 map.diagnostics());
    }
    plan.zero =
        static_cast<workloads::TraceZero>(map.choice("zero", {"first-arrival", "trace"}, 0));
    plan.quota =
        static_cast<workloads::TraceQuota>(map.choice("quota", {"queue", "user", "none"}, 0));
    plan.gangs = map.boolean("gangs", true);
    plan.limit = static_cast<std::uint64_t>(map.integer("limit", 0, 1, INT64_MAX));
}

/// Reads `tune: {to: 1.3}`, a multiple of the cluster's GPUs.
std::optional<core::Amount> read_tune(const Value& value,
                                      const core::Topology& tree,
                                      Diagnostics& diagnostics) {
    MapReader map(value, "tune", diagnostics);
    const Value* to = map.need("to");
    map.report_unknown_keys();
    if (to == nullptr) {
        return std::nullopt;
    }
    const auto ratio = core::parse_quantity(to->text, thousandths);
    const auto* milli = std::get_if<core::Amount>(&ratio);
    if (milli == nullptr || *milli == 0 || *milli > thousandths * thousandths) {
        expected(
            *to, "a number such as 1.3, of thousandths, above 0 and at most 1000", diagnostics);
        return std::nullopt;
    }
    const core::Amount gpus = cluster_milli_gpus(tree) / thousandths;
    if (gpus == 0) {
        diagnostics.error(
            value.span,
            "tune cannot be used in a cluster without GPUs: expected servers with nvidia.com/gpu");
    }
    return gpus * *milli;
}

void read_changes(MapReader& map, const core::Topology& tree, TracePlan& plan) {
    Diagnostics& diagnostics = map.diagnostics();
    workloads::TraceChanges& changes = plan.changes;
    changes.sample = factor(map, "sample", 1);
    if (const Value* bootstrap = map.take("bootstrap")) {
        MapReader nested(*bootstrap, "bootstrap", diagnostics);
        (void)nested.need("count");
        changes.bootstrap =
            static_cast<std::uint64_t>(nested.integer("count", 1, 1, 1'000'000'000));
        nested.report_unknown_keys();
    }
    changes.shuffle = map.boolean("shuffle", false);
    if (changes.shuffle && plan.order == TraceOrder::time) {
        diagnostics.error(
            map.take("shuffle")->span,
            "shuffle has no effect on jobs that arrive by time: expected order: file in trace");
    }
    if (const Value* tune = map.take("tune")) {
        changes.tune_milli = read_tune(*tune, tree, diagnostics);
    }
    if (const Value* inflate = map.take("inflate")) {
        MapReader nested(*inflate, "inflate", diagnostics);
        (void)nested.need("ratio");
        changes.inflate = nested.number("ratio", 1, 1, factor_max);
        nested.report_unknown_keys();
    }
    changes.rate = factor(map, "rate", factor_max);
    changes.durations = factor(map, "durations", factor_max);
    for (const char* key : {"rate", "durations"}) {
        const Value* value = map.take(key);
        if (value != nullptr && plan.times == TraceTimes::ignored) {
            diagnostics.error(
                value->span,
                fmt::format(
                    "{} has no effect where times are ignored: expected times: recorded in trace",
                    key));
        }
    }
}

/// Reports what a user would not expect of the trace that was read.
void check_scan(const workloads::Trace& trace,
                const TraceOrigin& origin,
                const core::SourceSpan& span,
                Diagnostics& diagnostics) {
    const workloads::TraceScan& scan = trace.scan;
    if (scan.skipped.count > 0) {
        // The message shows no row of a file without any job, because such a file is no trace.
        const std::string& first = scan.skipped.first;
        diagnostics.warning(span,
                            fmt::format("wrong rows that were skipped: {}; the first: {}",
                                        scan.skipped.count,
                                        scan.jobs > 0 ? first : first.substr(0, first.find('\n'))));
    }
    for (const std::string& note : scan.notes) {
        diagnostics.warning(span, note);
    }
    const bool timed = trace.plan.times == TraceTimes::recorded;
    if (timed && scan.endless > 0) {
        diagnostics.warning(
            span,
            fmt::format("{} of {} jobs tell neither how long they run nor when they "
                        "end: they run until the run ends",
                        scan.endless,
                        scan.jobs));
    }
    if (timed && scan.startless > 0) {
        diagnostics.warning(
            span,
            fmt::format("{} of {} jobs tell when they ended, and neither when they started nor how "
                        "long they ran: they run until the run ends",
                        scan.startless,
                        scan.jobs));
    }
    if (scan.unstarted > 0) {
        const auto* format = workloads::find_trace_format(origin.format);
        const bool objects = format != nullptr && format->objects;
        diagnostics.warning(
            span,
            fmt::format("jobs left out, as they never started and their run time is unknown: {}; "
                        "{}",
                        scan.unstarted,
                        objects ? "running: {file: FILE, pending: true, lifetime: 2h} instead of "
                                  "trace has those that wait do so from the beginning of the run"
                                : "with times: ignore they arrive too, and no job ends"));
    }
    if (scan.jobs == 0) {
        const std::string besides =
            scan.unstarted == 0 ? ""
                                : fmt::format(" besides the {} that never started", scan.unstarted);
        diagnostics.error(span,
                          fmt::format("{} has no jobs{}: expected some", origin.file, besides));
    }
    const bool counts_gpus = core::gpu_resource(trace.resources).has_value();
    if (scan.gpus && !counts_gpus) {
        diagnostics.error(span,
                          "its jobs ask for GPUs, and no server has any: expected a topology with "
                          "nvidia.com/gpu");
    }
    if (scan.trains && !trace.plan.gangs) {
        diagnostics.error(
            span,
            "gangs: false of jobs that train: each pod would do all steps of its job: "
            "expected gangs: true");
    }
    if (!scan.gpus && trace.plan.changes.tune_milli) {
        diagnostics.error(span, "tune of jobs without GPUs: expected some that ask for GPUs");
    }
}

/// Finds the levels of the cluster that jobs request by node labels.
void find_levels(workloads::Trace& trace,
                 const std::string& format,
                 const PodLabels& labels,
                 const core::Topology& tree,
                 const core::SourceSpan& span,
                 Diagnostics& diagnostics) {
    if (!labels.levels()) {
        return;
    }
    trace.levels.count = tree.level_count();
    for (const std::string& label : trace.scan.level_labels) {
        if (const auto level = core::level_of_label(label, tree, *labels.levels())) {
            trace.levels.of_label.emplace(label, *level);
            continue;
        }
        const auto& names = tree.level_names();
        const auto scheduler =
            std::ranges::find(scheduler_documents(), format, &SchedulerDocuments::trace_format);
        BERTH_ASSERT(scheduler != scheduler_documents().end(),
                     "jobs that ask for levels by labels are those of a scheduler");
        diagnostics.error(span,
                          fmt::format("its jobs ask for places in one '{}', which is no level of "
                                      "the cluster: expected a label that ends in the name of a "
                                      "level ({}), or in scheduler.{}, levels: {{{}: LEVEL}}",
                                      label,
                                      fmt::join(names.begin() + 1, names.end(), ", "),
                                      scheduler->key,
                                      label));
    }
}

/// Finds where pods of the trace may run by what their specs say about nodes.
void find_selectors(workloads::Trace& trace,
                    const PodLabels& labels,
                    const core::SourceSpan& span,
                    Diagnostics& diagnostics) {
    for (const auto& [text, jobs] : trace.scan.node_rules) {
        auto source = std::make_shared<core::SourceText>();
        source->name = "what a pod of the trace says of nodes";
        source->text = text;
        const Value spec = parse_documents(source).front();
        auto selector =
            labels.nodes() != nullptr
                ? labels.nodes()->of(spec, span, "", jobs, value_below(spec, {"metadata"}))
                : nullptr;
        if (selector != nullptr) {
            trace.levels.selectors.emplace(text, std::move(selector));
        }
    }
    if (!trace.scan.level_labels.empty() && !trace.levels.selectors.empty()) {
        diagnostics.warning(span,
                            "jobs that ask for places by topology get them by the labels of their "
                            "flavors: what their pods' specs say of nodes is not looked at there");
    }
}

workloads::Trace prepare(const TraceOrigin& origin,
                         const TracePlan& plan,
                         const core::Topology& tree) {
    return with_likely_format(origin, [&] {
        return workloads::prepare_trace([whole = with_documents(origin)] { return open(whole); },
                                        plan,
                                        tree.resources(),
                                        &tree);
    });
}

/// Describes what the pods of a listed cluster request, in the form of a trace's scan.
workloads::TraceScan scan_of(const JobList& list) {
    workloads::TraceScan scan;
    for (const sim::Job& job : list.jobs) {
        scan.shares = scan.shares || (job.gpus && job.gpus->milli < core::gpu_whole_milli);
        scan.uneven_shares = scan.uneven_shares || (job.gpus && job.gpus->milli % 10 != 0);
        scan.models = scan.models || (job.gpus && !job.gpus->models.empty());
    }
    return scan;
}

}  // namespace

TraceFile read_lone_trace(const TraceOrigin& origin,
                          const core::Topology& tree,
                          Diagnostics& diagnostics) {
    auto source = std::make_shared<core::SourceText>();
    source->name = origin.file;
    TraceFile out;
    out.file = origin.file;
    out.format = origin.format;
    out.lenient = origin.options.lenient;
    out.span = {source, 0, 0, 0};
    out.trace = prepare(origin, TracePlan(), tree);
    check_scan(out.trace, origin, out.span, diagnostics);
    return out;
}

std::optional<TraceFile> read_trace(const Value& source,
                                    PodLabels& labels,
                                    const core::Topology& tree,
                                    Diagnostics& diagnostics) {
    MapReader map(source, "a workload source with a trace", diagnostics);
    const Value& trace_value = *map.need("trace");
    if (!trace_value.is_map()) {
        expected(trace_value, "a trace such as {format: csv, file: jobs.csv}", diagnostics);
        return std::nullopt;
    }
    MapReader trace_map(trace_value, "trace", diagnostics);
    TraceOrigin origin = read_trace_origin(trace_map);
    if (origin.options.speeds != nullptr) {
        origin.options.speeds = speeds_on(*origin.options.speeds, tree);
    }
    origin.options.pod_metadata = labels.nodes() != nullptr && labels.nodes()->reads_pods();
    TracePlan plan;
    std::string name = trace_map.text("name", "");
    read_plan(trace_map, plan);
    plan.checkpoint = labels.checkpoint_of(trace_map);
    trace_map.report_unknown_keys();
    read_changes(map, tree, plan);
    map.report_unknown_keys();
    if (diagnostics.failed()) {
        return std::nullopt;
    }
    TraceFile out;
    out.name = std::move(name);
    out.file = origin.file;
    out.format = origin.format;
    out.lenient = origin.options.lenient;
    out.span = trace_map.take("file")->span;
    out.says_zero = trace_map.take("zero") != nullptr;
    out.trace = prepare(origin, plan, tree);
    check_scan(out.trace, origin, out.span, diagnostics);
    find_levels(out.trace, origin.format, labels, tree, out.span, diagnostics);
    find_selectors(out.trace, labels, out.span, diagnostics);
    for (const std::string& quota : out.trace.scan.quotas) {
        sim::Job job;
        job.quota = quota;
        labels.check(trace_value.span, job);
    }
    return out;
}

bool has_traces(const Value* sources) {
    return sources != nullptr && std::ranges::any_of(sources->items, [](const Value& source) {
               return source.is_map() && source.find("trace") != nullptr;
           });
}

bool wants_shares(const Value* workload, const core::Topology& tree) {
    return (has_traces(workload) || any_runs_on_shares(workload)) && cluster_milli_gpus(tree) > 0 &&
           std::ranges::all_of(tree.machine_types(), [&](const core::MachineType& type) {
               return milli_gpus(tree, type) == told_milli_gpus(type);
           });
}

void check_traces(const std::vector<WorkloadSource>& workload,
                  const sim::Profile& profile,
                  const core::SourceSpan& span,
                  Diagnostics& diagnostics) {
    const std::string allocator = profile.inside.devices ? profile.inside.devices->allocator : "";
    for (const WorkloadSource& source : workload) {
        const auto* file = std::get_if<TraceFile>(&source.what);
        const auto* list = std::get_if<JobList>(&source.what);
        if (file == nullptr && list == nullptr) {
            continue;
        }
        const workloads::TraceScan scan = file != nullptr ? file->trace.scan : scan_of(*list);
        if (profile.inside.candidates && file != nullptr) {
            diagnostics.error(span,
                              fmt::format("{} where pods ask for allocation candidates: expected "
                                          "pods, groups or generate with types",
                                          source.name));
        }
        if (scan.shares && !allocator.empty() && allocator != "device-allocator") {
            diagnostics.error(span,
                              fmt::format("{} asks for shares of GPUs: expected reserve: "
                                          "[gpu-sharing] or [device-allocator], not [{}]",
                                          source.name,
                                          allocator));
        } else if (scan.uneven_shares && !allocator.empty()) {
            diagnostics.error(span,
                              fmt::format("{} asks for fractions of a GPU finer than 1/100: "
                                          "expected reserve: [gpu-sharing]",
                                          source.name));
        }
        if (scan.shares && allocator.empty() && !profile.inside.gpus &&
            !profile.inside.candidates) {
            diagnostics.warning(
                span,
                fmt::format("{} asks for shares of GPUs, but no plug-in shares them: leftovers of "
                            "several GPUs are added up as if they were one GPU: expected reserve: "
                            "[gpu-sharing] in the profile",
                            source.name));
        }
        if (scan.models && !profile.inside.gpus) {
            diagnostics.warning(
                span,
                fmt::format(
                    "{} asks for models of GPUs, which only reserve: [gpu-sharing] considers",
                    source.name));
        }
        if (scan.nics && allocator.empty()) {
            diagnostics.warning(span,
                                fmt::format("{} asks for NICs, which only reserve: "
                                            "[device-allocator] and its like give out",
                                            source.name));
        }
    }
}

}  // namespace berth::experiments
