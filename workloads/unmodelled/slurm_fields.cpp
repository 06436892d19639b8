#include "workloads/unmodelled/slurm_fields.hpp"

#include <array>
#include <string_view>

namespace berth::workloads {
namespace {

/// Reasons for waiting or ending that a run finds by itself or does not need.
constexpr std::string_view other_reasons =
    "!None|Priority|Resources|BeginTime|Dependency|Cleaning|Prolog|NonZeroExitCode|TimeLimit|"
    "OutOfMemory|SystemFailure|NodeDown";
constexpr std::string_view other_qos = "!normal";

constexpr auto of_sacct = std::to_array<UnmodelledField>({
    {"Constraints"},
    {"Licenses"},
    {"McsLabel"},
    {"QOS", other_qos},
    {"QOSRAW", "!1|0"},
    {"QOSREQ", other_qos},
    {"Reason", other_reasons},
    {"Reservation"},
    {"ReservationId"},
    {"Restarts"},
    {"SegmentSize"},
    {"Suspended", "!00:00:00|0"},
});

constexpr auto of_scontrol = std::to_array<UnmodelledField>({
    {"BatchFeatures"},
    {"BurstBuffer"},
    {"ClusterFeatures"},
    {"Contiguous"},
    {"CoreSpec", "!*|0"},
    {"CpusPerTres"},
    {"Deadline", "!Unknown"},
    {"ExcNodeList"},
    {"Features"},
    {"LicensesAlloc"},
    {"Licenses"},
    {"MCS_label"},
    {"MemPerTres"},
    {"MinCPUsNode", "!0|1"},
    {"MinTmpDiskNode"},
    {"Network"},
    {"OverSubscribe", "=NO|USER|MCS|TOPO"},
    {"PreemptEligibleTime", "!Unknown"},
    {"Prefer"},
    {"QOS", other_qos},
    {"Reason", other_reasons},
    {"Reboot"},
    {"ReqNodeList"},
    {"ReqSwitch"},
    {"Reservation"},
    {"Restarts"},
    {"SegmentSize"},
    {"SuspendTime", "!None|Unknown"},
    {"ThreadSpec", "!*|0"},
    {"TimeMin"},
});

constexpr auto in_json = std::to_array<UnmodelledField>({
    {"batch_features"},
    {"burst_buffer"},
    {"cluster_features"},
    {"constraints"},
    {"contiguous"},
    {"core_spec", "!0|65534"},
    {"cores_per_socket"},
    {"cpus_per_tres"},
    {"deadline"},
    {"excluded_nodes"},
    {"features"},
    {"hold"},
    {"licenses"},
    {"licenses_allocated"},
    {"max_cpus"},
    {"max_nodes"},
    {"maximum_switch_wait_time"},
    {"mcs.label", "", "an mcs label"},
    {"mcs_label"},
    {"memory_per_tres"},
    {"minimum_cpus_per_node", "!0|1"},
    {"minimum_tmp_disk_per_node"},
    {"network"},
    {"preemptable_time"},
    {"prefer"},
    {"priority_by_partition"},
    {"pre_sus_time"},
    {"qos", other_qos},
    {"qosreq", other_qos},
    {"reboot"},
    {"requeue", "=false", "requeue: false"},
    {"required_nodes"},
    {"required_switches"},
    {"reservation.name", "", "a reservation"},
    {"restart_cnt"},
    {"resv_name"},
    {"segment_size"},
    {"shared[]", "=none|user|mcs|topo", "nodes that are not shared"},
    {"sockets_per_node"},
    {"state.reason", other_reasons, "a reason to wait"},
    {"state_reason", other_reasons},
    {"suspend_time"},
    {"thread_spec", "!0|32766|65534"},
    {"threads_per_core"},
    {"time.suspended"},
    {"time_minimum"},
    {"tres_per_job"},
    {"tres_per_node"},
    {"tres_per_socket"},
    {"tres_per_task"},
});

}  // namespace

std::span<const UnmodelledField> sacct_fields() {
    return of_sacct;
}

std::span<const UnmodelledField> scontrol_fields() {
    return of_scontrol;
}

const FieldTable& slurm_json_fields() {
    static const FieldTable table(in_json);
    return table;
}

}  // namespace berth::workloads
