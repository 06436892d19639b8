#include <pybind11/stl.h>

#include "experiments/python/module/bind.hpp"
#include "experiments/python/module/python_policy.hpp"

namespace berth::python {

namespace py = pybind11;

void bind_schedulers(py::module_& module) {
    py::class_<SchedulerJob, std::shared_ptr<SchedulerJob>>(module, "Job")
        .def_property_readonly("name", &SchedulerJob::name)
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
    py::class_<Server, std::shared_ptr<Server>>(module, "Server")
        .def_property_readonly("index", &Server::index)
        .def_property_readonly("name", &Server::name)
        .def_property_readonly("path", &Server::path)
        .def_property_readonly("up", &Server::up)
        .def("__repr__",
             [](const Server& server) { return "<berth.Server " + server.name() + ">"; });
    py::class_<View, std::shared_ptr<View>>(module, "View")
        .def_property_readonly("now", &View::now)
        .def_property_readonly("waiting", &View::waiting)
        .def_property_readonly("running", &View::running)
        .def_property_readonly("servers", &View::servers)
        .def_property_readonly("free", &View::free)
        .def_property_readonly("capacity", &View::capacity)
        .def_property_readonly("resources", &View::resources)
        .def_property_readonly("per_unit", &View::per_unit)
        .def_property_readonly("replication", &View::replication)
        .def_property_readonly("seed", &View::seed);
    py::class_<Act, std::shared_ptr<Act>>(module, "Act")
        .def("start", &Act::start, py::arg("job"), py::arg("placement"))
        .def("evict", &Act::evict, py::arg("job"))
        .def("resize", &Act::resize, py::arg("job"), py::arg("placement"))
        .def("reject", &Act::reject, py::arg("job"), py::arg("reason"))
        .def("wake", &Act::wake, py::arg("at"));
}

}  // namespace berth::python
