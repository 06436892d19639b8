#include "experiments/python/module/scheduler_job.hpp"

#include <pybind11/stl.h>

#include "sim/clock/time.hpp"
#include "sim/job/members.hpp"

namespace berth::python {

namespace py = pybind11;

namespace {

/// Members that run now, by server, in the order in which they started.
std::vector<std::pair<std::uint32_t, core::Members>> running_on(const sim::JobRecord& record) {
    std::vector<std::pair<std::uint32_t, core::Members>> out;
    for (const sim::Stint& stint : record.stints) {
        if (!stint.finish) {
            out.emplace_back(stint.server.index, stint.members);
        }
    }
    return out;
}

}  // namespace

SchedulerJob::SchedulerJob(const sim::OutsideActions& see, sim::JobId id)
    : see_(see),
      id_(id),
      name_(see.job(id).job().name),
      user_(see.job(id).job().user),
      quota_(see.job(id).job().quota),
      type_(see.job(id).job().type),
      priority_(see.job(id).job().priority),
      group_(see.job(id).job().group),
      submit_(sim::seconds(see.job(id).job().submit)),
      min_available_(see.job(id).job().min_available),
      size_(see.job(id).job().size),
      amounts_(see.job(id).job().demand) {
    if (const auto& estimate = see.job(id).job().estimate) {
        estimate_ = sim::seconds(*estimate);
    }
}

core::Members SchedulerJob::size() const {
    return ended_ ? size_ : see_.job(id_).job().size;
}

std::optional<double> SchedulerJob::start() const {
    if (ended_ || !see_.job(id_).runs()) {
        return std::nullopt;
    }
    return sim::seconds(*see_.job(id_).record.start);
}

std::vector<std::pair<std::uint32_t, core::Members>> SchedulerJob::placement() const {
    if (ended_) {
        return {};
    }
    return running_on(see_.job(id_).record);
}

py::object SchedulerJob::demand() {
    if (!demand_) {
        const py::module_ numpy = py::module_::import("numpy");
        demand_ = numpy.attr("array")(amounts_, py::arg("dtype") = "int64");
        demand_.attr("setflags")(py::arg("write") = false);
    }
    return demand_;
}

}  // namespace berth::python
