#include "experiments/program/config/workload/read_running.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/tree/device_names.hpp"
#include "core/tree/gpu_resource.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/document/object_fields.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/config/document/written_by_berth.hpp"
#include "experiments/program/config/quota/read_quota.hpp"
#include "experiments/program/config/workload/job_amounts.hpp"
#include "experiments/program/config/workload/pending_groups.hpp"
#include "experiments/program/config/workload/pod_lifetimes.hpp"
#include "experiments/program/config/workload/pod_nodes.hpp"
#include "experiments/program/config/workload/pod_requests.hpp"
#include "experiments/program/config/workload/pods_in_file.hpp"
#include "experiments/program/config/workload/queued_pods.hpp"
#include "workloads/trace/trace_pods.hpp"
#include "workloads/unmodelled/pod_fields.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::Diagnostics;
using core::Value;

bool is_of_daemon_set(const Value& pod) {
    const Value* owners = value_below(pod, {"metadata", "ownerReferences"});
    return owners != nullptr && std::ranges::any_of(owners->items, [](const Value& owner) {
               return text_below(owner, {"kind"}) == "DaemonSet";
           });
}

/// Whether the tree is a cluster. A document by itself is read with a placeholder server that has
/// nothing.
bool is_real(const core::Topology& tree) {
    return std::ranges::any_of(tree.machine_types(), [](const core::MachineType& type) {
        return (type.capacity > 0).any();
    });
}

std::vector<WaitingPods> waiting_pods(const SchedulerDocuments& scheduler,
                                      const Value& document,
                                      Diagnostics& diagnostics) {
    return scheduler.waiting_pods == nullptr ? std::vector<WaitingPods>()
                                             : scheduler.waiting_pods(document, diagnostics);
}

/// Pods that are left out for one reason.
struct LeftOut {
    std::size_t count = 0;
    core::SourceSpan first;
    std::string why_first;
    std::string_view instead;  ///< It says what to write in its place.
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
          groups_(tree, diagnostics),
          quotas_(AnnotationSyntax::lenient, diagnostics) {}

    JobList read(const Value& value) {
        core::MapReader map(value, "running", diagnostics_);
        const Value* document = map.take("document");
        (void)map.take("file");
        const Value* lifetime = map.take("lifetime");
        pending_ = map.boolean("pending", false);
        lenient_ = map.boolean("lenient", false);
        remedy_ = lenient_remedy(value.span);
        grouped_ = map.choice("groups", {"from-owners", "no"}, 0) == 0;
        map.report_unknown_keys();
        if (document == nullptr) {
            expected(value, "the file of the pods, such as {file: cluster.json}", diagnostics_);
            return {};
        }
        constexpr std::array kinds{"Pod", "PodList", "List"};
        if (std::ranges::find(kinds, text_below(*document, {"kind"})) == kinds.end()) {
            expected(*document, "an object of kind Pod, PodList or List", diagnostics_);
            return {};
        }
        lifetimes_.emplace(lifetime, *document, diagnostics_);
        for (const SchedulerDocuments& scheduler : scheduler_documents()) {
            if (scheduler.queued_pods != nullptr) {
                queued_.push_back(scheduler.queued_pods(*document, labels_, diagnostics_));
            }
        }
        if (is_real(tree_)) {
            servers_ = tree_.servers_by_name();
            used_.assign(tree_.server_count(), {});
        }
        for (const Value* group : objects_of_kind(*document, "PodGroup")) {
            groups_.know(*group);
        }
        std::vector<const Value*> pods = living_pods(*document);
        order_pending_by_age(pods);
        for (const Value* item : pods) {
            read_pod(*item);
        }
        if (pending_) {
            for (const SchedulerDocuments& scheduler : scheduler_documents()) {
                for (const WaitingPods& of : waiting_pods(scheduler, *document, diagnostics_)) {
                    add_pending(of.pod, of.count);
                }
                scheduler.warn_of_waiting(*document, diagnostics_);
            }
        }
        groups_.finish(jobs_);
        lifetimes_->warn();
        for (const auto& queued : queued_) {
            queued->warn();
        }
        warn_of_those_left_out();
        JobList out{std::move(jobs_)};
        for (auto& [index, drawn] : drawn_) {
            out.drawn.emplace(out.jobs[index].name, std::move(drawn));
        }
        return out;
    }

private:
    void read_pod(const Value& item) {
        const Value* node = value_below(item, {"spec", "nodeName"});
        const bool placed = has_node(item);
        if (!placed && !pending_) {
            return;
        }
        if (!placed && value_below(item, {"metadata", "deletionTimestamp"}) != nullptr) {
            deleted_.first = deleted_.count++ == 0 ? item.span : deleted_.first;
            return;
        }
        const Value* gates = value_below(item, {"spec", "schedulingGates"});
        if (gates != nullptr && !gates->items.empty()) {
            if (any_says([&](const auto& queued) { return queued->has_waiting_object(item); })) {
                return;  // the object says the same about all its pods
            }
            if (labels_.admission() == nullptr ||
                !any_says([&](const auto& queued) { return queued->waits_for_quota(item); })) {
                gated_.first = gated_.count++ == 0 ? item.span : gated_.first;
                return;
            }
        }
        if (!placed) {
            add_pending(item, 1);
            return;
        }
        fields_.look_at(item);
        const ReadPod pod = quotas_.read_pod(item);
        PodLifetimes::Lifetime life = lifetimes_->of(item, true);
        sim::Job job = job_of(item, pod, node->text);
        job.duration = life.time;
        if (!servers_.empty() && !place(job, *node, pod.span)) {
            return;
        }
        keep_draw(std::move(life), jobs_.size());
        jobs_.push_back(std::move(job));
        if (grouped_ && pending_) {
            groups_.add_running(item);
        }
    }

    template <class Says>
    bool any_says(const Says& says) const {
        return std::ranges::any_of(queued_, says);
    }

    /// Adds a number of equal pods without a node.
    void add_pending(const Value& item, core::Members count) {
        fields_.look_at(item, static_cast<std::uint64_t>(count));
        const ReadPod pod = quotas_.read_pod(item);
        PodLifetimes::Lifetime life = lifetimes_->of(item, false);
        sim::Job job = job_of(item, pod, "");
        job.duration = life.time;
        if (const Value* spec = value_below(item, {"spec"})) {
            job.estimate = deadline_of(*spec, diagnostics_);
        }
        const std::size_t jobs_before = jobs_.size();
        if (grouped_ || count > 1) {
            groups_.add(item, std::move(job), jobs_, count);
        } else {
            jobs_.push_back(std::move(job));
        }
        if (jobs_.size() > jobs_before) {
            keep_draw(std::move(life), jobs_before);
        }
    }

    void keep_draw(PodLifetimes::Lifetime life, std::size_t job) {
        if (life.drawn) {
            drawn_.emplace(job, std::move(*life.drawn));
        }
    }

    /// The job for a pod. `node`: the node where it runs, or "".
    sim::Job job_of(const Value& item, const ReadPod& pod, const std::string& node) {
        sim::Job job;
        job.name = pod.pod.pod_namespace.empty() ? pod.pod.name
                                                 : pod.pod.pod_namespace + "/" + pod.pod.name;
        job.name_space = pod.pod.pod_namespace;
        job.quota = pod.pod.quota;
        for (const auto& queued : queued_) {
            if (const std::string queue = queued->queue_of(item); !queue.empty()) {
                job.quota = queue;
            }
        }
        job.preemptible = pod.pod.preemptible != "false";
        if (const Value* priority = value_below(item, {"spec", "priority"})) {
            job.priority = static_cast<std::int32_t>(
                read_integer(*priority, diagnostics_, INT32_MIN, INT32_MAX).value_or(0));
        }
        for (const auto& queued : queued_) {
            if (auto asked = node.empty() ? queued->constraints_of(item, tree_) : std::nullopt) {
                job.constraints = std::move(asked);
            }
        }
        labels_.check(pod.span, job);
        if (const Value* spec = value_below(item, {"spec"}); spec != nullptr && labels_.nodes()) {
            job.nodes = labels_.nodes()->of(*spec,
                                            pod.span,
                                            is_of_daemon_set(item) ? node : "",
                                            1,
                                            value_below(item, {"metadata"}));
        }
        // add_running_resources() added what it asks for to the resources.
        types_.ask_for(pod.span,
                       pod_amounts(item, pod.span, tree_.resources(), diagnostics_),
                       job,
                       diagnostics_);
        if (auto gpus = shared_gpus(item, diagnostics_)) {
            ask_for_shares(std::move(*gpus), job);
        }
        check_amounts(job, pod.span, tree_.resources(), diagnostics_);
        return job;
    }

    void ask_for_shares(core::GpuRequest gpus, sim::Job& job) {
        workloads::TraceJob asks;
        asks.gpus = std::move(gpus);
        sim::Job shares = shares_.job_of(asks);
        job.gpus = std::move(shares.gpus);
        job.devices = std::move(shares.devices);
        const std::size_t gpu = *core::gpu_resource(tree_.resources());  // it was added for shares
        job.demand[gpu] = shares.demand[gpu];
    }

    /// Places a pod on its node. Returns whether the pod runs from the start.
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
        job.servers = std::vector{server->second};
        return true;
    }

    void leave_out(LeftOut& reason,
                   const core::SourceSpan& span,
                   const std::string& why,
                   std::string_view instead) {
        if (reason.count++ == 0) {
            reason.first = span;
            reason.why_first = why;
            reason.instead = instead;
        }
    }

    void warn_of_those_left_out() {
        for (const LeftOut& reason : {unknown_node_, over_committed_}) {
            if (reason.count > 0 && !lenient_) {
                diagnostics_.error(
                    reason.first,
                    fmt::format("{}: expected {}, or {}{}",
                                reason.why_first,
                                reason.instead,
                                remedy_,
                                reason.count == 1
                                    ? ""
                                    : fmt::format(" ({} pods are like it)", reason.count)));
            } else if (reason.count > 0) {
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
        if (deleted_.count > 0) {
            diagnostics_.warning(deleted_.first,
                                 fmt::format("{} pending pod{} left out, which {} being deleted",
                                             deleted_.count,
                                             deleted_.count == 1 ? " is" : "s are",
                                             deleted_.count == 1 ? "is" : "are"));
        }
        fields_.warn("pod", diagnostics_);
    }

    const PodTypes& types_;
    PodLabels& labels_;
    const core::Topology& tree_;
    Diagnostics& diagnostics_;
    workloads::TracePods shares_;
    PendingGroups groups_;
    QuotaReader quotas_;
    std::optional<PodLifetimes> lifetimes_;
    std::vector<std::unique_ptr<QueuedPods>> queued_;  ///< One for each scheduler with objects.
    bool pending_ = false;
    bool lenient_ = false;
    std::string_view remedy_;  ///< How to be lenient.
    bool grouped_ = true;
    std::unordered_map<std::string_view, core::ServerId> servers_;  ///< Empty if there is no real
                                                                    ///< cluster.
    std::vector<std::vector<Amount>> used_;                         ///< Amounts in use on each
                                                                    ///< server.
    LeftOut unknown_node_;
    LeftOut over_committed_;
    LeftOut gated_;
    LeftOut deleted_;
    ObjectFields fields_{workloads::pod_fields(workloads::PodReader::running)};
    std::vector<sim::Job> jobs_;
    std::map<std::size_t, DrawnLifetime> drawn_;  ///< Keyed by index of the job.
};

}  // namespace

JobList read_running(const Value& value,
                     const PodTypes& types,
                     PodLabels& labels,
                     const core::Topology& tree,
                     Diagnostics& diagnostics) {
    return RunningReader(types, labels, tree, diagnostics).read(value);
}

void add_running_resources(const Value* sources, core::ResourceSchema& schema) {
    Diagnostics later;  // errors in a request are reported when the pod is read
    const auto add = [&](const Value& pod) {
        for (const auto& [resource, quantity] : pod_requests(pod, later)) {
            schema.add(resource);
        }
        if (shared_gpus(pod, later)) {
            schema.add(core::device_resource::nvidia_gpu);
        }
    };
    for (std::size_t i = 0; sources != nullptr && i < sources->items.size(); ++i) {
        const Value* document = value_below(sources->items[i], {"running", "document"});
        if (document == nullptr) {
            continue;
        }
        for (const Value* pod : living_pods(*document)) {
            add(*pod);
        }
        for (const SchedulerDocuments& scheduler : scheduler_documents()) {
            for (const WaitingPods& pods : waiting_pods(scheduler, *document, later)) {
                add(pods.pod);
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

}  // namespace berth::experiments
