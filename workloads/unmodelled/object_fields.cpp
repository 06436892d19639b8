#include "workloads/unmodelled/object_fields.hpp"

#include <array>

namespace berth::workloads {
namespace {

constexpr auto of_quota = std::to_array<UnmodelledField>({
    {"metadata.annotations[quota.scheduling.koordinator.sh/admission]"},
    {"metadata.annotations[quota.scheduling.koordinator.sh/unschedulable-resource]"},
    {"metadata.labels[quota.scheduling.koordinator.sh/profile]"},
});

constexpr auto of_device = std::to_array<UnmodelledField>({
    {"metadata.labels[node.koordinator.sh/secondary-device-well-planned]"},
    {"spec.devices[].conditions[].status",
     "=False",
     "conditions that are False",
     "health alone says whether a device is given out"},
    {"status.allocations",
     "",
     "",
     "all devices are free when a run begins, but for those of the pods of running"},
});

}  // namespace

const FieldTable& elastic_quota_fields() {
    static const FieldTable table(of_quota);
    return table;
}

const FieldTable& device_fields() {
    static const FieldTable table(of_device);
    return table;
}

}  // namespace berth::workloads
