#include "experiments/program/requests/kueue.hpp"

#include <array>

#include "experiments/program/requests/request_field.hpp"

namespace berth::experiments {
namespace {

Json answer(const Json& request) {
    constexpr std::array answers{&answer_kueue_cycle, &answer_kueue_topology};
    const RequestField kind = RequestField(request)["kind"];
    return answers[kind.choice({"cycle", "topology-assignment"})](request);
}

}  // namespace

std::string answer_kueue_request(std::string_view request) {
    return answer_line(request, &answer);
}

}  // namespace berth::experiments
