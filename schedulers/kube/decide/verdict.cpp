#include "schedulers/kube/decide/verdict.hpp"

namespace berth::core::kube {

std::string_view to_string(Code code) {
    switch (code) {
        case Code::success:
            return "Success";
        case Code::unschedulable:
            return "Unschedulable";
        case Code::unresolvable:
            return "UnschedulableAndUnresolvable";
        case Code::error:
            break;
    }
    return "Error";
}

}  // namespace berth::core::kube
