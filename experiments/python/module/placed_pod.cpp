#include "experiments/python/module/placed_pod.hpp"

#include <pybind11/stl.h>

#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

namespace py = pybind11;

const sim::Job& PlacedPod::job() const {
    if (job_ == nullptr) {
        throw sim::SchedulerError(
            "a pod beyond the call that it was given to: expected it while score() or select() "
            "runs");
    }
    return *job_;
}

py::object PlacedPod::demand() {
    if (!demand_ || last_demand_ != job().demand) {
        last_demand_ = job().demand;
        demand_ = py::module_::import("numpy").attr("array")(last_demand_.in_a_vector(),
                                                             py::arg("dtype") = "int64");
    }
    return demand_;
}

}  // namespace berth::python
