#include "experiments/program/requests/allocate.hpp"

#include "experiments/program/requests/allocate_devices.hpp"
#include "experiments/program/requests/allocate_groups.hpp"
#include "experiments/program/requests/allocate_translation.hpp"
#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {
namespace {

Json answer(const Json& request) {
    if (request.contains("translation")) {
        return answer_translation_request(request);
    }
    static const Json nothing;
    const Json& node = request.contains("node") ? request.at("node") : nothing;
    if (node.contains("allocatable")) {
        return answer_group_request(request);
    }
    if (node.contains("devices")) {
        return answer_device_request(request);
    }
    throw RequestError(
        "the request is for nothing: expected 'translation', or a 'node' with 'allocatable' or "
        "'devices'");
}

}  // namespace

std::string answer_allocate_request(std::string_view request) {
    return answer_line(request, &answer);
}

}  // namespace berth::experiments
