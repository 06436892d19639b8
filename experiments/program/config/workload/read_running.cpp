#include "experiments/program/config/workload/read_running.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <unordered_map>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/tree/device_names.hpp"
#include "core/tree/gpu_resource.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/config/quota/read_quota.hpp"
#include "experiments/program/config/workload/pod_nodes.hpp"
#include "experiments/program/config/workload/pod_requests.hpp"
#include "workloads/trace/gpu_models.hpp"
#include "workloads/trace/trace_pods.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::Diagnostics;
using core::Value;

/// How annotations about shared GPUs begin: gpu-milli, gpu-count, gpu-card-model.
constexpr std::string_view gpu_share = "alibabacloud.com/gpu-";
constexpr std::int64_t shared_gpus_max = 1'000'000;

/// The pods of a Pod, PodList or List that have not ended.
std::vector<const Value*> living_pods(const Value& document) {
    const std::string kind = text_below(document, {"kind"});
    std::vector<const Value*> pods;
    const auto add = [&](const Value& item) {
        const std::string phase = text_below(item, {"status", "phase"});
        if (phase != "Succeeded" && phase != "Failed") {
            pods.push_back(&item);
        }
    };
    if (kind == "Pod") {
        add(document);
    } else if (const Value* items = document.find("items")) {
        for (const Value& item : items->items) {
            const Value* item_kind = item.find("kind");
            if (item_kind != nullptr ? item_kind->text == "Pod" : kind == "PodList") {
                add(item);
            }
        }
    }
    return pods;
}

bool is_of_daemon_set(const Value& pod) {
    const Value* owners = value_below(pod, {"metadata", "ownerReferences"});
    return owners != nullptr && std::ranges::any_of(owners->items, [](const Value& owner) {
               return text_below(owner, {"kind"}) == "DaemonSet";
           });
}

/// What a pod asks of shared GPUs by annotations, which say more than its resources do; or nothing.
std::optional<core::GpuRequest> shared_gpus(const Value& pod, Diagnostics& diagnostics) {
    const auto number = [&](std::string_view what) -> std::optional<Amount> {
        const Value* value =
            value_below(pod, {"metadata", "annotations", fmt::format("{}{}", gpu_share, what)});
        return value == nullptr ? std::nullopt
                                : read_integer(*value, diagnostics, 0, shared_gpus_max);
    };
    const auto milli = number("milli");
    const auto count = number("count");
    core::GpuRequest gpus{std::min(milli.value_or(core::gpu_whole_milli), core::gpu_whole_milli),
                          count.value_or(milli ? 1 : 0),
                          {}};
    if (gpus.total_milli() == 0) {
        return std::nullopt;
    }
    if (gpus.count > 1 && gpus.milli < core::gpu_whole_milli) {
        diagnostics.error(pod.span,
                          "a share of several GPUs: expected a share of one, or whole GPUs");
    }
    workloads::split_models(
        text_below(pod, {"metadata", "annotations", fmt::format("{}card-model", gpu_share)}),
        gpus.models);
    return gpus;
}

/// A document alone is read beside a server that is not there: it has nothing.
bool is_real(const core::Topology& tree) {
    return std::ranges::any_of(tree.machine_types(), [](const core::MachineType& type) {
        return (type.capacity > 0).any();
    });
}

/// Pods that are left out for one reason.
struct LeftOut {
    std::size_t count = 0;
    core::SourceSpan first;
    std::string why_first;
};

class RunningReader {
public:
    RunningReader(const PodTypes& types,
                  PodLabels& labels,
                  const core::Topology& tree,
                  Diagnostics& diagnostics)
        : types_(types),
          labels_(labels),
          tree_(tree),
          diagnostics_(diagnostics),
          shares_(tree.resources(), workloads::TraceQuota::none),
          quotas_(AnnotationSyntax::lenient, diagnostics) {}

    JobList read(const Value& value) {
        core::MapReader map(value, "running", diagnostics_);
        const Value* document = map.take("document");
        (void)map.take("file");
        lifetime_ = read_duration(map, "lifetime");
        pending_ = map.boolean("pending", false);
        lenient_ = map.boolean("lenient", false);
        map.report_unknown_keys();
        if (document == nullptr) {
            expected(value, "the file of the pods, such as {file: cluster.json}", diagnostics_);
            return {};
        }
        if (is_real(tree_)) {
            servers_ = tree_.servers_by_name();
            used_.assign(tree_.server_count(), {});
        }
        for (const Value* item : living_pods(*document)) {
            read_pod(*item);
        }
        warn_of_those_left_out();
        return {std::move(jobs_)};
    }

private:
    void read_pod(const Value& item) {
        const Value* node = value_below(item, {"spec", "nodeName"});
        const bool placed = node != nullptr && node->is_scalar() && !node->text.empty();
        if (!placed && !pending_) {
            return;
        }
        const Value* gates = value_below(item, {"spec", "schedulingGates"});
        if (gates != nullptr && !gates->items.empty()) {
            gated_.first = gated_.count++ == 0 ? item.span : gated_.first;
            return;
        }
        const ReadPod pod = quotas_.read_pod(item);
        sim::Job job;
        job.name = pod.pod.pod_namespace.empty() ? pod.pod.name
                                                 : pod.pod.pod_namespace + "/" + pod.pod.name;
        job.name_space = pod.pod.pod_namespace;
        job.quota = pod.pod.quota;
        job.preemptible = pod.pod.preemptible != "false";
        if (const Value* priority = value_below(item, {"spec", "priority"})) {
            job.priority = static_cast<std::int32_t>(
                read_integer(*priority, diagnostics_, INT32_MIN, INT32_MAX).value_or(0));
        }
        job.duration = lifetime_;
        labels_.check(pod.span, job);
        if (const Value* spec = value_below(item, {"spec"}); spec != nullptr && labels_.nodes()) {
            const bool stays = placed && is_of_daemon_set(item);
            job.nodes = labels_.nodes()->of(*spec, pod.span, stays ? node->text : "");
        }
        types_.ask_for(pod.span, amounts_of(item, pod.span), job, diagnostics_);
        if (auto gpus = shared_gpus(item, diagnostics_)) {
            ask_for_shares(std::move(*gpus), job);
        }
        if (!placed || (!servers_.empty() ? place(job, *node, pod.span) : true)) {
            jobs_.push_back(std::move(job));
        }
    }

    void ask_for_shares(core::GpuRequest gpus, sim::Job& job) {
        workloads::TraceJob asks;
        asks.gpus = std::move(gpus);
        sim::Job shares = shares_.job_of(asks);
        job.gpus = std::move(shares.gpus);
        job.devices = std::move(shares.devices);
        const std::size_t gpu = *core::gpu_resource(tree_.resources());  // was added for it
        job.demand[gpu] = shares.demand[gpu];
    }

    /// Rounded up, as the scheduler does.
    std::vector<Amount> amounts_of(const Value& item, const core::SourceSpan& span) {
        const core::ResourceSchema& schema = tree_.resources();
        std::vector<Amount> amounts(schema.size(), 0);
        for (const auto& [resource, quantity] : pod_requests(item, diagnostics_)) {
            const std::size_t index = *schema.find(resource);  // add_running_resources() added it
            constexpr core::Quantity billion = 1'000'000'000;
            const core::Quantity units =
                (quantity * schema.per_unit(index) + billion - 1) / billion;
            if (units > INT64_MAX) {
                diagnostics_.error(span,
                                   fmt::format("the pod asks for more {} than can be counted: "
                                               "expected at most {} {}",
                                               resource,
                                               INT64_MAX,
                                               schema.unit(index)));
            } else {
                amounts[index] = static_cast<Amount>(units);
            }
        }
        return amounts;
    }

    /// Returns whether the pod is there from the start.
    bool place(sim::Job& job, const Value& node, const core::SourceSpan& span) {
        const auto server = servers_.find(node.text);
        if (server == servers_.end()) {
            leave_out(
                unknown_node_,
                node.span,
                fmt::format(
                    "pod '{}' runs on node '{}', which the topology lacks", job.name, node.text),
                "a node of the topology");
            return false;
        }
        std::vector<Amount>& used = used_[server->second.index];
        used.resize(job.demand.size(), 0);
        const core::Amounts& capacity = tree_.machine_type(server->second).capacity;
        for (std::size_t r = 0; r < used.size(); ++r) {
            const Amount free = capacity(static_cast<Eigen::Index>(r)) - used[r];
            if (job.demand[r] > free) {
                leave_out(over_committed_,
                          span,
                          fmt::format("pod '{}' does not fit on node '{}' beside those before it: "
                                      "it asks for {} {}, and {} of {} are left",
                                      job.name,
                                      node.text,
                                      tree_.resources().format(r, job.demand[r]),
                                      tree_.resources().name(r),
                                      tree_.resources().format(r, free),
                                      tree_.resources().format(r, free + used[r])),
                          "pods that fit together");
                return false;
            }
        }
        std::ranges::transform(used, job.demand, used.begin(), std::plus());
        job.server = server->second;
        return true;
    }

    void leave_out(LeftOut& reason,
                   const core::SourceSpan& span,
                   const std::string& why,
                   std::string_view instead) {
        if (!lenient_) {
            diagnostics_.error(span,
                               fmt::format("{}: expected {}, or lenient: true", why, instead));
        } else if (reason.count++ == 0) {
            reason.first = span;
            reason.why_first = why;
        }
    }

    void warn_of_those_left_out() {
        for (const LeftOut& reason : {unknown_node_, over_committed_}) {
            if (reason.count > 0) {
                diagnostics_.warning(
                    reason.first,
                    fmt::format("{}: {} pod{} left out",
                                reason.why_first,
                                reason.count,
                                reason.count == 1 ? " like it is" : "s like it are"));
            }
        }
        if (gated_.count > 0) {
            diagnostics_.warning(gated_.first,
                                 fmt::format("{} pending pod{} left out, which no scheduler looks "
                                             "at before their schedulingGates are removed",
                                             gated_.count,
                                             gated_.count == 1 ? " is" : "s are"));
        }
    }

    const PodTypes& types_;
    PodLabels& labels_;
    const core::Topology& tree_;
    Diagnostics& diagnostics_;
    workloads::TracePods shares_;
    QuotaReader quotas_;
    std::optional<sim::SimTime> lifetime_;
    bool pending_ = false;
    bool lenient_ = false;
    std::unordered_map<std::string_view, core::ServerId> servers_;  ///< None: no real cluster.
    std::vector<std::vector<Amount>> used_;                         ///< By server.
    LeftOut unknown_node_;
    LeftOut over_committed_;
    LeftOut gated_;
    std::vector<sim::Job> jobs_;
};

/// The members under some keys.
Value picked(const Value* map, std::initializer_list<std::string_view> keys) {
    Value out;
    if (map == nullptr) {
        return out;
    }
    out.kind = map->kind;
    out.text = map->text;
    out.span = map->span;
    for (const core::Member& member : map->members) {
        if (std::ranges::find(keys, member.key) != keys.end()) {
            out.members.push_back(member);
        }
    }
    return out;
}

void trim_containers(Value* list) {
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
        list->items[i] = picked(&list->items[i], {"restartPolicy", "resources"});
        if (Value* resources = list->items[i].find("resources")) {
            *resources = picked(resources, {"requests", "limits"});
        }
    }
}

Value trimmed_pod(const Value& pod) {
    Value out = picked(&pod, {"kind", "metadata", "spec", "status"});
    if (Value* metadata = out.find("metadata")) {
        *metadata =
            picked(metadata, {"name", "namespace", "labels", "annotations", "ownerReferences"});
        if (Value* annotations = metadata->find("annotations")) {
            std::erase_if(annotations->members, [](const core::Member& annotation) {
                return !annotation.key.starts_with(gpu_share);
            });
        }
        std::erase_if(metadata->members, [](const core::Member& member) {
            return member.key == "annotations" && member.value.members.empty();
        });
        if (Value* labels = metadata->find("labels")) {
            std::erase_if(labels->members, [](const core::Member& label) {
                return !label.key.starts_with(quota_domain);
            });
        }
    }
    if (Value* spec = out.find("spec")) {
        *spec = picked(spec,
                       {"nodeName",
                        "priority",
                        "containers",
                        "initContainers",
                        "resources",
                        "overhead",
                        "nodeSelector",
                        "affinity",
                        "tolerations",
                        "schedulingGates",
                        "resourceClaims",
                        "topologySpreadConstraints"});
        trim_containers(spec->find("containers"));
        trim_containers(spec->find("initContainers"));
    }
    if (Value* status = out.find("status")) {
        *status = picked(status, {"phase"});
    }
    return out;
}

}  // namespace

JobList read_running(const Value& value,
                     const PodTypes& types,
                     PodLabels& labels,
                     const core::Topology& tree,
                     Diagnostics& diagnostics) {
    return RunningReader(types, labels, tree, diagnostics).read(value);
}

void add_running_resources(const Value* sources, core::ResourceSchema& schema) {
    Diagnostics later;  // what is wrong with a request is said when the pod is read
    for (std::size_t i = 0; sources != nullptr && i < sources->items.size(); ++i) {
        const Value* document = value_below(sources->items[i], {"running", "document"});
        for (const Value* pod :
             document != nullptr ? living_pods(*document) : std::vector<const Value*>()) {
            for (const auto& [resource, quantity] : pod_requests(*pod, later)) {
                schema.add(resource);
            }
            if (shared_gpus(*pod, later)) {
                schema.add(core::device_resource::nvidia_gpu);
            }
        }
    }
}

bool any_runs_on_shares(const Value* sources) {
    Diagnostics later;
    return sources != nullptr && std::ranges::any_of(sources->items, [&](const Value& source) {
               const Value* document = value_below(source, {"running", "document"});
               return document != nullptr &&
                      std::ranges::any_of(living_pods(*document), [&](const Value* pod) {
                          const auto gpus = shared_gpus(*pod, later);
                          return gpus && gpus->milli < core::gpu_whole_milli;
                      });
           });
}

Value trimmed_pods(const Value& document) {
    if (text_below(document, {"kind"}) == "Pod") {
        return trimmed_pod(document);
    }
    Value out = picked(&document, {"kind"});
    Value list;
    list.kind = Value::Kind::list;
    list.span = document.span;
    for (const Value* pod : living_pods(document)) {
        list.items.push_back(trimmed_pod(*pod));
    }
    out.members.push_back({"items", document.span, std::move(list)});
    return out;
}

}  // namespace berth::experiments
