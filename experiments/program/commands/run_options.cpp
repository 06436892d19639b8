#include "experiments/program/commands/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <thread>

#include "core/support/made_value.hpp"
#include "core/support/source.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/run/make_scheduler.hpp"
#include "experiments/program/support/interrupts.hpp"

namespace berth::experiments {

namespace po = boost::program_options;

void add_run_options(po::options_description& options) {
    auto add = options.add_options();
    add("threads,j",
        po::value<std::string>()->value_name("N"),
        "threads, for replications and for writing beside them (default: one per CPU)");
    add("seed", po::value<std::string>()->value_name("N"), "instead of spec.seed");
    add("set",
        po::value<std::vector<std::string>>()->composing()->value_name("PATH=VALUE"),
        "change the experiment: spec.workload[0].background.load=0.5");
    add_code_option(options);
}

void add_code_option(po::options_description& options) {
    options.add_options()("allow-code",
                          "run the code that a document names, such as a library of "
                          "scheduler.batsim, with all your rights");
}

bool allows_code(const po::variables_map& values) {
    return values.count("allow-code") > 0;
}

void add_invariants_option(po::options_description& options) {
    options.add_options()("check-invariants",
                          "after each event compute the whole state afresh, and fail where it is "
                          "another; results are the same");
}

void heed_invariants_option(const po::variables_map& values, sim::RunControl& control) {
    control.check_invariants = values.count("check-invariants") > 0;
}

std::string invariants_text(const sim::RunControl& control) {
    return control.check_invariants ? fmt::format("invariants hold after each of {} events",
                                                  control.events_checked.load())
                                    : std::string();
}

core::Value option_value(const std::string& option, const std::string& text) {
    auto source = std::make_shared<core::SourceText>();
    source->name = option;
    return core::text_value(text, {source, 0, 0, 0});
}

std::filesystem::path default_place(const std::filesystem::path& file, const std::string& name) {
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
        throw core::InputError(fmt::format(
            "{}: error: metadata.name '{}' cannot name a folder: expected one without '/', or -o",
            file.string(),
            name));
    }
    return std::filesystem::path("out") / name;
}

unsigned threads_of(const po::variables_map& values) {
    if (values.count("threads") == 0) {
        return std::max(1U, std::thread::hardware_concurrency());
    }
    constexpr std::int64_t threads_max = 4096;
    core::Diagnostics diagnostics;
    const auto threads =
        core::read_integer(option_value("--threads", values["threads"].as<std::string>()),
                           diagnostics,
                           1,
                           threads_max);
    diagnostics.throw_if_failed();
    return static_cast<unsigned>(*threads);
}

std::vector<Override> overrides_of(const po::variables_map& values) {
    std::vector<Override> overrides;
    if (values.count("seed") > 0) {
        core::Value seed = option_value("--seed", values["seed"].as<std::string>());
        const core::SourceSpan span = seed.span;
        overrides.push_back({"spec.seed", std::move(seed), span});
    }
    if (values.count("set") > 0) {
        for (const std::string& option : values["set"].as<std::vector<std::string>>()) {
            overrides.push_back(parse_override(option));
        }
    }
    return overrides;
}

void add_table_options(po::options_description& options) {
    auto add = options.add_options();
    add("tables",
        po::value<std::string>()->value_name("FORM"),
        "store the tables that have a row for each job, pod or sample as csv, or as arrow, such as "
        "jobs.arrow; every command reads both");
    add("compress",
        po::value<std::string>()->value_name("zst"),
        "compress these tables, such as jobs.csv.zst; every command reads them as they are");
}

TableForm tables_of(const po::variables_map& values) {
    const auto given = [&](const char* option, const char* otherwise) {
        return values.count(option) > 0 ? values[option].as<std::string>() : otherwise;
    };
    return table_form(given("tables", "csv"), given("compress", "none"), "--");
}

namespace {

sim::RunControl control;

extern "C" void stop_runs(int /*signal*/) {
    control.stop = true;
}

}  // namespace

LoadedExperiment load_experiment(const std::string& file, const po::variables_map& values) {
    ResolvedExperiment resolved = resolve_experiment(file, overrides_of(values));
    core::Diagnostics diagnostics;
    auto spec = read_experiment(resolved.document, diagnostics);
    diagnostics.throw_if_failed();
    for (const std::string& warning : diagnostics.warnings()) {
        std::cerr << warning << "\n";
    }
    allow_code(*spec, allows_code(values));
    check_code(*spec);
    return {std::move(resolved), std::move(*spec)};
}

sim::RunControl& interruptible_control() {
    at_interrupt(&stop_runs);
    return control;
}

}  // namespace berth::experiments
