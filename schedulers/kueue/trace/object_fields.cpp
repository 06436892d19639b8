#include "schedulers/kueue/trace/object_fields.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace berth::workloads {
namespace {

constexpr std::uint8_t running = static_cast<std::uint8_t>(PodReader::running);

// Traces that have slices in a topology request are refused.
constexpr auto of_workload = std::to_array<UnmodelledField>({
    {"metadata.annotations[kueue.x-k8s.io/admission-gated-by]"},
    {"metadata.annotations[kueue.x-k8s.io/priority-boost]"},
    {"spec.podSets[].topologyRequest.podSetGroupName", "", "", "", running},
    {"spec.podSets[].topologyRequest.podSetSliceRequiredTopology", "", "", "", running},
    {"spec.podSets[].topologyRequest.podsetSliceRequiredTopologyConstraints", "", "", "", running},
    {"spec.preemptionGates"},
    {"status.admissionChecks"},
    {"status.nominatedClusterNames"},
    {"status.reclaimablePods"},
    {"status.requeueState"},
});

constexpr auto of_job = std::to_array<UnmodelledField>({
    {"metadata.labels[kueue.x-k8s.io/prebuilt-workload-name]"},
    {"metadata.annotations[kueue.x-k8s.io/admission-gated-by]"},
    {"metadata.annotations[kueue.x-k8s.io/job-completions-equal-parallelism]"},
    {"metadata.annotations[kueue.x-k8s.io/priority-boost]"},
    {"spec.scheduling"},
});

constexpr std::string_view managed =
    "in a run, jobs that name a queue are Kueue's, of all kinds and in all namespaces";
constexpr auto of_configuration = std::to_array<UnmodelledField>({
    {"integrations", "", "", managed},
    {"manageJobsWithoutQueueName", "", "", managed},
    {"managedJobsNamespaceSelector", "", "", managed},
});

constexpr auto of_queue = std::to_array<UnmodelledField>({
    {"spec.fairSharing",
     "",
     "",
     "it has no effect, since no Configuration among the objects turns admissionFairSharing on"},
});

}  // namespace

const FieldTable& workload_fields(PodReader reader) {
    static const FieldTable waiting(of_workload, running);
    static const FieldTable traced(of_workload, static_cast<std::uint8_t>(PodReader::admitted));
    return reader == PodReader::running ? waiting : traced;
}

const FieldTable& batch_job_fields() {
    static const FieldTable table(of_job);
    return table;
}

const FieldTable& kueue_configuration_fields() {
    static const FieldTable table(of_configuration);
    return table;
}

const FieldTable& unshared_queue_fields() {
    static const FieldTable table(of_queue);
    return table;
}

}  // namespace berth::workloads
