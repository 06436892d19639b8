#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>
#include <variant>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/commands/trace_argument.hpp"
#include "experiments/program/compare/run_argument.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/forecast/answer.hpp"
#include "experiments/program/forecast/check.hpp"
#include "experiments/program/forecast/forecast.hpp"
#include "experiments/program/forecast/job_changes.hpp"
#include "experiments/program/forecast/past_of_run.hpp"
#include "experiments/program/forecast/past_of_state.hpp"
#include "experiments/program/run/make_scheduler.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/parsed_json.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;

std::optional<std::string> text_of(const po::variables_map& values, const char* option) {
    return values.count(option) > 0 ? std::optional(values[option].as<std::string>())
                                    : std::nullopt;
}

std::int64_t number_of(const po::variables_map& values,
                       const std::string& option,
                       std::int64_t otherwise,
                       std::int64_t least,
                       std::int64_t most) {
    const auto text = text_of(values, option.c_str());
    if (!text) {
        return otherwise;
    }
    core::Diagnostics diagnostics;
    const auto number =
        core::read_integer(option_value("--" + option, *text), diagnostics, least, most);
    diagnostics.throw_if_failed();
    return *number;
}

std::optional<sim::SimTime> time_of(const po::variables_map& values, const std::string& option) {
    const auto text = text_of(values, option.c_str());
    if (!text) {
        return std::nullopt;
    }
    core::Diagnostics diagnostics;
    const auto time = read_duration(option_value("--" + option, *text), diagnostics);
    diagnostics.throw_if_failed();
    return time;
}

ForecastSettings settings_of(const po::variables_map& values) {
    ForecastSettings settings;
    // With fewer, no draw is the one that nine of ten starts come after.
    constexpr std::int64_t replications_least = 9;
    constexpr std::int64_t replications_most = 10'000;
    constexpr std::int64_t seed_most = std::int64_t{1} << 53;
    settings.replications = static_cast<std::uint32_t>(
        number_of(values, "replications", 100, replications_least, replications_most));
    settings.seed = static_cast<std::uint64_t>(number_of(values, "seed", 1, 0, seed_most));
    settings.horizon = time_of(values, "horizon").value_or(std::chrono::hours(24 * 30));
    settings.threads = threads_of(values);
    settings.method.dependent = values.count("independent") == 0;
    settings.method.arrivals = values.count("no-arrivals") == 0;
    const std::string from = text_of(values, "run-times").value_or("learned");
    using RunTimes = ForecastMethod::RunTimes;
    if (from == "pooled") {
        settings.method.run_times = RunTimes::pooled;
    } else if (from == "limits") {
        settings.method.run_times = RunTimes::limits;
    } else if (from != "learned") {
        throw core::InputError(fmt::format(
            "berth forecast: error: --run-times {}: expected learned, pooled or limits", from));
    }
    return settings;
}

/// What a forecast is asked about.
struct Asked {
    ExperimentSpec spec;
    std::vector<sim::Job> proposed;   ///< The jobs of `--job FILE`.
    std::filesystem::path directory;  ///< The run directory; empty for a document.
};

bool is_run(const std::string& state) {
    return state.find(':') != std::string::npos || core::kind_of(state) == core::FileKind::folder;
}

core::Value map_of(const std::string& key, core::Value value) {
    core::Value map;
    map.kind = core::Value::Kind::map;
    map.span = value.span;
    map.members.push_back({key, value.span, std::move(value)});
    return map;
}

core::Value list_of(core::Value item) {
    core::Value list;
    list.kind = core::Value::Kind::list;
    list.span = item.span;
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

Asked read_asked(const std::string& state, const std::optional<std::string>& job_file) {
    Asked asked;
    std::filesystem::path file = state;
    if (is_run(state)) {
        asked.directory = find_run(state).directory;
        file = asked.directory / "experiment.yaml";
    }
    core::Value document = resolve_experiment(file, {}).document;
    bool is_object = false;
    if (job_file) {
        core::Value source = read_proposed(*job_file);
        const core::Value* pods = source.find("pods");
        is_object = pods != nullptr && pods->is_list() && pods->items.size() == 1 &&
                    pods->items.front().find("document") != nullptr;
        append_source(std::move(source), document);
    }
    core::Diagnostics diagnostics;
    auto spec = read_experiment(document, diagnostics);
    diagnostics.throw_if_failed();
    asked.spec = *std::move(spec);
    if (job_file) {
        asked.proposed = std::get<JobList>(asked.spec.workload.back().what).jobs;
        asked.spec.workload.pop_back();
        if (is_object && !asked.proposed.empty()) {
            put_together(asked.proposed);
        }
        std::ranges::for_each(asked.proposed, set_limit);
    }
    check_scheduler(asked.spec);
    return asked;
}

/// The past of what is asked about, and the moment from which to look ahead.
struct Known {
    std::vector<PastJob> jobs;
    sim::SimTime now{};
    std::vector<std::string> notes;
};

Known known_of(const Asked& asked, const po::variables_map& values) {
    Known known;
    const auto at = time_of(values, "at");
    if (!asked.directory.empty()) {
        const Past past = past_of_run(asked.spec, 0, interruptible_control());
        known.jobs = past.jobs();
        if (known.jobs.empty()) {
            throw core::InputError(fmt::format(
                "{}: error: the run has no jobs: expected one with jobs", asked.spec.name));
        }
        if (!at && values.count("check") == 0) {
            throw core::InputError(
                fmt::format("berth forecast: error: {} is a run: expected --at TIME, the moment "
                            "from which to look ahead, or --check N",
                            asked.directory.string()));
        }
        known.now = at.value_or(past.last());
        return known;
    }
    if (at) {
        throw core::InputError(
            "berth forecast: error: --at with a document, whose moment is that "
            "of its state: expected --at with a run directory only");
    }
    std::vector<workloads::TraceJob> history;
    if (const auto file = text_of(values, "history")) {
        const auto origin = trace_argument("forecast", *file, values);
        if (!origin) {
            throw core::InputError(fmt::format(
                "{}: error: no trace: expected the jobs of the past, as sacct or kubectl print "
                "them",
                *file));
        }
        history = read_history(*origin);
    }
    StateAndPast state = past_of_state(asked.spec, history, !asked.proposed.empty());
    known.jobs = std::move(state.jobs);
    known.now = state.now;
    if (state.unknown > 0) {
        known.notes.push_back(fmt::format(
            "{} of {} running jobs are not in the history with a start: they count as just "
            "started",
            state.unknown,
            state.running));
    }
    if (state.later > 0) {
        known.notes.push_back(fmt::format("{} jobs that come later are left out", state.later));
    }
    return known;
}

/// The waiting job that `--job` names, or the first proposed one; nothing if none is asked about.
std::optional<std::size_t> job_in_question(const Past& past,
                                           sim::SimTime now,
                                           const std::optional<std::string>& name) {
    if (!name) {
        return std::nullopt;
    }
    std::vector<std::string> names;
    for (std::size_t i = past.jobs().size(); i > 0; --i) {
        const PastJob& job = past.jobs()[i - 1];
        if (job.waits(now) && job.job.name == *name) {
            return i - 1;
        }
        if (job.waits(now)) {
            names.push_back(job.job.name);
        }
    }
    throw core::InputError(fmt::format(
        "berth forecast: error: --job {}: no waiting job of this name, and no file: expected a "
        "waiting job or a FILE with a job{}",
        *name,
        core::suggestion(*name, names)));
}

/// Each change of the job, tried with the same draws.
std::vector<TriedChange> try_changes(const Asked& asked,
                                     const Past& past,
                                     const PastScores& scores,
                                     sim::SimTime now,
                                     std::size_t index,
                                     const ForecastSettings& settings) {
    std::vector<TriedChange> tried;
    for (JobChange& change : changes_of(past.jobs()[index].job, past, *asked.spec.topology)) {
        const JobForecast forecast =
            forecast_changed(asked.spec, past, scores, now, index, change.job, settings);
        tried.push_back({std::move(change.what), forecast.starts});
    }
    return tried;
}

}  // namespace

int run_forecast(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
    add("at", text("TIME"), "for a run directory: the moment from which to look ahead: 5d");
    add("job",
        text("FILE|NAME"),
        "a job that is only proposed, or a waiting one: what would let it start earlier");
    add("history", text("FILE"), "for a document: a trace of the jobs of the past");
    add("check", text("N"), "forecast N past moments, and show how well that predicted");
    add("replications", text("N"), "how often the future is drawn (default 100)");
    add("seed", text("N"), "the seed of what is drawn (default 1)");
    add("horizon", text("TIME"), "how far to look ahead (default 30d)");
    add("run-times", text("SOURCE"), "learned (default), pooled or limits");
    add("independent", "jobs of one user do not resemble each other");
    add("no-arrivals", "no further jobs come");
    add("threads,j", text("N"), "how many threads (default: one for each core)");
    add("json", "for programs: docs/reference/forecast.md");
    add_trace_options(options);
    const auto values = parse_arguments("forecast", arguments, options, "STATE", 1);
    if (!values) {
        return exit_done;
    }
    const std::string state = needed_arguments(*values, "forecast", "STATE")[0];
    const ForecastSettings settings = settings_of(*values);
    auto job = text_of(*values, "job");
    const bool is_file = job && core::exists(*job);
    const Asked asked = read_asked(state, is_file ? job : std::nullopt);
    Known known = known_of(asked, *values);
    for (const sim::Job& proposed : asked.proposed) {
        PastJob added{proposed};
        added.job.submit = known.now;
        added.proposed = true;
        known.jobs.push_back(std::move(added));
    }
    if (is_file && !asked.proposed.empty()) {
        job = asked.proposed.front().name;
    }
    const Past past(std::move(known.jobs));
    const PastScores scores(past, known.now);
    ForecastAnswer answer{.past = past, .now = known.now, .notes = std::move(known.notes)};
    if (values->count("at") > 0 || asked.directory.empty()) {
        answer.forecast = forecast_at(asked.spec, past, scores, known.now, settings);
        if (answer.forecast->jobs.empty()) {
            throw core::InputError(
                fmt::format("{}: error: no job waits at {}: expected another --at, or --job FILE",
                            asked.spec.name,
                            sim::time_text(known.now)));
        }
        if ((answer.asked = job_in_question(past, known.now, job))) {
            answer.tried = try_changes(asked, past, scores, known.now, *answer.asked, settings);
        }
    }
    const auto moments = static_cast<std::size_t>(number_of(*values, "check", 0, 1, 100'000));
    if (moments > 0) {
        answer.check = check_forecasts(asked.spec, past, scores, known.now, moments, settings);
    }
    std::cout << (values->count("json") > 0 ? dumped(forecast_json(answer), 2) + "\n"
                                            : forecast_text(answer));
    return exit_done;
}

}  // namespace berth::experiments
