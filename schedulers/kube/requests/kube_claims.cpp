#include "schedulers/kube/requests/kube_claims.hpp"

#include <array>
#include <string>
#include <utility>

#include "schedulers/kube/documents/devices_of_run.hpp"
#include "schedulers/kube/documents/kube_objects.hpp"

namespace berth::experiments {

namespace kube = core::kube;

std::shared_ptr<const kube::DeviceInventory> read_inventory(const RequestField& request) {
    constexpr std::array<std::pair<const char*, const char*>, 4> lists{
        {{"classes", "DeviceClass"},
         {"slices", "ResourceSlice"},
         {"resourceClaims", "ResourceClaim"},
         {"resourceClaimTemplates", "ResourceClaimTemplate"}}};
    core::Diagnostics warnings;  // answers have no place for them
    DevicesReader reader(warnings);
    for (const auto& [key, kind] : lists) {
        for (const RequestField& object : request[key].items()) {
            reader.read(kind, object["metadata"]["namespace"].text_or("default"), object);
        }
    }
    return reader.finish({});
}

kube::Pod read_claiming_pod(const RequestField& field, bool has_devices) {
    kube::Pod pod = read_kube_pod(field);
    const RequestField claims = field["spec"]["resourceClaims"];
    if (!claims.items().empty() && !has_devices) {
        claims.fail("a pod without claims, or classes, slices and resourceClaims in the request");
    }
    if (!claims.items().empty() && pod.name_space.empty()) {
        pod.name_space = "default";  // as an API server fills it in
    }
    for (const RequestField& claim : claims.items()) {
        pod.claims.push_back({claim["name"].text(),
                              claim["resourceClaimName"].text_or(""),
                              claim["resourceClaimTemplateName"].text_or("")});
    }
    return pod;
}

Json devices_of(const kube::Pod& pod, const kube::DeviceClaims& claims) {
    Json answer = Json::object();
    for (const kube::PodClaim& claim : pod.claims) {
        const kube::HeldClaim* const held = claims.find(pod, claim);
        Json& devices = answer[claim.name] = Json::array();
        for (const kube::HeldDevice& device :
             held != nullptr ? held->devices : std::vector<kube::HeldDevice>()) {
            const auto& [driver, pool, name] = device.id;
            devices.push_back({{"driver", driver}, {"pool", pool}, {"device", name}});
        }
    }
    return answer;
}

}  // namespace berth::experiments
