#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/support/source.hpp"
#include "experiments/program/run/replicate.hpp"
#include "experiments/program/support/own_process.hpp"
#include "experiments/python/module/bind.hpp"
#include "experiments/python/module/environment.hpp"
#include "experiments/python/module/loaded_experiment.hpp"
#include "experiments/python/module/others_run.hpp"
#include "experiments/python/module/python_policy.hpp"

namespace berth::python {

namespace py = pybind11;

namespace {

EnvironmentShape shape_of(const Experiment& experiment, std::size_t slots) {
    const core::Ledger ledger = experiments::cluster_of(experiment.spec, 0);
    const core::Topology& tree = *experiment.spec.topology;
    EnvironmentShape shape{slots, tree.server_count(), ledger.resource_count(), {}};
    shape.scale.assign(shape.resources, 1);
    for (std::uint32_t server = 0; server < shape.servers; ++server) {
        const auto capacity = ledger.capacity(tree.node_of(core::ServerId{server}));
        for (std::size_t resource = 0; resource < shape.resources; ++resource) {
            shape.scale[resource] =
                std::max(shape.scale[resource], static_cast<double>(capacity[resource]));
        }
    }
    return shape;
}

/// An array with a row of numbers for each environment.
template <class Number>
class Rows {
public:
    Rows(const py::dict& arrays, const char* name, std::size_t count, std::size_t width)
        : array_(arrays[name].cast<py::buffer>().request(true)), width_(width) {
        if (array_.size != static_cast<py::ssize_t>(count * width) ||
            array_.itemsize != static_cast<py::ssize_t>(sizeof(Number))) {
            throw py::value_error(fmt::format("{}: an array of another size", name));
        }
    }
    [[nodiscard]] Number* operator[](std::size_t row) const {
        return static_cast<Number*>(array_.ptr) + row * width_;
    }

private:
    py::buffer_info array_;  // keeps the array alive
    std::size_t width_;
};

/// What Python sees of an environment's run. The view object stays the same for the whole run.
struct SeenEnvironment {
    std::shared_ptr<SeenRun> run = std::make_shared<SeenRun>();
    std::shared_ptr<View> view;
};

/// Environments of one experiment, each with a seed of its own, which write into the rows of shared
/// arrays. They all act at once, while other threads may run Python.
class Environments {
public:
    Environments(std::size_t count, EnvironmentShape shape, const py::dict& arrays)
        : shape_(std::move(shape)),
          free_(arrays, "free", count, shape_.servers * shape_.resources),
          demand_(arrays, "demand", count, shape_.slots * shape_.resources),
          size_(arrays, "size", count, shape_.slots),
          wait_(arrays, "wait", count, shape_.slots),
          estimate_(arrays, "estimate", count, shape_.slots),
          waiting_(arrays, "waiting", count, 1),
          mask_(arrays, "mask", count, shape_.slots * shape_.servers + 1),
          now_(arrays, "now", count, 1),
          reward_(arrays, "reward", count, 1),
          invalid_(arrays, "invalid", count, 1),
          over_(arrays, "over", count, 1),
          seen_(count) {
        for (std::size_t i = 0; i < count; ++i) {
            all_.push_back(std::make_unique<Environment>(
                shape_,
                QueueArrays{
                    free_[i], demand_[i], size_[i], wait_[i], estimate_[i], waiting_[i], mask_[i]},
                StepNumbers{now_[i], reward_[i], invalid_[i], over_[i]}));
        }
    }

    /// After the runs are gone, a view that Python has kept shows nothing. A forked copy of the
    /// process leaves them as they are: ending them would wait for threads that are not there.
    ~Environments() {
        for (std::size_t i = 0; i < seen_.size(); ++i) {
            hide(i);
            if (!process_.is_here()) {
                (void)all_[i].release();
            }
        }
    }
    Environments(const Environments&) = delete;
    Environments& operator=(const Environments&) = delete;

    /// Errors: core::InputError in a forked copy of the process; so do the functions below.
    void check_process() const {
        if (!process_.is_here()) {
            throw core::InputError(
                "environment: error: it belongs to the process that made it, and this one is a "
                "forked copy: expected an environment that is made in this process");
        }
    }

    /// Begins an environment's next run. The caller calls settle() next.
    void begin(std::size_t number, const Experiment& experiment) {
        check_process();
        const EnvironmentShape shape = shape_of(experiment, shape_.slots);
        if (shape.servers != shape_.servers || shape.resources != shape_.resources) {
            throw core::InputError(fmt::format(
                "experiment: error: it has {} servers and {} resources now: expected {} and {}, as "
                "when the environment was made",
                shape.servers,
                shape.resources,
                shape_.servers,
                shape_.resources));
        }
        hide(number);
        seen_[number] = SeenEnvironment();  // objects kept from one run do not see the next
        all_.at(number)->begin(std::make_shared<const experiments::ExperimentSpec>(experiment.spec),
                               std::make_shared<const core::Value>(experiment.resolved.document));
    }

    /// Carries out an action in each environment; a negative number means none. The caller calls
    /// settle() next.
    void act(const std::vector<std::int64_t>& actions) {
        check_process();
        for (std::size_t i = 0; i < all_.size(); ++i) {
            if (actions.at(i) >= 0) {
                hide(i);
                all_[i]->act(actions[i]);
            }
        }
    }

    /// Waits until all environments can act again.
    void settle() {
        constexpr std::chrono::milliseconds between_looks(50);
        check_process();
        {
            const OthersRun others_run;
            for (const auto& one : all_) {
                while (!one->wait(between_looks)) {
                    const py::gil_scoped_acquire python;
                    UnderWay::check();
                    if (PyErr_CheckSignals() != 0) {
                        throw py::error_already_set();
                    }
                    check_process();  // a signal handler may have forked
                }
            }
        }
        for (std::size_t i = 0; i < all_.size(); ++i) {
            seen_[i].run->show(all_[i]->see());
            for (const sim::JobId id : all_[i]->take_ended()) {
                if (seen_[i].view) {
                    seen_[i].view->forget(id);
                }
            }
        }
    }

    /// In a forked copy of the process, there is nothing to stop.
    void stop(std::size_t number) {
        hide(number);
        if (process_.is_here()) {
            all_.at(number)->stop();
        }
    }

    [[nodiscard]] std::optional<experiments::StoredRun> take_run(std::size_t number) {
        check_process();
        return all_.at(number)->take_run();
    }

    /// The view of an environment's run; nullptr once the run is over.
    [[nodiscard]] std::shared_ptr<View> view(std::size_t number) {
        check_process();
        SeenEnvironment& seen = seen_.at(number);
        if (!seen.run->shown()) {
            return nullptr;
        }
        if (!seen.view) {
            constexpr std::uint32_t the_only_replication = 0;
            seen.view = std::make_shared<View>(
                seen.run, (*seen.run)(), the_only_replication, all_[number]->seed());
        }
        return seen.view;
    }

private:
    /// While the run goes on, a view that Python has kept shows nothing.
    void hide(std::size_t number) { seen_.at(number).run->hide(); }

    experiments::OwnProcess process_;
    EnvironmentShape shape_;
    Rows<float> free_;
    Rows<float> demand_;
    Rows<float> size_;
    Rows<float> wait_;
    Rows<float> estimate_;
    Rows<float> waiting_;
    Rows<std::int8_t> mask_;
    Rows<double> now_;
    Rows<double> reward_;
    Rows<std::int8_t> invalid_;
    Rows<std::int8_t> over_;
    std::vector<SeenEnvironment> seen_;
    std::vector<std::unique_ptr<Environment>> all_;
};

}  // namespace

void bind_environments(py::module_& module) {
    py::class_<EnvironmentShape>(module, "EnvironmentShape")
        .def_readonly("slots", &EnvironmentShape::slots)
        .def_readonly("servers", &EnvironmentShape::servers)
        .def_readonly("resources", &EnvironmentShape::resources);
    module.def("environment_shape", &shape_of);
    py::class_<Environments>(module, "Environments")
        .def(py::init<std::size_t, EnvironmentShape, const py::dict&>())
        .def("check_process", &Environments::check_process)
        .def("begin", &Environments::begin)
        .def("act", &Environments::act)
        .def("settle", &Environments::settle)
        .def("stop", &Environments::stop)
        .def("take_run", &Environments::take_run)
        .def("view", &Environments::view);
}

}  // namespace berth::python
