#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/support/source.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/sweep/missed_expectations.hpp"
#include "experiments/program/sweep/plan.hpp"
#include "experiments/program/sweep/read_sweep.hpp"
#include "experiments/program/sweep/run_points.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"
#include "experiments/program/sweep/sweep_manifest.hpp"
#include "experiments/python/module/asked_progress.hpp"
#include "experiments/python/module/bind.hpp"
#include "experiments/python/module/interruptible.hpp"
#include "experiments/python/module/others_run.hpp"
#include "experiments/python/module/swept_points.hpp"

namespace berth::python {

namespace py = pybind11;
namespace fs = std::filesystem;

namespace {

using Failures = std::vector<std::pair<std::size_t, std::string>>;

Failures failures_of(const std::vector<experiments::FailedPoint>& failed) {
    Failures out;
    for (const experiments::FailedPoint& point : failed) {
        out.emplace_back(point.point, point.why);
    }
    return out;
}

/// A sweep with its directory, which keeps the finished points.
class Sweep {
public:
    Sweep(experiments::SweepSpec spec, const fs::path& place)
        : spec_(std::move(spec)), directory_(place, spec_) {
        spec_.runs_python = true;
    }
    Sweep(const Sweep&) = delete;
    Sweep& operator=(const Sweep&) = delete;

    void allow_code(bool allowed) { spec_.allow_code = allowed; }

    /// Resolves all points and makes the directory. It is called before all other methods but
    /// allow_code().
    std::vector<std::string> prepare(unsigned threads, const py::object& tell) {
        sim::RunControl control;
        AskedProgress progress;
        const auto work = [&] {
            plan_ = experiments::plan_sweep(
                spec_, points_, experiments_, {}, threads, &progress, control);
            if (!control.stop) {
                directory_.prepare(spec_, points_, plan_.keys);
            }
        };
        run_interruptibly(control, nullptr, work, progress.teller(tell));
        return plan_.warnings;
    }

    /// The points that are not done, those that take the longest first.
    [[nodiscard]] std::vector<std::size_t> missing() const {
        std::vector<std::size_t> points;
        for (std::size_t point = 0; point < points_.size(); ++point) {
            if (!directory_.has_point(plan_.keys[point])) {
                points.push_back(point);
            }
        }
        std::ranges::stable_sort(
            points, std::greater(), [&](std::size_t point) { return plan_.sizes[point]; });
        return points;
    }

    /// Whether a scheduler in Python decides a point, so that run() cannot run it.
    [[nodiscard]] bool is_in_python(std::size_t point) {
        return is_decided_in_python(experiments_.resolved(point));
    }

    /// Runs these points in threads, and returns why points failed.
    Failures run(const std::vector<std::size_t>& points, unsigned threads, const py::object& tell) {
        sim::RunControl control;
        AskedProgress progress;
        experiments::PointRuns runs;
        const auto work = [&] {
            runs = experiments::run_points(
                spec_, plan_, points, experiments_, directory_, threads, {}, &progress, control);
        };
        run_interruptibly(control, nullptr, work, progress.teller(tell));
        return failures_of(runs.failed);
    }

    /// A point's resolved experiment, as YAML.
    [[nodiscard]] std::string experiment(std::size_t point) {
        return experiments::emit_yaml(experiments_.resolved(point));
    }

    /// Stores the files of a point that was run elsewhere.
    void put(std::size_t point, const PointFiles& files) {
        put_point(directory_, plan_.keys.at(point), files);
    }

    /// Writes the results of the finished points, and returns which points miss what is expected.
    Failures collect() {
        const OthersRun others_run;
        directory_.sync_points();
        const experiments::FileLock lock = directory_.lock_files();
        experiments::collect_results(directory_.place());
        return failures_of(experiments::missed_expectations(plan_.keys, directory_));
    }

    [[nodiscard]] const std::string& name() const { return spec_.name; }
    [[nodiscard]] std::size_t size() const { return points_.size(); }
    [[nodiscard]] std::string point_name(std::size_t point) const { return points_.name(point); }

private:
    experiments::SweepSpec spec_;
    experiments::SweepDirectory directory_;
    experiments::SweepPoints points_{spec_};
    experiments::PointExperiments experiments_{spec_, points_};
    experiments::SweepPlan plan_;
};

}  // namespace

void bind_sweeps(py::module_& module) {
    py::class_<Sweep>(module, "Sweep")
        .def_static(
            "of_file",
            [](const fs::path& file, const std::vector<std::string>& set, const fs::path& place) {
                return std::make_unique<Sweep>(experiments::read_sweep(file, overrides_of(set)),
                                               place);
            })
        .def_static("of_text",
                    [](const std::string& text,
                       const std::vector<std::string>& set,
                       const fs::path& place) {
                        const auto source = std::make_shared<const core::SourceText>(
                            core::SourceText{.name = "sweep", .text = text});
                        return std::make_unique<Sweep>(
                            experiments::read_sweep(source, fs::path(), overrides_of(set)), place);
                    })
        .def("allow_code", &Sweep::allow_code)
        .def("prepare", &Sweep::prepare)
        .def("missing", &Sweep::missing)
        .def("is_in_python", &Sweep::is_in_python)
        .def("run", &Sweep::run)
        .def("experiment", &Sweep::experiment)
        .def("put", &Sweep::put)
        .def("collect", &Sweep::collect)
        .def("point_name", &Sweep::point_name)
        .def("__len__", &Sweep::size)
        .def_property_readonly("name", &Sweep::name);
}

}  // namespace berth::python
