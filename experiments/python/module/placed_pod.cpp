#include "experiments/python/module/placed_pod.hpp"

#include <pybind11/stl.h>

#include "experiments/python/module/seen_jobs.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

namespace py = pybind11;

const sim::Job& PlacedPod::job() const {
    if (!process_.is_here()) {
        throw sim::SchedulerError(of_another_process);
    }
    if (job_ == nullptr) {
        throw sim::SchedulerError(
            "a pod is used after the call that it was given to: expected it while score() or "
            "select() runs");
    }
    return *job_;
}

py::object PlacedPod::demand() {
    if (!demand_ || last_demand_ != job().demand) {
        last_demand_ = job().demand;
        demand_ = py::module_::import("numpy").attr("array")(last_demand_.in_a_vector(),
                                                             py::arg("dtype") = "int64");
        demand_.attr("setflags")(py::arg("write") = false);
    }
    return demand_;
}

}  // namespace berth::python
