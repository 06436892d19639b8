#include "schedulers/kai/requests/kai.hpp"

namespace berth::experiments {

Json answer_kai_cycle(const RequestValue& /*request*/) {
    throw RequestError("kind 'cycle' is not there yet: expected shares or rules");
}

}  // namespace berth::experiments
