#include "experiments/python/module/scheduler_job.hpp"

#include <pybind11/stl.h>

#include <utility>

#include "sim/clock/time.hpp"
#include "sim/job/members.hpp"

namespace berth::python {

namespace py = pybind11;

namespace {

/// The members that run now, by server, in the order in which they started.
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

SchedulerJob::SchedulerJob(std::shared_ptr<const SeenJobs> jobs, sim::JobId id)
    : SchedulerJob(jobs->job(id).job(), jobs, id) {}

SchedulerJob::SchedulerJob(const sim::Job& job, std::shared_ptr<const SeenJobs> jobs, sim::JobId id)
    : jobs_(std::move(jobs)),
      id_(id),
      name_(job.name),
      user_(job.user),
      quota_(job.quota),
      type_(job.type),
      priority_(job.priority),
      group_(job.group),
      submit_(sim::seconds(job.submit)),
      min_available_(job.min_available),
      size_(job.size),
      amounts_(job.demand.in_a_vector()) {
    if (job.estimate) {
        estimate_ = sim::seconds(*job.estimate);
    }
}

core::Members SchedulerJob::size() const {
    return ended_ ? size_ : jobs_->job(id_).job().size;
}

std::optional<double> SchedulerJob::start() const {
    if (ended_ || !jobs_->job(id_).runs()) {
        return std::nullopt;
    }
    return sim::seconds(*jobs_->job(id_).record.start);
}

std::vector<std::pair<std::uint32_t, core::Members>> SchedulerJob::placement() const {
    if (ended_) {
        return {};
    }
    return running_on(jobs_->job(id_).record);
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
