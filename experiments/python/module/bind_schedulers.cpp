#include <pybind11/stl.h>

#include <memory>

#include "experiments/python/module/arrays.hpp"
#include "experiments/python/module/bind.hpp"
#include "experiments/python/module/class_docs.hpp"
#include "experiments/python/module/placed_pod.hpp"
#include "experiments/python/module/profile_view.hpp"
#include "experiments/python/module/public_class.hpp"
#include "experiments/python/module/python_policy.hpp"

namespace berth::python {

namespace py = pybind11;

namespace {

/// The GPUs that a pod asks for where GPUs are shared: how many, how many thousandths of each, and
/// which models it accepts; None: it asks for none.
py::object gpus_of(const sim::Job& job) {
    if (job.gpus == nullptr) {
        return py::none();
    }
    return py::make_tuple(job.gpus->count, job.gpus->milli, job.gpus->models);
}

void bind_hooks(py::module_& module) {
    const auto of_job = [](auto member) {
        return [member](const PlacedPod& pod) { return pod.job().*member; };
    };
    PublicClass<PlacedPod>(module, "Pod", pod_doc)
        .value("name", of_job(&sim::Job::name))
        .value("user", of_job(&sim::Job::user))
        .value("quota", of_job(&sim::Job::quota))
        .value("type", of_job(&sim::Job::type))
        .value("priority", of_job(&sim::Job::priority))
        .value("demand", &PlacedPod::demand)
        .value("gpus", [](const PlacedPod& pod) { return gpus_of(pod.job()); });
    PublicClass<ProfileView>(module, "ProfileView", profile_view_doc)
        .value("now", &ProfileView::now)
        .value("free", &ProfileView::free)
        .value("capacity", &ProfileView::capacity)
        .value("gpu_free", &ProfileView::gpu_free)
        .value("gpu_models", &ProfileView::gpu_models)
        .value("servers", &ProfileView::servers)
        .value("resources", &ProfileView::resources)
        .value("per_unit", &ProfileView::per_unit)
        .value("replication", &ProfileView::replication)
        .value("seed", &ProfileView::seed);
}

}  // namespace

void bind_schedulers(py::module_& module) {
    py::options options;
    options.disable_function_signatures();  // they are C++'s, and help() shows them
    refuse_making_of_base();
    py::class_<LentRows, std::shared_ptr<LentRows>>(module, "LentRows", py::buffer_protocol())
        .def_buffer([](const LentRows& rows) {
            return py::buffer_info(rows.numbers,
                                   rows.size,
                                   rows.format,
                                   2,
                                   {rows.rows, rows.columns},
                                   {rows.columns * rows.size, rows.size},
                                   true);
        });
    PublicClass<SchedulerJob>(module, "Job", job_doc)
        .value("name", &SchedulerJob::name)
        .value("user", &SchedulerJob::user)
        .value("quota", &SchedulerJob::quota)
        .value("type", &SchedulerJob::type)
        .value("priority", &SchedulerJob::priority)
        .value("group", &SchedulerJob::is_group)
        .value("size", &SchedulerJob::size)
        .value("min_available", &SchedulerJob::min_available)
        .value("submit", &SchedulerJob::submit)
        .value("estimate", &SchedulerJob::estimate)
        .value("demand", &SchedulerJob::demand)
        .value("start", &SchedulerJob::start)
        .value("placement", &SchedulerJob::placement)
        .value("ended", &SchedulerJob::has_ended)
        .repr([](const SchedulerJob& job) { return "<berth.Job " + job.name() + ">"; });
    PublicClass<Server>(module, "Server", server_doc)
        .value("index", &Server::index)
        .value("name", &Server::name)
        .value("path", &Server::path)
        .value("up", &Server::up)
        .repr([](const Server& server) { return "<berth.Server " + server.name() + ">"; });
    PublicClass<View>(module, "View", view_doc)
        .value("now", &View::now)
        .value("waiting", &View::waiting)
        .value("running", &View::running)
        .value("servers", &View::servers)
        .value("free", &View::free)
        .value("capacity", &View::capacity)
        .value("resources", &View::resources)
        .value("per_unit", &View::per_unit)
        .value("replication", &View::replication)
        .value("seed", &View::seed);
    bind_hooks(module);
    PublicClass<Act>(module, "Act", act_doc)
        .verb("start", &Act::start, "job", "placement")
        .verb("evict", &Act::evict, "job")
        .verb("resize", &Act::resize, "job", "placement")
        .verb("reject", &Act::reject, "job", "reason")
        .verb("wake", &Act::wake, "at");
}

}  // namespace berth::python
