#include <pybind11/functional.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/support/source.hpp"
#include "experiments/program/plan/plan_work.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/sweep/run_points.hpp"
#include "experiments/python/module/asked_progress.hpp"
#include "experiments/python/module/bind.hpp"
#include "experiments/python/module/interruptible.hpp"
#include "experiments/python/module/swept_points.hpp"

namespace berth::python {

namespace py = pybind11;
namespace fs = std::filesystem;

namespace {

/// Does work that may be interrupted, and that shows its progress.
template <class Work>
void do_shown(const py::object& tell, Work work) {
    sim::RunControl control;
    AskedProgress progress;
    run_interruptibly(control, nullptr, [&] { work(progress, control); }, progress.teller(tell));
}

/// A plan with its directory, which keeps the finished points.
class Plan {
public:
    /// Reads the text or, without one, the file.
    Plan(const std::optional<std::string>& text,
         const fs::path& file,
         const experiments::PlanArguments& arguments,
         const fs::path& place,
         bool code_is_allowed,
         unsigned threads,
         const py::object& tell)
        : threads_(threads), tell_(tell) {
        const auto source = text ? std::make_shared<const core::SourceText>(
                                       core::SourceText{.name = "plan", .text = *text})
                                 : experiments::read_source(file);
        do_shown(tell_, [&](experiments::ProgressView& progress, sim::RunControl& control) {
            experiments::PlanSpec plan = experiments::load_plan(
                source, file.parent_path(), arguments, threads_, &progress, control);
            plan.sweep.runs_python = true;
            plan.sweep.allow_code = code_is_allowed;
            work_.emplace(std::move(plan), place, control);
            if (work_->look_at_points(threads_, &progress, control)) {
                work_->make_directory();
            }
        });
    }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    [[nodiscard]] bool is_in_python(std::size_t point) {
        return is_decided_in_python(work_->experiments().resolved(point));
    }

    /// A point's resolved experiment, as YAML.
    [[nodiscard]] std::string experiment(std::size_t point) {
        return experiments::emit_yaml(work_->experiments().resolved(point));
    }

    /// Stores the files of a point that was run elsewhere.
    void put(std::size_t point, const PointFiles& files) {
        put_point(work_->directory(), work_->known().keys.at(point), files);
    }

    /// Runs a point in threads. Returns why it failed; empty if it did not.
    [[nodiscard]] std::string run(std::size_t point) {
        experiments::PointRuns runs;
        do_shown(tell_, [&](experiments::ProgressView& progress, sim::RunControl& control) {
            runs = experiments::run_points(work_->plan().sweep,
                                           work_->known(),
                                           {point},
                                           work_->experiments(),
                                           work_->directory(),
                                           threads_,
                                           {},
                                           &progress,
                                           control);
        });
        return runs.failed.empty() ? "" : runs.failed.front().why;
    }

    /// Searches, and writes the answer. It calls `run_point` for each point that is not done, which
    /// returns why it failed, or the empty text.
    /// Returns: the answer's warnings.
    [[nodiscard]] std::vector<std::string> find_answer(
        const std::function<std::string(std::size_t)>& run_point) {
        return work_
            ->find_answer([&](std::size_t point) {
                experiments::PointRuns runs;
                if (std::string why = run_point(point); !why.empty()) {
                    runs.failed.push_back(
                        {point, std::move(why), experiments::FailedPoint::Again::no});
                }
                return runs;
            })
            .warnings;
    }

private:
    unsigned threads_;
    py::object tell_;
    std::optional<experiments::PlanWork> work_;
};

std::unique_ptr<Plan> make_plan(const std::optional<std::string>& text,
                                const fs::path& file,
                                const std::vector<std::string>& choose,
                                const std::vector<std::string>& require,
                                const std::string& confidence,
                                const std::string& replications,
                                const std::vector<std::string>& set,
                                const fs::path& place,
                                bool code_is_allowed,
                                unsigned threads,
                                const py::object& tell) {
    const experiments::PlanArguments arguments{
        choose, require, confidence, replications, overrides_of(set), false};
    return std::make_unique<Plan>(text, file, arguments, place, code_is_allowed, threads, tell);
}

}  // namespace

void bind_plans(py::module_& module) {
    py::class_<Plan>(module, "Plan")
        .def(py::init(&make_plan))
        .def("is_in_python", &Plan::is_in_python)
        .def("run", &Plan::run)
        .def("experiment", &Plan::experiment)
        .def("put", &Plan::put)
        .def("find_answer", &Plan::find_answer);
}

}  // namespace berth::python
