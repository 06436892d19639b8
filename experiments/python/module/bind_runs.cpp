#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/support/parse_number.hpp"
#include "core/support/source.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/config/profile/read_outside.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/results/tables/metric_table.hpp"
#include "experiments/program/run/make_scheduler.hpp"
#include "experiments/program/run/packed_files.hpp"
#include "experiments/program/run/run_directory.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "experiments/program/stored/stored_run.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/python/module/arrow_stream.hpp"
#include "experiments/python/module/asked_progress.hpp"
#include "experiments/python/module/bind.hpp"
#include "experiments/python/module/held_object.hpp"
#include "experiments/python/module/interruptible.hpp"
#include "experiments/python/module/loaded_experiment.hpp"
#include "experiments/python/module/name_scheduler.hpp"
#include "experiments/python/module/others_run.hpp"
#include "experiments/python/module/python_hooks.hpp"
#include "experiments/python/module/python_policy.hpp"
#include "sim/clock/time.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

namespace py = pybind11;
namespace fs = std::filesystem;

namespace {

unsigned thread_count(std::optional<unsigned> threads) {
    return std::max(1U, threads.value_or(std::thread::hardware_concurrency()));
}

std::vector<experiments::Override> overrides_of(const std::vector<std::string>& set) {
    std::vector<experiments::Override> overrides;
    for (const std::string& one : set) {
        overrides.push_back(experiments::parse_override(one));
    }
    return overrides;
}

std::shared_ptr<Experiment> read(core::Value document,
                                 const fs::path& folder,
                                 const std::vector<std::string>& set,
                                 const std::optional<std::string>& scheduler,
                                 bool keep_profile) {
    if (scheduler) {
        name_scheduler(document, *scheduler, keep_profile);
    }
    experiments::InputFiles files;
    experiments::ResolvedExperiment resolved{
        experiments::resolve_document(std::move(document), folder, overrides_of(set), files)};
    core::Diagnostics diagnostics;
    auto spec = experiments::read_experiment(resolved.document, diagnostics);
    diagnostics.throw_if_failed();
    return std::make_shared<Experiment>(
        Experiment{std::move(resolved), std::move(*spec), diagnostics.warnings()});
}

std::shared_ptr<Experiment> read_file(const fs::path& file,
                                      const std::vector<std::string>& set,
                                      const std::optional<std::string>& scheduler,
                                      bool keep_profile) {
    return read(experiments::document_of_kind(experiments::read_source(file), {"Experiment"}),
                file.parent_path(),
                set,
                scheduler,
                keep_profile);
}

std::shared_ptr<Experiment> read_text(const std::string& text,
                                      const std::string& name,
                                      const std::vector<std::string>& set,
                                      const std::optional<std::string>& scheduler,
                                      bool keep_profile) {
    const auto source =
        std::make_shared<const core::SourceText>(core::SourceText{.name = name, .text = text});
    return read(
        experiments::document_of_kind(source, {"Experiment"}), {}, set, scheduler, keep_profile);
}

/// Makes the scheduler of a replication. The caller holds the GIL.
py::object made(const HeldObject& make,
                std::uint32_t replication,
                std::uint64_t seed,
                PythonCalls& calls) {
    return calls.make(replication, [&] { return (*make)(replication, seed); });
}

/// Lets the object that `make(replication, seed)` returns decide the experiment. It has a method
/// `schedule(view, act)`.
void decide_by(experiments::ExperimentSpec& spec, const HeldObject& make, PythonCalls& calls) {
    spec.outside->make = [make, &calls](std::uint32_t replication, std::uint64_t seed) {
        return [make, &calls, replication, seed](
                   const sim::OutsideActions& see) -> std::unique_ptr<sim::OutsidePolicy> {
            const py::gil_scoped_acquire python;
            return std::make_unique<PythonPolicy>(
                made(make, replication, seed, calls), see, replication, seed, calls);
        };
    };
}

/// The same for an object that makes only some decisions, beside the experiment's profile.
void hook_into(experiments::ExperimentSpec& spec, const HeldObject& make, PythonCalls& calls) {
    const bool shared_gpus = spec.settings.profile.inside.gpus.has_value();
    spec.outside->make_hooks = [=, &calls](std::uint32_t replication, std::uint64_t seed) {
        return [=, &calls](const sim::Actions& see) {
            const py::gil_scoped_acquire python;
            return python_hooks(
                made(make, replication, seed, calls), see, shared_gpus, replication, seed, calls);
        };
    };
}

/// The results of a run. `files` is empty if the run was interrupted or wrote into a folder.
struct Finished {
    std::optional<experiments::StoredRun> files;
    std::vector<std::string> warnings;
};

/// The settings of a run, besides its experiment.
struct RunRequest {
    std::optional<fs::path> folder;
    experiments::TableForm tables;  ///< The format of the tables in the folder.
    std::optional<unsigned> threads;
    bool check_invariants = false;
    py::object make_scheduler;  ///< Makes the scheduler; None: berth makes it.
    bool hooks = false;         ///< The scheduler makes single decisions and has no schedule().
    bool orders = false;        ///< The queue's order is one of those decisions.
    py::object tell;  ///< Called with the run's progress; None: the progress is not reported.
};

Finished run(const Experiment& experiment, const RunRequest& request, PythonCalls& calls) {
    sim::RunControl control;
    control.check_invariants = request.check_invariants;
    experiments::ExperimentSpec spec = experiment.spec;
    if (!request.make_scheduler.is_none()) {
        const HeldObject make = hold(request.make_scheduler);
        request.hooks ? hook_into(spec, make, calls) : decide_by(spec, make, calls);
        if (request.orders) {
            spec.settings.profile.queue = spec.settings.profile.queue.without_order();
        }
    }
    experiments::RunOptions options;
    options.threads = thread_count(request.threads);
    options.tables = request.tables;
    AskedProgress progress;
    options.progress = &progress;
    Finished out;
    const auto& folder = request.folder;
    const auto work = [&] {
        experiments::MemoryFiles memory;
        std::optional<experiments::RunDirectory> directory;
        if (folder) {
            directory.emplace(*folder);
        }
        experiments::RunFiles& files =
            folder ? static_cast<experiments::RunFiles&>(*directory) : memory;
        const experiments::RunReport report = experiments::run_experiment(
            spec, experiment.resolved.document, files, options, control);
        if (!report.interrupted) {
            out.files.emplace(folder ? experiments::StoredRun(*folder)
                                     : experiments::StoredRun(memory.take()));
            out.warnings = report.warnings;
        }
    };
    run_interruptibly(control, &calls, work, progress.teller(request.tell));
    return out;
}

py::object object_of(const core::Value& value) {
    switch (value.kind) {
        case core::Value::Kind::null:
            return py::none();
        case core::Value::Kind::scalar:
            break;
        case core::Value::Kind::list: {
            py::list items;
            for (const core::Value& item : value.items) {
                items.append(object_of(item));
            }
            return items;
        }
        case core::Value::Kind::map: {
            py::dict members;
            for (const core::Member& member : value.members) {
                members[py::str(member.key)] = object_of(member.value);
            }
            return members;
        }
    }
    if (const auto whole = core::parse_number<std::int64_t>(value.text)) {
        return py::int_(*whole);
    }
    if (const auto number = core::parse_number<double>(value.text)) {
        return py::float_(*number);
    }
    if (value.text == "true" || value.text == "false") {
        return py::bool_(value.text == "true");
    }
    return py::str(value.text);
}

/// A YAML map as a dict. Numbers, `true` and `false` get the type that they look like.
py::object map_of_yaml(const std::string& yaml) {
    const auto source =
        std::make_shared<const core::SourceText>(core::SourceText{.name = "params", .text = yaml});
    return object_of(experiments::parse_documents(source).at(0));
}

/// The outside scheduler that an experiment names: its kind, file, object, and its params as YAML;
/// None: it names none.
py::object scheduler_of(const Experiment& experiment) {
    const auto& outside = experiment.spec.outside;
    if (!outside) {
        return py::none();
    }
    const bool has_params = outside->params.is_map();
    return py::make_tuple(experiments::outside_kinds()[static_cast<std::size_t>(outside->kind)].key,
                          outside->file,
                          outside->object,
                          has_params ? experiments::emit_yaml(outside->params) : std::string());
}

/// Raises SchedulerError. If a call into Python raised a different exception, that one becomes its
/// cause.
[[noreturn]] void throw_from(const std::string& message, const py::object& cause) {
    const py::object type = py::module_::import("berth._errors").attr("SchedulerError");
    const py::object error = type(message);
    if (!cause.is_none() && !py::isinstance(cause, type)) {
        error.attr("__cause__") = cause;
    }
    PyErr_SetObject(type.ptr(), error.ptr());
    throw py::error_already_set();
}

void bind_stored_run(py::module_& module) {
    py::class_<experiments::StoredRun>(module, "StoredRun")
        .def(py::init<fs::path>())
        .def(py::init([](const std::map<std::string, py::bytes>& texts) {
            experiments::Texts shared;
            for (const auto& [name, text] : texts) {
                shared[name] = std::make_shared<const std::string>(text);
            }
            return experiments::StoredRun(std::move(shared));
        }))
        .def_property_readonly("folder",
                               [](const experiments::StoredRun& run) -> std::optional<fs::path> {
                                   return run.folder().empty() ? std::nullopt
                                                               : std::optional(run.folder());
                               })
        .def("names", &experiments::StoredRun::names)
        .def("text",
             [](const experiments::StoredRun& run, const std::string& name) {
                 return py::bytes(*run.text(name));
             })
        .def(
            "table",
            [](const experiments::StoredRun& run,
               const std::string& name,
               std::optional<unsigned> threads) {
                const OthersRun others_run;
                return std::const_pointer_cast<report::TableColumns>(
                    run.table(name, thread_count(threads)));
            },
            py::arg("name"),
            py::arg("threads") = py::none())
        .def("write", &experiments::StoredRun::write, py::call_guard<OthersRun>());
}

}  // namespace

void bind_runs(py::module_& module) {
    bind_stored_run(module);
    module.def("yaml_map", &map_of_yaml);
    py::class_<Experiment, std::shared_ptr<Experiment>>(module, "Experiment")
        .def_property_readonly("name", [](const Experiment& given) { return given.spec.name; })
        .def_readonly("warnings", &Experiment::warnings)
        .def_property_readonly("scheduler", &scheduler_of)
        .def_property_readonly("seed", [](const Experiment& given) { return given.spec.seed; })
        .def_property_readonly("finds_warm_up",
                               [](const Experiment& given) { return given.spec.find_warm_up; })
        .def("allow_code",
             [](Experiment& given, bool allowed) {
                 experiments::allow_code(given.spec, allowed);
                 experiments::check_code(given.spec, true);
             })
        .def_static("of_file", &read_file)
        .def_static("of_text", &read_text);
    module.def("run",
               [](const Experiment& experiment,
                  const std::optional<fs::path>& folder,
                  const std::string& tables,
                  const std::string& compress,
                  std::optional<unsigned> threads,
                  bool check_invariants,
                  py::object make_scheduler,
                  bool hooks,
                  bool orders,
                  std::optional<double> timeout,
                  py::object tell) {
                   const RunRequest request{folder,
                                            experiments::table_form(tables, compress, ""),
                                            threads,
                                            check_invariants,
                                            std::move(make_scheduler),
                                            hooks,
                                            orders,
                                            std::move(tell)};
                   PythonCalls calls(timeout);
                   try {
                       Finished done = run(experiment, request, calls);
                       return py::make_tuple(std::move(done.files), std::move(done.warnings));
                   } catch (const sim::SchedulerError& error) {
                       throw_from(error.what(), calls.first_error());
                   }
               });
}

}  // namespace berth::python
