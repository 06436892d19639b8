#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/support/source.hpp"
#include "experiments/program/calibrate/calibration.hpp"
#include "experiments/program/compare/compare_json.hpp"
#include "experiments/program/compare/compare_page.hpp"
#include "experiments/program/compare/compare_runs.hpp"
#include "experiments/program/compare/compare_text.hpp"
#include "experiments/program/compare/run_argument.hpp"
#include "experiments/program/forecast/ask.hpp"
#include "experiments/program/plot/plot.hpp"
#include "experiments/program/plot/sweep_plot.hpp"
#include "experiments/program/report/report.hpp"
#include "experiments/program/results/headline.hpp"
#include "experiments/program/results/paired_difference.hpp"
#include "experiments/program/results/sweep_directory.hpp"
#include "experiments/program/run/make_scheduler.hpp"
#include "experiments/program/run/warnings.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/why/ask.hpp"
#include "experiments/program/why/text.hpp"
#include "experiments/python/module/bind.hpp"
#include "experiments/python/module/interruptible.hpp"
#include "experiments/python/module/loaded_experiment.hpp"
#include "experiments/python/module/others_run.hpp"

namespace berth::python {

namespace py = pybind11;
namespace fs = std::filesystem;

namespace {

std::string text_of(const nlohmann::ordered_json& json) {
    // Names come from files, which need not be written in UTF-8.
    return experiments::dumped(json);
}

struct Compared {
    std::string json;
    std::string csv;
    std::string text;
};

Compared compare(const std::vector<std::pair<std::string, fs::path>>& runs,
                 const std::vector<std::string>& metrics,
                 bool all) {
    const OthersRun others_run;
    std::vector<experiments::RunArgument> arguments;
    for (const auto& [label, directory] : runs) {
        arguments.push_back({label, directory});
    }
    experiments::CompareOptions options;
    options.metrics = metrics;
    const experiments::Comparison comparison = experiments::compare_runs(arguments, options);
    experiments::check_comparable(comparison);
    return {text_of(experiments::comparison_json(comparison)),
            experiments::comparison_csv(comparison),
            experiments::comparison_text(comparison, all || !metrics.empty())};
}

/// The answer as JSON and as text; nothing if the work was interrupted.
std::optional<std::pair<std::string, std::string>> why(const fs::path& directory,
                                                       const std::string& pod,
                                                       std::optional<std::uint32_t> replication) {
    sim::RunControl control;
    std::optional<std::pair<std::string, std::string>> out;
    run_interruptibly(control, nullptr, [&] {
        const auto answer = experiments::ask_why(
            directory, experiments::read_asked_run(directory), pod, replication, control);
        if (answer) {
            out.emplace(text_of(experiments::why_json(*answer)),
                        experiments::story_text(answer->spec, answer->story));
        }
    });
    return out;
}

/// An answer as JSON, as text and as a page, and its warnings.
using Shown = std::tuple<std::string, std::string, std::string, std::vector<std::string>>;

/// A time as in documents.
std::optional<sim::SimTime> time_of(const std::optional<std::string>& text, const char* name) {
    const auto time = text ? sim::parse_duration(*text) : std::nullopt;
    if (text && !time) {
        throw core::InputError(
            fmt::format("{}: error: '{}': expected a time, such as 5d", name, *text));
    }
    return time;
}

/// A trace of this format, or of the one that its beginning looks like.
experiments::TraceOrigin origin_of(const std::string& file,
                                   const std::optional<std::string>& format) {
    experiments::TraceOrigin origin;
    origin.file = file;
    if (format) {
        origin.format = *format;
        return origin;
    }
    const workloads::FileGuess guess = experiments::guess_file(file);
    const auto* trace = std::get_if<workloads::TraceGuess>(&guess);
    if (trace == nullptr) {
        throw core::InputError(fmt::format(
            "{}: error: no trace by its beginning: expected format, such as sacct", file));
    }
    origin.format = trace->format;
    return origin;
}

unsigned threads_of(std::optional<unsigned> threads) {
    return std::max(1U, threads.value_or(std::thread::hardware_concurrency()));
}

/// Nothing if the work was interrupted.
std::optional<Shown> forecast(const std::string& state,
                              const std::optional<std::string>& nodes,
                              bool lenient,
                              const std::optional<std::string>& at,
                              const std::optional<std::string>& job,
                              const std::optional<std::string>& history,
                              const std::optional<std::string>& format,
                              std::size_t check,
                              std::uint32_t replications,
                              std::uint64_t seed,
                              const std::string& horizon,
                              std::optional<unsigned> threads) {
    experiments::ForecastQuestion question{.state = {state, nodes, lenient},
                                           .at = time_of(at, "at"),
                                           .job = job,
                                           .history = std::nullopt,
                                           .check = check,
                                           .settings = {}};
    if (history) {
        question.history = origin_of(*history, format);
        question.history->options.lenient = lenient;
    } else if (format) {
        throw core::InputError("format: error: it is of a history: expected history, too");
    }
    question.settings.replications = replications;
    question.settings.seed = seed;
    question.settings.horizon = *time_of(horizon, "horizon");
    question.settings.threads = threads_of(threads);
    sim::RunControl control;
    std::optional<Shown> out;
    run_interruptibly(control, nullptr, [&] {
        const auto answer = experiments::ask_forecast(question, control);
        if (!control.stop) {
            out.emplace(text_of(experiments::forecast_json(answer)),
                        experiments::forecast_text(answer),
                        experiments::forecast_page(answer),
                        answer.warnings);
        }
    });
    return out;
}

/// Nothing if the work was interrupted.
std::optional<Shown> calibrate(const Experiment& experiment,
                               std::size_t explained,
                               std::optional<unsigned> threads) {
    sim::RunControl control;
    std::optional<Shown> out;
    run_interruptibly(control, nullptr, [&] {
        const experiments::ExperimentSpec& spec = experiment.spec;
        experiments::check_scheduler(spec);
        std::vector<std::string> warnings = experiment.warnings;
        for (const std::string& warning : experiments::experiment_warnings(spec)) {
            warnings.push_back(fmt::format("{}: warning: {}", spec.name, warning));
        }
        const auto found =
            experiments::calibrate(spec.name, spec, explained, threads_of(threads), control);
        if (!control.stop) {
            out.emplace(text_of(experiments::calibration_json(spec, found)),
                        experiments::calibration_text(spec, found),
                        experiments::calibration_page(spec, found),
                        std::move(warnings));
        }
    });
    return out;
}

void plot_run(const fs::path& directory, const std::string& figure, const fs::path& out) {
    const OthersRun others_run;
    report::write_plot({directory}, figure, out);
}

void plot_sweep(const fs::path& directory,
                const std::string& figure,
                const std::optional<std::string>& metric,
                const std::optional<std::string>& x,
                const std::optional<std::string>& by,
                const std::optional<std::string>& panel,
                const std::vector<std::string>& where,
                const fs::path& out) {
    const OthersRun others_run;
    report::write_sweep_plot(directory, figure, {metric, x, by, panel, where}, out);
}

std::string report_page(const std::vector<fs::path>& directories) {
    const OthersRun others_run;
    std::ostringstream page;
    report::write_report(directories, page);
    return page.str();
}

/// The numbers at the top of a run's page: for each, its label, its value with the interval, and
/// its meaning.
py::list headline(const fs::path& directory) {
    py::list numbers;
    for (const report::HeadlineNumber& number : report::headline(report::read_metrics(directory))) {
        numbers.append(py::make_tuple(number.label, report::with_interval(number), number.meaning));
    }
    return numbers;
}

}  // namespace

void bind_answers(py::module_& module) {
    module.def("compare",
               [](const std::vector<std::pair<std::string, fs::path>>& runs,
                  const std::vector<std::string>& metrics,
                  bool all) {
                   Compared compared = compare(runs, metrics, all);
                   return py::make_tuple(compared.json, compared.csv, compared.text);
               });
    module.def("paired_difference", [](const std::vector<std::pair<double, double>>& pairs) {
        std::vector<report::ValuePair> values;
        for (const auto& [baseline, other] : pairs) {
            values.push_back({baseline, other});
        }
        const report::PairedDifference found = report::paired_difference(values);
        return py::make_tuple(
            found.n, found.baseline_mean, found.other_mean, found.mean, found.ci95, found.p);
    });
    module.def("find_run", [](const std::string& argument) {
        experiments::RunArgument run = experiments::find_run(argument);
        return std::make_pair(std::move(run.label), std::move(run.directory));
    });
    module.def("why", &why);
    module.def("forecast", &forecast);
    module.def("calibrate", &calibrate);
    module.def("plot_run", &plot_run);
    module.def("plot_sweep", &plot_sweep);
    module.def("report", &report_page);
    module.def("headline", &headline);
    module.def("is_sweep_directory", &report::is_sweep_directory);
}

}  // namespace berth::python
