#include <fmt/format.h>

#include <iostream>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"
#include "experiments/program/commands/batsim_jobs.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/compare/run_argument.hpp"
#include "experiments/program/support/temporary.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

std::int64_t replication_of(const po::variables_map& values) {
    if (values.count("replication") == 0) {
        return 0;
    }
    constexpr std::int64_t most = 1'000'000'000;
    core::Diagnostics diagnostics;
    const core::Value value =
        option_value("--replication", values["replication"].as<std::string>());
    const auto number = core::read_integer(value, diagnostics, 0, most);
    diagnostics.throw_if_failed();
    return number.value_or(0);
}

/// Makes the folder and those above it; returns those that were not there. A run directory has a
/// jobs.csv of its own, which stays.
std::vector<fs::path> make_folder(const fs::path& folder) {
    if (core::exists(folder / "manifest.json") || core::exists(folder / "points.csv")) {
        throw core::InputError(
            fmt::format("{}: error: is a run or a sweep, whose files are its own: expected a "
                        "folder for what is exported",
                        folder.string()));
    }
    try {
        return make_folders(folder);
    } catch (const std::system_error& why) {
        throw core::InputError(
            fmt::format("{}: error: cannot be created ({}): expected a folder that can be written",
                        folder.string(),
                        why.code().message()));
    }
}

}  // namespace

int run_export(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("batsim", "write jobs.csv in the columns of Batsim, which Evalys reads");
    add("output,o", po::value<std::string>()->value_name("DIR"), "the folder to write to");
    add("replication",
        po::value<std::string>()->value_name("N"),
        "which replication's jobs (default 0)");
    const auto values = parse_arguments("export", arguments, options, "RUN", 1);
    if (!values) {
        return exit_done;
    }
    const std::string name = needed_arguments(*values, "export", "RUN")[0];
    if (values->count("batsim") == 0) {
        throw core::InputError("berth export: error: no format is named: expected --batsim");
    }
    if (values->count("output") == 0) {
        throw core::InputError("berth export: error: no folder is named: expected -o DIR");
    }
    const fs::path folder = (*values)["output"].as<std::string>();
    const RunArgument run = find_run(name);
    const BatsimJobs jobs = batsim_jobs(run.directory, replication_of(*values));
    const std::vector<fs::path> made = make_folder(folder);
    try {
        write_file(folder / "jobs.csv", jobs.csv);
    } catch (...) {
        remove_empty(made);
        throw;
    }
    std::cerr << fmt::format(
        "{}: {} job{}{}\n",
        (folder / "jobs.csv").string(),
        jobs.jobs,
        jobs.jobs == 1 ? "" : "s",
        jobs.waiting > 0 ? fmt::format("; {} that still waited are left out", jobs.waiting) : "");
    return exit_done;
}

}  // namespace berth::experiments
