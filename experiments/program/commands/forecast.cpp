#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/output.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/commands/trace_argument.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/forecast/ask.hpp"
#include "experiments/program/forecast/picture.hpp"
#include "experiments/program/plot/draw.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/progress.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;

[[noreturn]] void refuse(const std::string& what) {
    throw core::InputError("berth forecast: error: " + what);
}

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
        refuse(fmt::format("--run-times {}: expected learned, pooled or limits", from));
    }
    return settings;
}

/// Errors: core::InputError if the file is no trace.
std::optional<TraceOrigin> history_of(const po::variables_map& values) {
    const auto file = text_of(values, "history");
    if (!file) {
        for (const char* option : {"from", "columns"}) {
            if (values.count(option) > 0) {
                throw core::InputError(fmt::format(
                    "berth forecast: error: --{} without --history, which it is about", option));
            }
        }
        return std::nullopt;
    }
    auto origin = trace_argument("forecast", *file, values);
    if (!origin) {
        throw core::InputError(fmt::format(
            "{}: error: no trace: expected the jobs of the past, as sacct or kubectl print them",
            *file));
    }
    return origin;
}

std::string content_of(const std::string& ending,
                       const ForecastAnswer& answer,
                       const std::string& json) {
    return ending == ".html"  ? forecast_page(answer)
           : ending == ".svg" ? report::drawn_svg(starts_drawing(answer).data)
                              : json;
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
    add("history", text("FILE"), "for a state: a trace of the jobs of the past");
    add("nodes", text("FILE"), "for a list of Slurm's jobs: what scontrol show node -o prints");
    add("check", text("N"), "forecast N past moments, and show how well that predicted");
    add("replications", text("N"), "how often the future is drawn (default 100)");
    add("seed", text("N"), "the seed of what is drawn (default 1)");
    add("horizon", text("TIME"), "how far to look ahead (default 30d)");
    add("run-times", text("SOURCE"), "learned (default), pooled or limits");
    add("independent", "jobs of one user do not resemble each other");
    add("no-arrivals", "no further jobs come");
    add("output,o",
        text("FILE"),
        "write a page (.html), a picture of the starts (.svg), or the answer (.json)");
    add("threads,j", text("N"), "how many threads (default: one for each core)");
    add("json", "for programs: docs/reference/forecast.md");
    add_trace_options(options);
    const auto values = parse_arguments("forecast", arguments, options, "STATE", 1);
    if (!values) {
        return exit_done;
    }
    const std::string state = needed_arguments(*values, "forecast", "STATE")[0];
    const std::filesystem::path output = text_of(*values, "output").value_or("");
    if (values->count("output") > 0) {
        check_output(output, {{".html", "a page"}, {".svg", "a picture"}, {".json", "the answer"}});
    }
    if (output.extension() == ".svg" && values->count("check") > 0 && values->count("at") == 0) {
        refuse(
            "a picture shows when jobs start, and --check alone looks at past moments: expected "
            "--at TIME, or a page");
    }
    const ForecastQuestion question{
        .state = {state, text_of(*values, "nodes"), values->count("lenient") > 0},
        .at = time_of(*values, "at"),
        .job = text_of(*values, "job"),
        .history = history_of(*values),
        .check = static_cast<std::size_t>(number_of(*values, "check", 0, 1, 100'000)),
        .settings = settings_of(*values)};
    sim::RunControl& control = interruptible_control();
    TerminalProgress terminal;
    std::optional<Progress> progress(std::in_place, &terminal, [&] {
        return HowFar{fmt::format("{}: looking ahead", state), 0, 0};
    });
    const ForecastAnswer answer = ask_forecast(question, control);
    progress.reset();
    if (control.stop) {
        std::cerr << fmt::format("{}: interrupted: no answer\n", state);
        return exit_interrupted;
    }
    for (const std::string& warning : answer.warnings) {
        std::cerr << warning << "\n";
    }
    const std::string json = dumped(forecast_json(answer), 2) + "\n";
    if (!output.empty()) {
        write_file(output, content_of(output.extension().string(), answer, json));
    }
    std::cout << (values->count("json") > 0 ? json : forecast_text(answer));
    return exit_done;
}

}  // namespace berth::experiments
