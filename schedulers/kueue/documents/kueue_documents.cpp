#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <variant>

#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "schedulers/kueue/documents/kueue_pods.hpp"
#include "schedulers/kueue/documents/kueue_schema.hpp"
#include "schedulers/kueue/documents/read_kueue.hpp"
#include "schedulers/kueue/run/kueue_settings.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;

/// Beside Kueue, a group may shrink: pods that are done give their quota back. It may not grow,
/// because Kueue gives a running workload quota for more pods only by elastic workload slices,
/// which a run does not model.
void check_resizes_beside_kueue(const sim::Job& job,
                                const sim::KueueSettings& kueue,
                                const core::SourceSpan& span,
                                Diagnostics& diagnostics) {
    core::Members size = job.size;
    for (const sim::Resize& resize : job.resizes) {
        if (resize.size > size) {
            diagnostics.error(
                span,
                fmt::format("{} cannot grow with kueue, since elastic slices of workloads are not "
                            "modelled: expected groups that shrink alone",
                            job.name));
            return;
        }
        size = resize.size;
    }
    if (!job.resizes.empty() && !kueue.topologies.empty()) {
        diagnostics.error(
            span,
            fmt::format(
                "{} cannot change its size with flavors that have a topology, since pods keep the "
                "places that they were given: expected groups that keep their size",
                job.name));
    }
}

/// Kueue counts whole GPUs, and growing slices are not modelled.
void refuse_what_kueue_does_not_have(const ExperimentSpec& spec,
                                     const core::SourceSpan& span,
                                     Diagnostics& diagnostics) {
    const sim::KueueSettings& kueue = *sim::KueueSettings::of(spec.settings);
    if (spec.settings.profile.inside.gpus) {
        diagnostics.error(span,
                          "shared GPUs cannot be used with kueue: Kueue counts whole GPUs only: "
                          "expected pods that ask for whole GPUs");
    }
    if (!kueue.topologies.empty() && spec.settings.scheduler != nullptr) {
        diagnostics.error(span,
                          "flavors with a topology give pods their places, which cannot be used "
                          "with a scheduler that places pods itself: expected flavors without "
                          "topologyName, or a profile");
    }
    if (!kueue.topologies.empty() && !spec.settings.drains.empty()) {
        diagnostics.error(span,
                          "drains cannot be used with flavors that have a topology, since Kueue "
                          "ignores drains when it places pods: expected one of them");
    }
    for (const WorkloadSource& source : spec.workload) {
        const auto* file = std::get_if<TraceFile>(&source.what);
        if (file != nullptr && file->trace.scan.shares) {
            diagnostics.error(
                span,
                fmt::format("{} asks for shares of GPUs, which cannot be used with kueue: Kueue "
                            "counts whole GPUs only: expected whole GPUs",
                            source.name));
        }
        const auto* list = std::get_if<JobList>(&source.what);
        for (std::size_t i = 0; list != nullptr && i < list->jobs.size(); ++i) {
            check_resizes_beside_kueue(list->jobs[i], kueue, span, diagnostics);
        }
    }
}

}  // namespace

extern constinit const SchedulerDocuments kueue_documents;
constinit const SchedulerDocuments kueue_documents{
    .key = "kueue",
    .group = "kueue.x-k8s.io/",
    .trace_format = "kueue",
    .example = "{kueue: FILE}, with the file of Kueue's objects",
    .no_object =
        "found no object of Kueue's: expected kind: ClusterQueue, and others of "
        "kueue.x-k8s.io",
    .schema = kueue_schema,
    .holds_objects = &holds_kueue_objects,
    .holds_jobs = &holds_kueue_jobs,
    .leave_out_jobs = &leave_out_jobs,
    .check_objects = &check_kueue_objects,
    .read = &read_kueue,
    .queued_pods = [](const core::Value& document,
                      const PodLabels& labels,
                      Diagnostics& diagnostics) -> std::unique_ptr<QueuedPods> {
        return std::make_unique<KueuePods>(document, labels, diagnostics);
    },
    .waiting_pods = &pods_of_waiting_workloads,
    .warn_of_waiting = &warn_of_waiting_workloads,
    .trimmed_waiting = &trimmed_workloads,
    .tells_queue = &tells_queue_of_kueue,
    .check_experiment = &refuse_what_kueue_does_not_have};

}  // namespace berth::experiments
