#include "experiments/program/forecast/ask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/forecast/asked_state.hpp"
#include "experiments/program/forecast/job_changes.hpp"
#include "experiments/program/forecast/past_of_run.hpp"
#include "experiments/program/forecast/past_of_state.hpp"

namespace berth::experiments {
namespace {

using sim::SimTime;

/// The past of what is asked about, and the moment from which to look ahead.
struct Known {
    std::vector<PastJob> jobs;
    std::vector<PastOutage> outages;
    SimTime now{};
    std::vector<std::string> notes;
};

[[noreturn]] void refuse(const std::string& what) {
    throw core::InputError("berth forecast: error: " + what);
}

/// Errors: core::InputError for parts of a question that do not go together.
void check_question(const ForecastState& asked, const ForecastQuestion& question) {
    if (question.settings.horizon <= SimTime(0)) {
        refuse("--horizon 0: expected a time above 0, such as 30d");
    }
    if (question.check > 0 && question.settings.replications < checked_replications_min) {
        refuse(
            fmt::format("--replications {} with --check: expected at least {}, so that some "
                        "draws lie beyond the intervals of 95 %",
                        question.settings.replications,
                        checked_replications_min));
    }
    if (question.state.lenient && !question.history && !asked.own_history) {
        refuse(
            "--lenient without --history and without a list of a cluster, which it is about: "
            "expected one of them, or lenient: true in the experiment");
    }
    if (asked.directory.empty()) {
        if (question.at) {
            refuse(
                "--at with a state, whose moment is that of its list: expected --at with a run "
                "directory only");
        }
        if (question.check > 0) {
            refuse(
                "--check with a state, whose history does not tell where jobs ran: expected a "
                "run directory, such as that of berth run with the history as trace");
        }
        return;
    }
    if (question.history || question.state.nodes) {
        refuse(fmt::format("--{} with a run, which knows its own past: expected it with a state",
                           question.history ? "history" : "nodes"));
    }
    if (question.job && !question.at) {
        refuse("--job without a moment: expected --at TIME, from which the job waits");
    }
    if (!question.at && question.check == 0) {
        refuse(
            fmt::format("{} is a run: expected --at TIME, the moment from which to look ahead, "
                        "or --check N",
                        asked.directory.string()));
    }
}

Known past_of_asked_run(const ForecastState& asked,
                        const ForecastQuestion& question,
                        sim::RunControl& control) {
    const Past past = past_of_run(asked.spec, 0, control);
    if (control.stop) {
        return {};
    }
    if (past.jobs().empty()) {
        throw core::InputError(
            fmt::format("{}: error: the run has no jobs: expected one with jobs", asked.spec.name));
    }
    return {past.jobs(), past.outages(), question.at.value_or(past.last()), {}};
}

Known past_of_asked_state(const ForecastState& asked, const ForecastQuestion& question) {
    const auto& origin = question.history ? question.history : asked.own_history;
    StateAndPast state =
        past_of_state(asked.spec,
                      origin ? read_history(*origin) : std::vector<workloads::TraceJob>(),
                      asked.proposed.has_value());
    Known known{std::move(state.jobs), {}, state.now, {}};
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
    if (const auto& [name, gap] = state.now_alone; !name.empty()) {
        known.notes.push_back(
            fmt::format("{} alone tells what time it is now, {} after everything else in the "
                        "history: if it lies in the future, all is told from a wrong moment",
                        name,
                        sim::time_text(gap)));
    }
    return known;
}

/// The waiting job that `--job` names, or the proposed one; nothing if none is asked about.
std::optional<std::size_t> job_in_question(const Past& past,
                                           SimTime now,
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
    refuse(
        fmt::format("--job {}: no waiting job of this name, and no file: expected a waiting job "
                    "or a FILE with a job{}",
                    *name,
                    core::suggestion(*name, names)));
}

/// Each change of the job, tried with the same draws.
std::vector<TriedChange> try_changes(const ExperimentSpec& spec,
                                     const Past& past,
                                     const PastScores& scores,
                                     SimTime now,
                                     std::size_t index,
                                     const ForecastSettings& settings,
                                     const sim::RunControl& control) {
    std::vector<TriedChange> tried;
    for (JobChange& change : changes_of(past.jobs()[index].job, past, *spec.topology)) {
        const ChangedJob changed{index, std::move(change.job)};
        const Forecast forecast = forecast_at(spec, past, scores, now, settings, control, &changed);
        if (control.stop) {
            break;
        }
        tried.push_back({std::move(change.what),
                         std::ranges::find(forecast.jobs, index, &JobForecast::job)->starts});
    }
    return tried;
}

/// Forecasts the waiting jobs, and tries changes of the job that is asked about.
void look_ahead(const ForecastState& asked,
                const ForecastQuestion& question,
                const PastScores& scores,
                const sim::RunControl& control,
                ForecastAnswer& answer) {
    const ExperimentSpec& spec = asked.spec;
    const ForecastSettings& settings = question.settings;
    answer.forecast = forecast_at(spec, *answer.past, scores, answer.now, settings, control);
    if (control.stop) {
        return;
    }
    if (answer.forecast->jobs.empty()) {
        throw core::InputError(
            fmt::format("{}: error: no job waits at {}: expected another --at, or --job FILE",
                        spec.name,
                        sim::time_text(answer.now)));
    }
    const auto job =
        asked.proposed ? std::optional<std::string>(asked.proposed->name) : question.job;
    answer.asked = job_in_question(*answer.past, answer.now, job);
    if (answer.asked) {
        answer.tried =
            try_changes(spec, *answer.past, scores, answer.now, *answer.asked, settings, control);
    }
}

}  // namespace

ForecastAnswer ask_forecast(const ForecastQuestion& question, sim::RunControl& control) {
    const bool proposes = question.job && core::exists(*question.job);
    ForecastState asked = read_asked(question.state, proposes ? question.job : std::nullopt);
    check_question(asked, question);
    Known known = asked.directory.empty() ? past_of_asked_state(asked, question)
                                          : past_of_asked_run(asked, question, control);
    if (asked.proposed) {
        PastJob added{*asked.proposed};
        added.job.submit = known.now;
        added.proposed = true;
        known.jobs.push_back(std::move(added));
    }
    ForecastAnswer answer{
        .past = std::make_shared<const Past>(std::move(known.jobs), std::move(known.outages)),
        .name = asked.spec.name,
        .now = known.now,
        .notes = std::move(known.notes),
        .warnings = std::move(asked.warnings)};
    if (control.stop) {
        return answer;
    }
    const PastScores scores = question.settings.method.dependent
                                  ? PastScores(*answer.past, answer.now, question.settings.threads)
                                  : PastScores();
    if (question.at || asked.directory.empty()) {
        look_ahead(asked, question, scores, control, answer);
    }
    if (question.check > 0 && !control.stop) {
        answer.check = check_forecasts(asked.spec,
                                       *answer.past,
                                       scores,
                                       answer.now,
                                       question.check,
                                       question.settings,
                                       control);
    }
    return answer;
}

}  // namespace berth::experiments
