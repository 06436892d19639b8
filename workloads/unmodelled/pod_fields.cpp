#include "workloads/unmodelled/pod_fields.hpp"

#include <array>
#include <string_view>

namespace berth::workloads {
namespace {

constexpr std::uint8_t running = 1;
constexpr std::uint8_t kubernetes = 2;
constexpr std::uint8_t admitted = 4;
constexpr std::uint8_t traces = kubernetes | admitted;
constexpr std::uint8_t all = running | traces;

constexpr std::string_view alone =
    "a trace starts each job when there is room for it, whatever group it is of; running: {file: "
    "FILE, pending: true} starts the pods of a group together";
constexpr std::string_view by_namespace =
    "a trace's jobs have their namespace as quota, and may be preempted, whatever these labels say";

/// All gates but those by which schedulers keep out what they have not admitted.
constexpr std::string_view gates = "!"
#define BERTH_POD_FIELD(path, remedy, readers)
#define BERTH_ADMISSION_GATE(name) name "|"
#include "schedulers/trace/pod_fields.def"
#undef BERTH_ADMISSION_GATE
#undef BERTH_POD_FIELD
    ;

constexpr auto fields = std::to_array<UnmodelledField>({
    // Groups.
    {"metadata.labels[scheduling.x-k8s.io/pod-group]", "", "", alone, traces},
    {"metadata.labels[pod-group.scheduling.sigs.k8s.io/name]", "", "", alone, traces},
    {"metadata.labels[pod-group.scheduling.sigs.k8s.io/min-available]", "", "", alone, traces},
    {"metadata.annotations[pod-group.scheduling.sigs.k8s.io/match-policy]"},
    {"metadata.annotations[scheduling.k8s.io/group-name]", "", "", alone, traces},
    {"metadata.annotations[gang.scheduling.koordinator.sh/name]", "", "", alone, traces},
    {"metadata.annotations[gang.scheduling.koordinator.sh/min-available]", "", "", alone, traces},
    {"metadata.annotations[gang.scheduling.koordinator.sh/total-number]"},
    {"metadata.annotations[gang.scheduling.koordinator.sh/mode]"},
    {"metadata.annotations[gang.scheduling.koordinator.sh/groups]"},
    {"metadata.annotations[gang.scheduling.koordinator.sh/match-policy]"},
    {"metadata.annotations[gang.scheduling.koordinator.sh/waiting-time]"},
    {"metadata.annotations[gang.scheduling.koordinator.sh/timeout]"},
    {"spec.schedulingGroup", "", "", alone, traces},

    // Quotas and queues.
    {"metadata.labels[quota.scheduling.koordinator.sh/*]",
     "!",
     "labels of quota.scheduling.koordinator.sh",
     by_namespace,
     kubernetes},
#define BERTH_POD_FIELD(path, remedy, readers) {path, "", "", remedy, readers},
#define BERTH_ADMISSION_GATE(name)
#include "schedulers/trace/pod_fields.def"
#undef BERTH_ADMISSION_GATE
#undef BERTH_POD_FIELD
    {"metadata.labels[volcano.sh/queue-name]"},
    {"metadata.labels[kai.scheduler/queue]"},

    // Koordinator.
    {"metadata.labels[koordinator.sh/priority]"},
    {"metadata.labels[koordinator.sh/priority-class]"},
    {"metadata.labels[koordinator.sh/qosClass]"},
    {"metadata.labels[scheduling.koordinator.sh/preemption-policy]", "!PreemptLowerPriority"},
    {"metadata.labels[scheduling.koordinator.sh/disable-preemptible]"},
    {"metadata.labels[scheduling.koordinator.sh/reservation-ignored]"},
    {"metadata.annotations[gpu-fraction]"},
    {"metadata.annotations[gpu-memory]"},
    {"metadata.annotations[scheduling.koordinator.sh/numa-topology-spec]"},
    {"metadata.annotations[scheduling.koordinator.sh/resource-spec]"},
    {"metadata.annotations[scheduling.koordinator.sh/exact-match-reservation]"},
    {"metadata.annotations[scheduling.koordinator.sh/reservation-affinity]"},
    {"metadata.annotations[scheduling.koordinator.sh/device-allocate-hint]"},
    {"metadata.annotations[scheduling.koordinator.sh/device-joint-allocate]"},
    {"metadata.annotations[scheduling.koordinator.sh/gpu-partition-spec]"},
    {"metadata.annotations[scheduling.koordinator.sh/device-allocated]"},

    // Ownership and lifetime.
    {"metadata.deletionTimestamp", "", "", "", running},
    {"metadata.ownerReferences[].kind",
     "=DaemonSet",
     "a DaemonSet as owner",
     "a trace places each of these where there is room, and not one on each node",
     kubernetes},
    {"spec.evictionResponders"},
    {"spec.preemptionPolicy", "=Never"},
    {"spec.schedulerName", "!default-scheduler"},
    {"spec.schedulingGates[].name",
     gates,
     "schedulingGates",
     "a trace has each job arrive when it was created, whatever holds it back",
     traces},
    {"spec.terminationGracePeriodSeconds", "!30|0"},

    // Where the pod may run.
    {"spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution",
     "",
     "preferred nodeAffinity"},
    {"spec.containers[].ports[].hostPort"},
    {"spec.initContainers[].ports[].hostPort"},
    {"spec.tolerations[].operator", "=Gt|Lt", "tolerations by Gt or Lt"},
    {"spec.volumes[].persistentVolumeClaim"},
    {"spec.volumes[].ephemeral", "", "an ephemeral volume"},
    {"spec.volumes[].csi", "", "a csi volume"},
    {"spec.volumes[].awsElasticBlockStore"},
    {"spec.volumes[].gcePersistentDisk"},
    {"spec.volumes[].azureDisk"},
    {"spec.volumes[].cinder", "", "a cinder volume"},
    {"spec.volumes[].iscsi", "", "an iscsi volume"},
    {"spec.volumes[].rbd", "", "an rbd volume"},

    // Status.
    {"status.nodeAllocatableResourceClaimStatuses", "", "", "", running | kubernetes},
    {"status.nominatedNodeName", "", "", "", running | kubernetes},
});

static_assert(all == (static_cast<std::uint8_t>(PodReader::running) |
                      static_cast<std::uint8_t>(PodReader::kubernetes) |
                      static_cast<std::uint8_t>(PodReader::admitted)));

}  // namespace

const FieldTable& pod_fields(PodReader reader) {
    static const FieldTable of_running(fields, running);
    static const FieldTable of_kubernetes(fields, kubernetes);
    static const FieldTable of_admitted(fields, admitted);
    switch (reader) {
        case PodReader::running:
            return of_running;
        case PodReader::kubernetes:
            return of_kubernetes;
        case PodReader::admitted:
            break;
    }
    return of_admitted;
}

}  // namespace berth::workloads
