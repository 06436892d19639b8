#include "experiments/program/config/experiment/read_experiment.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <variant>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/machine_views/device_object_view.hpp"
#include "core/node_rules/labels.hpp"
#include "core/support/text.hpp"
#include "core/tree/device_names.hpp"
#include "core/tree/gpu_resource.hpp"
#include "experiments/program/config/cluster/attach_devices.hpp"
#include "experiments/program/config/cluster/node_objects.hpp"
#include "experiments/program/config/cluster/read_node_list.hpp"
#include "experiments/program/config/cluster/unavailable_nodes.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/config/experiment/equal_starts.hpp"
#include "experiments/program/config/experiment/moved_clock.hpp"
#include "experiments/program/config/experiment/read_expect.hpp"
#include "experiments/program/config/experiment/read_run_time.hpp"
#include "experiments/program/config/experiment/read_window.hpp"
#include "experiments/program/config/failures/read_drains.hpp"
#include "experiments/program/config/failures/read_failures.hpp"
#include "experiments/program/config/profile/read_descheduler.hpp"
#include "experiments/program/config/profile/read_outside.hpp"
#include "experiments/program/config/profile/read_scheduler.hpp"
#include "experiments/program/config/profile/read_typical_pods.hpp"
#include "experiments/program/config/quota/read_quota_settings.hpp"
#include "experiments/program/config/workload/pod_labels.hpp"
#include "experiments/program/config/workload/pod_nodes.hpp"
#include "experiments/program/config/workload/pods_of_object.hpp"
#include "experiments/program/config/workload/read_checkpoint.hpp"
#include "experiments/program/config/workload/read_running.hpp"
#include "experiments/program/config/workload/read_trace.hpp"
#include "experiments/program/config/workload/read_workload.hpp"
#include "experiments/program/results/tables/metric_table.hpp"
#include "experiments/program/results/tables/tables.hpp"
#include "topologies/kubernetes_nodes.hpp"
#include "topologies/read_topology.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

std::vector<topologies::LabelLevel> read_label_levels(const Value* list, Diagnostics& diagnostics) {
    if (list == nullptr) {
        return topologies::default_label_levels();
    }
    std::vector<topologies::LabelLevel> levels;
    for (const Value& item : list->items) {
        MapReader map(item, "a level of nodes", diagnostics);
        (void)map.need("name");
        if (const Value* label = map.need("label")) {
            core::check_label_key(*label, diagnostics);
        }
        levels.push_back({map.text("name", ""), map.text("label", ""), false});
        map.report_unknown_keys();
    }
    if (levels.empty()) {
        expected(*list, "a list such as [{name: rack, label: example.com/rack}]", diagnostics);
    }
    return levels;
}

/// Reads `spec: ...`, `document: ...` or `nodes: {format: kubernetes, ...}`.
std::optional<core::Topology> read_place(const Value& value,
                                         const core::ResourceSchema& also,
                                         Diagnostics& diagnostics) {
    for (const char* key : {"levels", "machines", "machineTypes"}) {
        if (value.is_map() && value.find(key) != nullptr) {
            diagnostics.error(value.span,
                              fmt::format("'{}' in topology: expected spec: {{levels: ..., "
                                          "machines: ..., machineTypes: ...}} around it",
                                          key));
            return std::nullopt;
        }
    }
    MapReader map(value, "topology", diagnostics);
    const Value* spec = map.take("spec");
    const Value* document = map.take("document");
    const Value* nodes = map.take("nodes");
    (void)map.take("file");
    map.report_unknown_keys();
    if (spec != nullptr) {
        return topologies::read_spec(*spec, also, diagnostics);
    }
    if (document != nullptr) {
        return topologies::read_topology(*document, also, diagnostics);
    }
    if (nodes == nullptr) {
        if (value.is_map()) {
            diagnostics.error(value.span, "topology is empty: expected file, spec or nodes");
        }
        return std::nullopt;
    }
    MapReader nodes_map(*nodes, "topology.nodes", diagnostics);
    if (nodes_map.choice("format", {"kubernetes", "openb", "spot", "slurm"}, 0) > 0) {
        return read_node_list(*nodes, also, diagnostics);
    }
    const auto levels = read_label_levels(nodes_map.take("levels"), diagnostics);
    const Value* list = nodes_map.take("document");
    const Value* add = nodes_map.take("add");
    (void)nodes_map.take("file");
    // leave_out_unavailable_nodes() later removes the nodes that take no pods.
    (void)nodes_map.choice("unavailable", {"leave-out", "keep"}, 0);
    nodes_map.report_unknown_keys();
    if (list == nullptr || diagnostics.failed()) {
        expected(*nodes, "the file of the nodes", diagnostics);
        return std::nullopt;
    }
    if (add == nullptr) {
        return topologies::read_topology(*list, also, diagnostics, levels);
    }
    return topologies::read_kubernetes_nodes(
        *list, levels, also, diagnostics, read_added_nodes(*add, *list, diagnostics));
}

/// Whether a column of nodes.csv, or a metric, would have the name of another because of a level.
bool takes_a_name(const std::string& level) {
    const auto nodes = report::column_names(
        report::Table::nodes, {report::Part::always}, {{"LEVEL", {}}, {"RESOURCE", {}}});
    constexpr std::string_view placeholder = "LEVEL";
    const auto metrics = report::metric_table();
    return std::ranges::find(nodes, level) != nodes.end() ||
           std::ranges::any_of(metrics, [&](const report::MetricRecord& of_level) {
               return of_level.name.starts_with(placeholder) &&
                      std::ranges::find(
                          metrics,
                          level + std::string(of_level.name.substr(placeholder.size())),
                          &report::MetricRecord::name) != metrics.end();
           });
}

void check_level_names(const core::Topology& tree, const Value& at, Diagnostics& diagnostics) {
    for (std::uint32_t level = 1; level < tree.server_level().index; ++level) {
        const std::string& name = tree.level_name(core::Level{level});
        if (takes_a_name(name)) {
            diagnostics.error(at.span,
                              fmt::format("the level '{}' would give a column or a metric a name "
                                          "that another has: expected another name for it",
                                          name));
        }
    }
}

std::vector<sim::SimTime> read_waits_over(const Value* list, Diagnostics& diagnostics) {
    std::vector<sim::SimTime> out;
    if (list == nullptr) {
        return out;
    }
    constexpr std::size_t waits_max = 100;
    if (!list->is_list() || list->items.size() > waits_max) {
        expected(*list, "a list of up to 100 durations, such as [10m, 1h]", diagnostics);
    }
    for (const Value& item : list->items) {
        const auto wait = read_duration(item, diagnostics);
        if (wait && std::ranges::find(out, *wait) != out.end()) {
            expected(item, "each duration once", diagnostics);
        } else if (wait) {
            out.push_back(*wait);
        }
    }
    return out;
}

void read_record(const Value* value, ExperimentSpec& spec, Diagnostics& diagnostics) {
    if (value == nullptr) {
        return;
    }
    MapReader map(*value, "record", diagnostics);
    if (const Value* every = map.take("sampleEvery")) {
        if (every->text == "arrival") {
            spec.settings.sample_arrivals = true;
        } else if (const auto duration = read_duration(*every, diagnostics, "arrival, or ")) {
            if (duration->count() == 0) {
                expected(*every, "a duration above 0, or arrival", diagnostics);
            }
            spec.settings.sample_every = *duration;
        }
    }
    spec.record_placements = map.boolean("placements", true);
    spec.settings.attainable = map.boolean("attainable", false);
    spec.settings.waits_over = read_waits_over(map.take("waitsOver"), diagnostics);
    read_window(map, spec);
    map.report_unknown_keys();
}

/// GPUs in use, GPU time and its causes are counted for one resource only.
void warn_of_other_gpus(const core::Topology& tree,
                        const core::SourceSpan& span,
                        Diagnostics& diagnostics) {
    const std::vector<std::string> others = core::other_gpu_resources(tree);
    if (!others.empty()) {
        diagnostics.warning(
            span,
            fmt::format("servers have {} and {}: GPUs in use, and GPU time by cause, count the "
                        "former alone; the metrics NAME_utilization tell of each",
                        tree.resources().name(*core::gpu_resource(tree)),
                        core::join(others, ", ")));
    }
}

/// Reports machine types with more devices than allocators can count.
void check_machines(const core::Topology& tree,
                    const sim::Profile& profile,
                    const core::SourceSpan& span,
                    Diagnostics& diagnostics) {
    for (const core::MachineType& type : tree.machine_types()) {
        const auto refusal = profile.inside.devices
                                 ? core::DeviceInventory::refusal(core::device_object_view(type))
                                 : std::nullopt;
        if (refusal) {
            diagnostics.error(span, fmt::format("machine type '{}': {}", type.name, *refusal));
        }
        std::int64_t gpus = 0;
        for (const core::DeviceGroup& group : type.devices) {
            gpus += group.kind == "gpu" ? group.count : 0;
        }
        const auto gpu = tree.resources().find(core::device_resource::nvidia_gpu);
        const core::Amount milli = gpu ? type.capacity(static_cast<Eigen::Index>(*gpu)) : 0;
        if (milli % core::gpu_whole_milli != 0 && !profile.inside.devices && !profile.inside.gpus) {
            diagnostics.warning(span,
                                fmt::format("machine type '{}' has {}m nvidia.com/gpu: expected a "
                                            "whole number of GPUs",
                                            type.name,
                                            milli));
        }
        if (profile.inside.gpus && gpus > static_cast<std::int64_t>(core::devices_of_type_max)) {
            diagnostics.error(span,
                              fmt::format("machine type '{}' has {} GPUs: expected at most {} "
                                          "where GPUs are shared",
                                          type.name,
                                          gpus,
                                          core::devices_of_type_max));
        }
    }
}

std::vector<std::string> job_classes(const sim::Settings& settings) {
    std::vector<std::string> names;
    for (const sim::SlowDown& slow_down : settings.run_time) {
        names.push_back(slow_down.job_class);
    }
    return names;
}

/// A scheduler from outside has its own queues, and takes the names of quotas for theirs. If it
/// only scores servers, the profile beside it enforces quotas.
void heed_quotas(const Value* quotas,
                 const Value* changes,
                 const Value* recycler,
                 OutsideScheduler& outside,
                 Diagnostics& diagnostics) {
    for (const Value* value : {quotas, changes, recycler}) {
        if (value != nullptr &&
            outside_kinds()[static_cast<std::size_t>(outside.kind)].may_have_profile) {
            outside.profile = value->span;
            return;
        }
        if (value != nullptr) {
            diagnostics.error(
                value->span,
                "quotas need one of berth's own schedulers, since this scheduler would ignore "
                "them: expected no quotas, or scheduler: {profile: ...}");
            return;
        }
    }
}

/// Batsim's protocol has no event for a server that leaves or comes, nor for a job that loses its
/// servers in this way.
void refuse_what_a_library_is_not_told(const ExperimentSpec& spec, Diagnostics& diagnostics) {
    const bool is_library = spec.outside && spec.outside->kind == OutsideScheduler::Kind::batsim;
    if (is_library && (spec.settings.servers_may_leave() || !spec.settings.absent.empty())) {
        diagnostics.error(spec.outside->span,
                          "servers cannot leave or come with batsim, since Batsim's protocol has "
                          "no event for that: expected neither failures nor drains");
    }
}

/// The text of a warning, without the place before it and the quoted line after it.
std::string without_place(const std::string& warning) {
    constexpr std::string_view severity = "warning: ";
    const std::size_t begin = warning.find(severity) + severity.size();
    return warning.substr(begin, warning.find('\n', begin) - begin);
}

}  // namespace

std::optional<ExperimentSpec> read_experiment(const Value& document, Diagnostics& diagnostics) {
    ExperimentSpec out;
    const std::size_t warned_before = diagnostics.warnings().size();
    MapReader top(document, "an Experiment", diagnostics);
    out.name = read_header(top, "berth/v1", "experiment");
    if (const Value* kind = document.find("kind"); kind != nullptr && kind->text != "Experiment") {
        expected(*kind, "Experiment", diagnostics);
    }
    const Value* spec_value = top.need("spec");
    top.report_unknown_keys();
    if (spec_value == nullptr) {
        return std::nullopt;
    }
    MapReader spec(*spec_value, "an Experiment's spec", diagnostics);
    out.seed = static_cast<std::uint64_t>(spec.integer("seed", 1, 0, INT64_MAX));
    out.replications =
        static_cast<std::uint32_t>(spec.integer("replications", 1, 1, replications_max));
    const Value* types_value = spec.take("types");
    const Value* topology = spec.need("topology");
    const Value* devices = spec.take("devices");
    const Value* workload = spec.take("workload");
    core::ResourceSchema also;
    PodTypes::add_resources(types_value, also);
    add_running_resources(workload, also);
    add_resources_of_objects(workload, also);
    if (topology != nullptr) {
        if (auto tree = read_place(*topology, also, diagnostics)) {
            if (devices != nullptr) {
                tree = attach_devices(*devices, std::move(*tree), diagnostics);
            }
            out.topology = std::make_shared<const core::Topology>(std::move(*tree));
            check_sums(*out.topology, topology->span, diagnostics);
            warn_of_other_gpus(*out.topology, topology->span, diagnostics);
            if (out.topology->resources().size() == 0) {
                diagnostics.error(topology->span,
                                  "no resource that a server has or a pod asks for: expected one "
                                  "at least, such as cpu");
            }
            constexpr std::size_t resources_max = 63;
            if (out.topology->resources().size() > resources_max) {
                diagnostics.error(topology->span,
                                  fmt::format("{} resources: expected at most {}",
                                              out.topology->resources().size(),
                                              resources_max));
            }
        }
    }
    const Value* quotas_value = spec.take("quotas");
    const Value* changes_value = spec.take("quotaChanges");
    const bool unknown_allowed = spec.choice("unknownQuotas", {"refuse", "default-group"}, 0) == 1;
    const Value* recycler_value = spec.take("recycler");
    const Value* failures_value = spec.take("failures");
    const Value* drains_value = spec.take("drains");
    const Value* run_time = spec.take("runTime");
    const Value* descheduler = spec.take("descheduler");
    const std::size_t errors_before = diagnostics.error_count();
    const auto quotas = read_quota_settings(
        quotas_value, changes_value, recycler_value, out.topology.get(), diagnostics);
    const bool quotas_are_right = diagnostics.error_count() == errors_before;
    if (quotas) {
        out.settings.quotas = quotas->settings;
        if (out.topology && quotas_value != nullptr) {
            for (const std::string& warning : large_mins(quotas->rules, *out.topology)) {
                diagnostics.warning(quotas_value->span, warning);
            }
        }
    }
    const Value* scheduler = spec.take("scheduler");
    const bool share_gpus = out.topology && wants_shares(workload, *out.topology);
    read_scheduler(scheduler,
                   share_gpus,
                   topology,
                   out.topology.get(),
                   out.settings,
                   out.outside,
                   diagnostics);
    if (out.outside) {
        heed_quotas(quotas_value, changes_value, recycler_value, *out.outside, diagnostics);
    }
    if (const sim::Profile& profile = out.settings.profile;
        out.topology && (profile.inside.devices || profile.inside.gpus)) {
        out.topology = std::make_shared<const core::Topology>(
            with_counted_gpus(*out.topology, topology->span, diagnostics));
    }
    out.settings.until = read_duration(spec, "until").value_or(sim::never);
    read_record(spec.take("record"), out, diagnostics);
    const Value* claims = spec.take("claims");
    out.expectations = read_expect(spec.take("expect"), diagnostics);
    spec.report_unknown_keys();
    if (out.topology) {
        const bool by_candidates = out.settings.profile.inside.candidates.has_value();
        const bool random_failures = has_random_failures(failures_value);
        const PodTypes types(
            types_value, *out.topology, by_candidates, random_failures, diagnostics);
        types.check_inside(out.settings.profile, diagnostics);
        check_machines(*out.topology, out.settings.profile, topology->span, diagnostics);
        check_level_names(*out.topology, *topology, diagnostics);
        // A quota that was refused is still known to a pod that names it.
        PodLabels labels = quotas && quotas_are_right
                               ? PodLabels(quotas->rules, quotas->later, diagnostics)
                               : PodLabels(diagnostics);
        if (quotas_value == nullptr && changes_value == nullptr && !out.outside &&
            !out.settings.admission &&
            !(out.settings.scheduler && out.settings.scheduler->reads_queues())) {
            labels.warn_of_quotas();
        }
        if (unknown_allowed) {
            labels.allow_unknown_quotas();
        }
        if (random_failures) {
            labels.know_random_failures();
        }
        read_run_time(run_time, *out.topology, out.settings, diagnostics);
        labels.know_classes(job_classes(out.settings));
        const sim::AdmissionSettings* const admission = out.settings.admission.get();
        labels.know_levels(admission != nullptr ? admission->levels_by_label()
                                                : std::map<std::string, std::string>());
        if (admission != nullptr) {
            labels.know_queues(*admission);
        }
        if (workload != nullptr) {
            PodNodes nodes(*out.topology, *topology, diagnostics);
            for (const SchedulerDocuments& one : scheduler_documents()) {
                if (scheduler != nullptr && scheduler->find(one.key) != nullptr &&
                    out.settings.scheduler != nullptr && one.read_pod != nullptr) {
                    nodes.read_pods_for(one, *out.settings.scheduler);
                }
            }
            labels.know_nodes(nodes);
            out.workload = read_workload(*workload, types, labels, *out.topology, diagnostics);
            nodes.warn(admission != nullptr && admission->may_add_tolerations());
        }
        check_traces(out.workload, out.settings.profile, spec_value->span, diagnostics);
        if (sim::Profile& profile = out.settings.profile; profile.inside.gpus) {
            const Value* typical = scheduler != nullptr ? scheduler->find("typicalPods") : nullptr;
            profile.inside.gpus->typical = read_typical_pods(
                typical != nullptr && typical->kind != Value::Kind::null ? typical : nullptr,
                out,
                scheduler != nullptr ? scheduler->span : spec_value->span,
                diagnostics);
        }
        read_failures(failures_value, out, diagnostics);
        read_drains(drains_value, out, diagnostics);
        if (out.settings.on_failure.spares && out.settings.node_changes.empty() &&
            out.settings.failure_causes.empty()) {
            diagnostics.warning(scheduler->span,
                                "nothing fails in this run, so no job needs the spares, which "
                                "stand idle: expected failures, or no spares");
        }
        refuse_what_a_library_is_not_told(out, diagnostics);
        for (const SchedulerDocuments& one : scheduler_documents()) {
            const Value* own = scheduler != nullptr ? scheduler->find(one.key) : nullptr;
            const bool was_read = one.read_scheduler != nullptr ? out.settings.scheduler != nullptr
                                                                : admission != nullptr;
            if (own != nullptr && was_read) {
                one.check_experiment(out, own->span, diagnostics);
            }
        }
        warn_of_moved_clocks(out, diagnostics);
        if (workload != nullptr) {
            warn_of_equal_starts(out, *workload, diagnostics);
        }
        if (!diagnostics.failed()) {
            complete_checkpoints(out);
        }
        leave_out_unavailable_nodes(*topology, labels.any_goes_anywhere(), out, diagnostics);
        warn_of_node_fields(*topology, diagnostics);
        if (descheduler != nullptr) {
            out.settings.scheduler = read_descheduler(*descheduler, out, diagnostics);
        }
        out.claims = read_claims(claims, *out.topology, diagnostics);
    }
    std::ranges::transform(diagnostics.warnings() | std::views::drop(warned_before),
                           std::back_inserter(out.warnings),
                           without_place);
    return diagnostics.failed() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace berth::experiments
