#include <pybind11/stl.h>

#include <memory>
#include <string_view>

#include "experiments/python/module/arrays.hpp"
#include "experiments/python/module/bind.hpp"
#include "experiments/python/module/class_docs.hpp"
#include "experiments/python/module/placed_pod.hpp"
#include "experiments/python/module/profile_view.hpp"
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

/// Keeps Python code from creating objects of a class, which would be empty. Runs create them in
/// another way.
void refuse_making(const py::handle& bound) {
    auto* type = reinterpret_cast<PyTypeObject*>(bound.ptr());
    type->tp_new = [](PyTypeObject* asked, PyObject* /*words*/, PyObject* /*named*/) {
        const std::string_view name = asked->tp_name;
        PyErr_Format(PyExc_TypeError,
                     "berth.%s: made by a run alone: expected one that a scheduler is given",
                     name.substr(name.rfind('.') + 1).data());
        return static_cast<PyObject*>(nullptr);
    };
    PyType_Modified(type);
}

void bind_hooks(py::module_& module) {
    const auto of_job = [](auto member) {
        return [member](const PlacedPod& pod) { return pod.job().*member; };
    };
    py::class_<PlacedPod, std::shared_ptr<PlacedPod>> pods(module, "Pod", pod_doc);
    refuse_making(pods);
    pods.def_property_readonly("name", of_job(&sim::Job::name))
        .def_property_readonly("user", of_job(&sim::Job::user))
        .def_property_readonly("quota", of_job(&sim::Job::quota))
        .def_property_readonly("type", of_job(&sim::Job::type))
        .def_property_readonly("priority", of_job(&sim::Job::priority))
        .def_property_readonly("demand", &PlacedPod::demand)
        .def_property_readonly("gpus", [](const PlacedPod& pod) { return gpus_of(pod.job()); });
    py::class_<ProfileView, std::shared_ptr<ProfileView>> profile_views(
        module, "ProfileView", profile_view_doc);
    refuse_making(profile_views);
    profile_views.def_property_readonly("now", &ProfileView::now)
        .def_property_readonly("free", &ProfileView::free)
        .def_property_readonly("capacity", &ProfileView::capacity)
        .def_property_readonly("gpu_free", &ProfileView::gpu_free)
        .def_property_readonly("gpu_models", &ProfileView::gpu_models)
        .def_property_readonly("servers", &ProfileView::servers)
        .def_property_readonly("resources", &ProfileView::resources)
        .def_property_readonly("per_unit", &ProfileView::per_unit)
        .def_property_readonly("replication", &ProfileView::replication)
        .def_property_readonly("seed", &ProfileView::seed);
}

}  // namespace

void bind_schedulers(py::module_& module) {
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
    py::class_<SchedulerJob, std::shared_ptr<SchedulerJob>> jobs(module, "Job", job_doc);
    refuse_making(jobs);
    jobs.def_property_readonly("name", &SchedulerJob::name)
        .def_property_readonly("user", &SchedulerJob::user)
        .def_property_readonly("quota", &SchedulerJob::quota)
        .def_property_readonly("type", &SchedulerJob::type)
        .def_property_readonly("priority", &SchedulerJob::priority)
        .def_property_readonly("group", &SchedulerJob::is_group)
        .def_property_readonly("size", &SchedulerJob::size)
        .def_property_readonly("min_available", &SchedulerJob::min_available)
        .def_property_readonly("submit", &SchedulerJob::submit)
        .def_property_readonly("estimate", &SchedulerJob::estimate)
        .def_property_readonly("demand", &SchedulerJob::demand)
        .def_property_readonly("start", &SchedulerJob::start)
        .def_property_readonly("placement", &SchedulerJob::placement)
        .def_property_readonly("ended", &SchedulerJob::has_ended)
        .def("__repr__", [](const SchedulerJob& job) { return "<berth.Job " + job.name() + ">"; });
    py::class_<Server, std::shared_ptr<Server>> servers(module, "Server", server_doc);
    refuse_making(servers);
    servers.def_property_readonly("index", &Server::index)
        .def_property_readonly("name", &Server::name)
        .def_property_readonly("path", &Server::path)
        .def_property_readonly("up", &Server::up)
        .def("__repr__",
             [](const Server& server) { return "<berth.Server " + server.name() + ">"; });
    py::class_<View, std::shared_ptr<View>> views(module, "View", view_doc);
    refuse_making(views);
    views.def_property_readonly("now", &View::now)
        .def_property_readonly("waiting", &View::waiting)
        .def_property_readonly("running", &View::running)
        .def_property_readonly("servers", &View::servers)
        .def_property_readonly("free", &View::free)
        .def_property_readonly("capacity", &View::capacity)
        .def_property_readonly("resources", &View::resources)
        .def_property_readonly("per_unit", &View::per_unit)
        .def_property_readonly("replication", &View::replication)
        .def_property_readonly("seed", &View::seed);
    bind_hooks(module);
    py::class_<Act, std::shared_ptr<Act>> acts(module, "Act", act_doc);
    refuse_making(acts);
    acts.def("start", &Act::start, py::arg("job"), py::arg("placement"))
        .def("evict", &Act::evict, py::arg("job"))
        .def("resize", &Act::resize, py::arg("job"), py::arg("placement"))
        .def("reject", &Act::reject, py::arg("job"), py::arg("reason"))
        .def("wake", &Act::wake, py::arg("at"));
}

}  // namespace berth::python
