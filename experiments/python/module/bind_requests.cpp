#include <pybind11/stl.h>

#include <string>
#include <string_view>

#include "experiments/program/requests/allocate.hpp"
#include "experiments/program/requests/candidates.hpp"
#include "experiments/program/requests/place.hpp"
#include "experiments/program/requests/quota.hpp"
#include "experiments/python/module/bind.hpp"
#include "experiments/python/module/others_run.hpp"

namespace berth::python {

namespace py = pybind11;

void bind_requests(py::module_& module) {
    const auto bind = [&](const char* name, std::string (*answer)(std::string_view)) {
        module.def(
            name,
            [answer](const std::string& request) { return answer(request); },
            py::call_guard<OthersRun>());
    };
    bind("place", &experiments::answer_place_request);
    bind("allocate", &experiments::answer_allocate_request);
    bind("candidates", &experiments::answer_candidates_request);
    bind("quota", &experiments::answer_quota_request);
}

}  // namespace berth::python
