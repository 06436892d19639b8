#include "experiments/program/forecast/asked_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "core/support/file_kind.hpp"
#include "core/support/made_value.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/compare/run_argument.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/config/resolve/input_files.hpp"
#include "experiments/program/config/resolve/listed_cluster.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/run/make_scheduler.hpp"
#include "experiments/program/support/documents.hpp"

namespace berth::experiments {
namespace {
core::Value map_of(const std::string& key, core::Value value) {
    core::Value map = core::map_value(value.span);
    core::set_member(map, key, std::move(value));
    return map;
}

core::Value list_of(core::Value item) {
    core::Value list = core::list_value(item.span);
    list.items.push_back(std::move(item));
    return list;
}

/// What a file says of a job, as a source of a workload: `pods`, `groups`, or an object of
/// Kubernetes.
core::Value read_proposed(const std::string& file) {
    std::vector<core::Value> parts = parse_documents(read_source(file));
    if (parts.size() == 1 && parts.front().is_map()) {
        core::Value& part = parts.front();
        if (part.find("pods") != nullptr || part.find("groups") != nullptr) {
            return std::move(part);
        }
        if (part.find("kind") != nullptr) {
            return map_of("pods", list_of(map_of("document", std::move(part))));
        }
    }
    throw core::InputError(
        fmt::format("{}: error: no job: expected a Job of Kubernetes, or pods or groups as in a "
                    "workload; docs/reference/forecast.md",
                    file));
}

/// Appends a source of jobs to the workload of an experiment.
void append_source(core::Value source, core::Value& document) {
    core::Value* spec = document.find("spec");
    core::Value* workload = spec != nullptr ? spec->find("workload") : nullptr;
    if (workload != nullptr && workload->is_list()) {
        workload->items.push_back(std::move(source));
    } else if (workload != nullptr && workload->is_map()) {
        core::Value list = list_of(std::move(*workload));
        list.items.push_back(std::move(source));
        *workload = std::move(list);
    }
}

/// Pods that one object of Kubernetes asks for start together, as its pods do that wait in a state.
void put_together(std::vector<sim::Job>& pods) {
    sim::Job job = pods.front();
    job.size = static_cast<core::Members>(pods.size());
    job.min_available = job.size;
    job.group = job.size > 1;
    if (job.group && job.name.ends_with("-0")) {
        job.name.resize(job.name.size() - 2);
    }
    pods = {std::move(job)};
}

/// What its user says of how long it runs is its limit.
void set_limit(sim::Job& job) {
    job.estimate = job.stated_duration();
    job.duration = {};
}

/// Whether a source is one object of Kubernetes.
bool is_object(const core::Value& source) {
    const core::Value* pods = source.find("pods");
    return pods != nullptr && pods->is_list() && pods->items.size() == 1 &&
           pods->items.front().find("document") != nullptr;
}

/// Takes the proposed job, which is the last source of the workload.
sim::Job take_proposed(ExperimentSpec& spec, const std::string& file, bool from_object) {
    std::vector<sim::Job> jobs = std::move(std::get<JobList>(spec.workload.back().what).jobs);
    spec.workload.pop_back();
    if (from_object && !jobs.empty()) {
        put_together(jobs);
    }
    if (jobs.size() != 1) {
        throw core::InputError(
            fmt::format("{}: error: {} jobs: expected one, and a question for each of several; "
                        "pods that start together are one group",
                        file,
                        jobs.size()));
    }
    set_limit(jobs.front());
    return std::move(jobs.front());
}

/// A state that is only listed, and where the same list tells the past.
core::Value listed(const StateArgument& state, InputFiles& files, ForecastState& asked) {
    asked.own_history.emplace();
    asked.own_history->file = state.state;
    asked.own_history->options.lenient = state.lenient;
    if (state.nodes) {
        asked.own_history->format = "scontrol";
        return experiment_of_slurm(state.state, *state.nodes, state.lenient);
    }
    const SchedulerDocuments* admits = nullptr;
    for (const core::Value& document : *files.documents(state.state)) {
        for (const SchedulerDocuments& scheduler : scheduler_documents()) {
            if (scheduler.read != nullptr && scheduler.holds_objects(document)) {
                admits = &scheduler;
            }
        }
    }
    asked.own_history->format = admits != nullptr ? admits->trace_format : "kubernetes";
    return experiment_of_list(
        state.state,
        admits == nullptr ? "" : fmt::format("{{{}: {}}}", admits->key, quoted_name(state.state)),
        state.lenient);
}

/// Whether this is what `scontrol show job` or `squeue --json` prints.
bool lists_jobs_of_slurm(const std::string& state, InputFiles& files) {
    return files.text(state)->text.starts_with("JobId=") ||
           (files.documents(state)->size() == 1 &&
            files.documents(state)->front().find("jobs") != nullptr);
}

/// The experiment, with the content of its files.
core::Value resolved(const StateArgument& argument, ForecastState& asked) {
    const std::string& state = argument.state;
    if (is_run(state)) {
        asked.directory = find_run(state).directory;
        return resolve_experiment(asked.directory / "experiment.yaml", {}).document;
    }
    InputFiles files;
    const bool is_file = core::is_file(state);
    if (is_file && !argument.nodes && lists_jobs_of_slurm(state, files)) {
        throw core::InputError(
            fmt::format("{}: error: the jobs of Slurm without its nodes: expected --nodes FILE "
                        "with what scontrol show node -o prints",
                        state));
    }
    if (argument.nodes || (is_file && is_list_of_objects(kind_of(*files.documents(state))))) {
        return resolve_document(listed(argument, files, asked), {}, {}, files);
    }
    return resolve_experiment(state, {}).document;
}

}  // namespace

bool is_run(const std::string& state) {
    return state.find(':') != std::string::npos || core::kind_of(state) == core::FileKind::folder;
}

ForecastState read_asked(const StateArgument& state, const std::optional<std::string>& job_file) {
    ForecastState asked;
    core::Value document = resolved(state, asked);
    bool from_object = false;
    if (job_file) {
        core::Value source = read_proposed(*job_file);
        from_object = is_object(source);
        append_source(std::move(source), document);
    }
    core::Diagnostics diagnostics;
    auto spec = read_experiment(document, diagnostics);
    diagnostics.throw_if_failed();
    asked.spec = *std::move(spec);
    // The reader of a list has not written its experiment.
    if (asked.own_history) {
        asked.warnings = diagnostics.warnings();
        std::erase_if(asked.warnings, [](const std::string& warning) {
            return warning.starts_with(written_by_berth);
        });
    }
    if (job_file) {
        asked.proposed = take_proposed(asked.spec, *job_file, from_object);
    }
    check_scheduler(asked.spec);
    return asked;
}

}  // namespace berth::experiments
