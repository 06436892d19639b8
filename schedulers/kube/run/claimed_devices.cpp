#include "schedulers/kube/run/claimed_devices.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace berth::sim {

void tell_devices(const core::kube::Pod& pod,
                  std::string_view job,
                  SimTime now,
                  const core::kube::DeviceClaims& claims,
                  RecordSink& sink) {
    for (const core::kube::PodClaim& claim : pod.claims) {
        const core::kube::HeldClaim* const held = claims.find(pod, claim);
        if (held == nullptr) {
            continue;  // the pod ran beforehand, and its claim is not among the objects
        }
        const std::string name = fmt::format(
            "{}/{}",
            pod.name_space,
            claim.claim.empty() ? fmt::format("{}-{}", pod.name, claim.name) : claim.claim);
        for (const core::kube::HeldDevice& device : held->devices) {
            const auto& [driver, pool, device_name] = device.id;
            const std::array<RowField, 9> row{now,
                                              job,
                                              std::string_view(pod.node_name),
                                              std::string_view(pod.name),
                                              std::string_view(name),
                                              std::string_view(driver),
                                              std::string_view(pool),
                                              std::string_view(device_name),
                                              std::string_view(device.is_admin    ? "admin"
                                                               : device.is_shared ? "shared"
                                                                                  : "exclusive")};
            sink.scheduler_row(0, row);
        }
    }
}

}  // namespace berth::sim
