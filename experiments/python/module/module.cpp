#include "experiments/python/module/bind.hpp"
#include "experiments/python/module/others_run.hpp"
#include "experiments/version.hpp"

PYBIND11_MODULE(_berth, module) {
    module.attr("version") = berth::experiments::version;
    berth::python::wait_at_the_end(module);
    berth::python::bind_errors(module);
    berth::python::bind_tables(module);
    berth::python::bind_runs(module);
    berth::python::bind_requests(module);
    berth::python::bind_answers(module);
    berth::python::bind_sweeps(module);
    berth::python::bind_plans(module);
    berth::python::bind_schedulers(module);
    berth::python::bind_environments(module);
}
