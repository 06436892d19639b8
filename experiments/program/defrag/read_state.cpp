#include "experiments/program/defrag/read_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"
#include "experiments/program/compare/run_argument.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/config/resolve/input_files.hpp"
#include "experiments/program/config/resolve/listed_cluster.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "sim/defrag/descheduler.hpp"

namespace berth::experiments {
namespace {

using core::Value;
using Path = std::filesystem::path;

/// The experiment as it is written, and the folder of the files that it names.
struct Written {
    Value document;
    Path folder;
};

Written written(const std::string& state, InputFiles& files, bool lenient, bool& is_run) {
    is_run = is_directory(Path(state)) || (!core::exists(state) && state != "-");
    if (!is_run && state != "-" && is_list_of_objects(kind_of(*files.documents(state)))) {
        return {experiment_of_list(state, "", lenient), Path()};
    }
    if (lenient) {
        throw core::InputError(
            "berth defrag: error: --lenient without a list of a cluster, which it is about: "
            "expected one, or lenient: true in the experiment");
    }
    if (is_run) {
        const Path folder = find_run(state).directory;
        const Path file = folder / "experiment.yaml";
        return {document_of_kind(files.text(file), {"Experiment"}), folder};
    }
    return {document_of_kind(files.text(state), {"Experiment"}), Path(state).parent_path()};
}

/// Reads what the lists of running pods say besides, while the experiment still names them.
void add_facts(const Written& experiment,
               InputFiles& files,
               PodFacts& facts,
               core::Diagnostics& diagnostics) {
    const Value* sources = value_below(experiment.document, {"spec", "workload"});
    for (std::size_t i = 0; sources != nullptr && i < sources->items.size(); ++i) {
        const Value* running = value_below(sources->items[i], {"running"});
        const Value* file = running != nullptr ? running->find("file") : nullptr;
        if (file == nullptr || text_below(*running, {"format"}) == "slurm") {
            continue;
        }
        for (const Value& document : *files.documents(experiment.folder / file->text)) {
            add_pod_facts(document, facts, diagnostics);
        }
    }
}

/// A source of a workload that reads the pods which are to fit.
Value source_of(const std::string& job, InputFiles& files) {
    const std::string kind = kind_of(*files.documents(job));
    const std::string file = quoted_name(job);
    const std::string text = kind == "GroupPlacement" ? fmt::format("groups: [{{file: {}}}]", file)
                             : kind == "Pod" || kind == "PodList" || kind == "List"
                                 ? fmt::format("running: {{file: {}, pending: true}}", file)
                                 : fmt::format("pods: [{{file: {}}}]", file);
    return document_of(job, text);
}

std::vector<sim::Job> take_proposed(ExperimentSpec& spec, const std::string& file) {
    std::vector<sim::Job> jobs = std::move(std::get<JobList>(spec.workload.back().what).jobs);
    spec.workload.pop_back();
    if (jobs.empty()) {
        throw core::InputError(
            fmt::format("{}: error: no pod that waits: expected the pods that are to fit", file));
    }
    for (const sim::Job& job : jobs) {
        if (job.servers) {
            throw core::InputError(fmt::format(
                "{}: error: pod '{}' runs already: expected no spec.nodeName", file, job.name));
        }
        if (job.demand != jobs.front().demand || job.selector() != jobs.front().selector()) {
            throw core::InputError(fmt::format(
                "{}: error: '{}' and '{}' ask for different things: expected equal pods, and one "
                "question for each kind of pod",
                file,
                jobs.front().name,
                job.name));
        }
    }
    return jobs;
}

/// Only what a profile asks of nodes is known here.
void check_who_decides(const ExperimentSpec& spec, const std::string& state) {
    const sim::SchedulerSettings* scheduler = spec.settings.scheduler.get();
    if (spec.outside || (scheduler != nullptr &&
                         dynamic_cast<const sim::DeschedulerSettings*>(scheduler) == nullptr)) {
        throw core::InputError(fmt::format(
            "{}: error: berth defrag does not know where this scheduler lets pods run: expected "
            "an experiment with a profile, or the list of Nodes and Pods itself",
            state));
    }
}

}  // namespace

AskedState read_state(const std::string& state,
                      const std::optional<std::string>& job,
                      const std::vector<Override>& overrides,
                      bool lenient) {
    AskedState asked;
    InputFiles files;
    core::Diagnostics diagnostics;
    Written experiment = written(state, files, lenient, asked.is_run);
    add_facts(experiment, files, asked.facts, diagnostics);
    if (job) {
        Value* spec = experiment.document.find("spec");
        Value* sources = spec != nullptr ? spec->find("workload") : nullptr;
        if (sources == nullptr || !sources->is_list()) {
            throw core::InputError(fmt::format(
                "{}: error: the experiment has no list of sources: expected spec.workload: [...]",
                state));
        }
        sources->items.push_back(source_of(*job, files));
    }
    const Value resolved =
        resolve_document(std::move(experiment.document), experiment.folder, overrides, files);
    auto spec = read_experiment(resolved, diagnostics);
    diagnostics.throw_if_failed();
    asked.spec = std::move(*spec);
    check_who_decides(asked.spec, state);
    asked.warnings = diagnostics.warnings();
    if (job) {
        asked.proposed = take_proposed(asked.spec, *job);
    }
    return asked;
}

}  // namespace berth::experiments
