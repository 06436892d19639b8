#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <optional>
#include <set>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/parse_number.hpp"
#include "core/support/source.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/results/read_summary.hpp"
#include "experiments/program/slurm/run_on_slurm.hpp"
#include "experiments/program/support/progress.hpp"
#include "experiments/program/sweep/missed_expectations.hpp"
#include "experiments/program/sweep/plan.hpp"
#include "experiments/program/sweep/read_sweep.hpp"
#include "experiments/program/sweep/results_csv.hpp"
#include "experiments/program/sweep/run_points.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"
#include "experiments/program/sweep/sweep_manifest.hpp"
#include "experiments/program/verify/verify_run.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

/// `--shard i/n`: the points whose number has the remainder i when divided by n.
struct Shard {
    std::size_t index = 0;
    std::size_t count = 1;
};

Shard shard_of(const po::variables_map& values) {
    if (values.count("shard") == 0) {
        return {};
    }
    const std::string text = values["shard"].as<std::string>();
    const std::size_t slash = text.find('/');
    const auto number = core::parse_number<std::size_t>;
    const std::string_view whole = text;
    const auto index = slash != std::string::npos ? number(whole.substr(0, slash)) : std::nullopt;
    const auto count = slash != std::string::npos ? number(whole.substr(slash + 1)) : std::nullopt;
    if (!index || !count || *index >= *count) {
        throw core::InputError(fmt::format(
            "--shard: error: found '{}': expected i/n with i from 0 to n - 1, such as 0/4", text));
    }
    return {*index, *count};
}

/// The sweep, and its directory. A sweep directory may be named instead of the sweep that is in it.
struct LoadedSweep {
    LoadedSweep(const fs::path& named, const po::variables_map& values)
        : spec(read_sweep(core::is_folder(named) ? named / "sweep.yaml" : named,
                          overrides_of(values))),
          directory(place_of(named, values), spec) {
        spec.allow_code = allows_code(values);
        constexpr std::uint64_t points_max = 1'000'000;
        const std::uint64_t all = SweepPoints::product(spec);
        if (all > points_max && values.count("yes") == 0) {
            throw core::InputError(
                fmt::format("{}: error: a sweep of {} points: expected at most {}, or --yes",
                            named.string(),
                            all,
                            points_max));
        }
    }

    SweepSpec spec;
    SweepDirectory directory;

private:
    fs::path place_of(const fs::path& named, const po::variables_map& values) const {
        if (values.count("output") > 0) {
            return values["output"].as<std::string>();
        }
        if (core::is_folder(named)) {
            return named;
        }
        return default_place(named, spec.name);
    }
};

void print_points(const LoadedSweep& sweep, const SweepPoints& points, const SweepPlan& plan) {
    std::size_t done = 0;
    for (std::size_t point = 0; point < points.size(); ++point) {
        done += sweep.directory.has_point(plan.keys[point]) ? 1 : 0;
    }
    std::cout << fmt::format("{}: {} points, {} done, in {}\n",
                             sweep.spec.name,
                             points.size(),
                             done,
                             sweep.directory.place().string());
    for (std::size_t point = 0; point < points.size(); ++point) {
        std::cout << fmt::format("{:>7}  {}  {:<7}  {}\n",
                                 point,
                                 plan.keys[point],
                                 sweep.directory.has_point(plan.keys[point]) ? "done" : "missing",
                                 points.name(point));
    }
}

/// The build of berth that computed a point; nothing if the point's manifest does not tell, as
/// after a power failure.
std::optional<std::string> program_of(const fs::path& point) {
    try {
        return read_manifest(point).program;
    } catch (const core::InputError&) {
        return std::nullopt;
    }
}

/// Tells if another build of berth computed the existing points: results that depend on the sources
/// then have other keys.
void say_other_program(const LoadedSweep& sweep, const SweepPlan& plan) {
    const fs::path& place = sweep.directory.place();
    if (!is_sweep_directory(place)) {
        return;
    }
    const std::set<std::string> keys(plan.keys.begin(), plan.keys.end());
    for (const TablePoint& point : read_points_table(place).points) {
        if (keys.contains(point.directory.filename())) {
            continue;
        }
        const auto made_by = program_of(point.directory);
        if (made_by && *made_by != this_program()) {
            std::cerr << fmt::format(
                "{}: points in {} were computed by berth {}, and this is berth {}: they are "
                "computed again\n",
                sweep.spec.name,
                place.string(),
                *made_by,
                this_program());
            return;
        }
    }
}

/// Such as `351 MB`.
std::string bytes_text(double bytes) {
    constexpr double thousand = 1000;
    constexpr std::array units{"kB", "MB", "GB", "TB", "PB"};
    std::size_t unit = 0;
    for (bytes /= thousand; bytes >= thousand && unit + 1 < units.size(); bytes /= thousand) {
        ++unit;
    }
    return fmt::format("{:.3g} {}", bytes, units[unit]);
}

void print_points_with(std::string_view what,
                       const std::vector<FailedPoint>& which,
                       const SweepPoints& points) {
    constexpr std::size_t shown_max = 10;
    for (std::size_t i = 0; i < std::min(shown_max, which.size()); ++i) {
        std::cerr << fmt::format(
            "point {} ({}): {}\n", which[i].point, points.name(which[i].point), which[i].why);
    }
    if (which.size() > shown_max) {
        std::cerr << fmt::format("and {} more points {}\n", which.size() - shown_max, what);
    }
}

/// Prints the warnings of the existing points about their means, one line for each kind of warning.
void print_warnings(const LoadedSweep& sweep, const SweepPoints& points, const SweepPlan& plan) {
    std::vector<fs::path> folders;
    std::vector<std::string> names;
    for (std::size_t point = 0; point < plan.keys.size(); ++point) {
        if (sweep.directory.has_point(plan.keys[point])) {
            folders.push_back(sweep.directory.point(plan.keys[point]));
            names.push_back(points.name(point));
        }
    }
    for (const std::string& warning : report::sweep_warnings(folders, names)) {
        std::cerr << fmt::format("{}: warning: {}\n", sweep.spec.name, warning);
    }
}

/// The points of a part of the sweep.
std::vector<std::size_t> points_of(const Shard& shard, std::size_t points) {
    std::vector<std::size_t> wanted;
    for (std::size_t point = shard.index; point < points; point += shard.count) {
        wanted.push_back(point);
    }
    return wanted;
}

/// Tells how much the missing ones of the wanted points will write, if that is much.
void say_large_output(const LoadedSweep& sweep,
                      const SweepPlan& plan,
                      const std::vector<std::size_t>& wanted,
                      bool always) {
    constexpr double worth_saying = 200e6;
    double bytes = 0;
    std::size_t there = 0;
    for (const std::size_t point : wanted) {
        const bool done = sweep.directory.has_point(plan.keys[point]);
        there += done ? 1 : 0;
        bytes += done ? 0 : plan.bytes[point];
    }
    if (bytes < worth_saying && !always) {
        return;
    }
    std::error_code unknown;
    fs::path place = fs::absolute(sweep.directory.place());
    while (!core::exists(place) && place.has_relative_path()) {
        place = place.parent_path();
    }
    const fs::space_info space = fs::space(place, unknown);
    std::cerr << fmt::format(
        "{}: will write about {} into {}{}{}\n",
        sweep.spec.name,
        bytes_text(bytes),
        sweep.directory.place().string(),
        there == 0 ? "" : fmt::format(", where {} of {} points are done", there, wanted.size()),
        bytes < worth_saying ? ""
                             : "; record: {placements: false} and a larger "
                               "record.sampleEvery write less");
    if (!unknown && static_cast<double>(space.available) < bytes) {
        std::cerr << fmt::format(
            "{}: warning: there is room for {} alone: expected more, or "
            "another folder by -o\n",
            sweep.spec.name,
            bytes_text(static_cast<double>(space.available)));
    }
}

/// Tells for how many points running the same command again can help.
void print_whether_again_helps(const SweepSpec& sweep,
                               std::size_t wanted,
                               const std::vector<FailedPoint>& failed) {
    const auto say = [&](FailedPoint::Again again, std::string_view what) {
        const auto count = std::ranges::count(failed, again, &FailedPoint::again);
        if (count > 0) {
            std::cerr << fmt::format(
                "{}: {} of {} points failed: {}\n", sweep.name, count, wanted, what);
        }
    };
    say(FailedPoint::Again::no,
        "the same command fails there again, until the sweep or a file that it names is changed");
    say(FailedPoint::Again::yes, "the same command tries them again");
    say(FailedPoint::Again::with_fewer,
        "the same command with a smaller -j tries them again, with more memory for each");
}

SlurmJob slurm_job(const LoadedSweep& sweep, const SweepPoints& points, const SweepPlan& plan) {
    return slurm_job(sweep.spec, sweep.directory, points, plan.keys);
}

void check_together(const po::variables_map& values) {
    for (const char* other : {"shard", "collect", "tables", "compress", "check-invariants"}) {
        if (values.count("slurm") > 0 && values.count(other) > 0) {
            throw core::InputError(
                fmt::format("--slurm: error: cannot stand with --{}: expected one of them", other));
        }
    }
}

/// What run_missing() has done. It runs the missing points, here or by Slurm, as the command line
/// says. `status` is the exit status, `points` the number of new points.
struct RunsMade {
    int status = exit_done;
    std::size_t points = 0;
};
RunsMade run_missing(const LoadedSweep& sweep,
                     const SweepPoints& points,
                     const SweepPlan& plan,
                     PointExperiments& experiments,
                     const po::variables_map& values,
                     sim::RunControl& control) {
    const bool progress = values.count("quiet") == 0;
    if (values.count("slurm") > 0) {
        const SlurmOutcome outcome =
            run_on_slurm(slurm_job(sweep, points, plan), control, progress);
        const int status = outcome.missing == 0 ? exit_done : exit_failed;
        return {outcome.interrupted ? exit_interrupted : status, outcome.came};
    }
    const std::vector<std::size_t> wanted = points_of(shard_of(values), points.size());
    PointRuns runs;
    TerminalProgress terminal;
    try {
        runs = run_points(sweep.spec,
                          plan,
                          wanted,
                          experiments,
                          sweep.directory,
                          threads_of(values),
                          tables_of(values),
                          progress ? &terminal : nullptr,
                          control);
    } catch (const std::system_error&) {
        std::cerr << fmt::format(
            "{}: stopped: finished points stay, and the same command goes on from there once it "
            "can write:\n",
            sweep.spec.name);
        throw;
    }
    print_points_with("failed", runs.failed, points);
    print_whether_again_helps(sweep.spec, wanted.size(), runs.failed);
    if (runs.interrupted) {
        std::cerr << fmt::format("{}: interrupted: the same command goes on from here\n",
                                 sweep.spec.name);
        return {exit_interrupted, runs.done};
    }
    return {runs.failed.empty() ? exit_done : exit_failed, runs.done};
}

/// Writes the results from the points' folders.
/// Returns: whether all points meet what their experiment expects.
bool collect(const LoadedSweep& sweep,
             const SweepPoints& points,
             const SweepPlan& plan,
             std::size_t points_now,
             bool quiet) {
    const FileLock lock = sweep.directory.lock_files();
    const std::size_t missing = collect_results(sweep.directory.place());
    const auto missed = missed_expectations(plan.keys, sweep.directory);
    print_points_with("miss what is expected", missed, points);
    print_warnings(sweep, points, plan);
    if (!quiet) {
        std::cout << fmt::format("{}: {} of {} points done, {} now; results in {}\n",
                                 sweep.spec.name,
                                 points.size() - missing,
                                 points.size(),
                                 points_now,
                                 (sweep.directory.place() / "results.csv").string());
    }
    return missed.empty();
}

po::options_description sweep_options() {
    po::options_description options("options");
    auto add = options.add_options();
    add("output,o",
        po::value<std::string>()->value_name("DIR"),
        "the sweep directory (default out/NAME, the sweep's name)");
    add("threads,j",
        po::value<std::string>()->value_name("N"),
        "points at a time (default: one per CPU)");
    add("set",
        po::value<std::vector<std::string>>()->composing()->value_name("PATH=VALUE"),
        "change the experiment of all points: spec.until=1d");
    add("dry-run", "print the points and which are done, and run nothing");
    add("shard",
        po::value<std::string>()->value_name("i/n"),
        "run only the i-th of n parts, from 0, and leave the results to --collect");
    add("collect", "run nothing, and write the results of the points that are done");
    add("slurm", "run the points as a Slurm job array; with --dry-run: print what is submitted");
    add("yes", "even if it is more than a million points");
    add_table_options(options);
    add_invariants_option(options);
    add_code_option(options);
    add("quiet,q", "print nothing but errors");
    return options;
}

}  // namespace

int run_sweep(const std::vector<std::string>& arguments) {
    const auto values = parse_arguments("sweep", arguments, sweep_options(), "SWEEP.yaml", 1);
    if (!values) {
        return exit_done;
    }
    const fs::path named = needed_arguments(*values, "sweep", "SWEEP.yaml")[0];
    const bool quiet = values->count("quiet") > 0;
    const bool by_slurm = values->count("slurm") > 0;
    const Shard shard = shard_of(*values);  // so that an error in it is reported first
    check_together(*values);
    const TableForm tables = tables_of(*values);
    const LoadedSweep sweep(named, *values);
    const SweepPoints points(sweep.spec);
    PointExperiments experiments(sweep.spec, points);
    sim::RunControl& control = interruptible_control();
    heed_invariants_option(*values, control);
    TerminalProgress terminal;
    const SweepPlan plan = plan_sweep(sweep.spec,
                                      points,
                                      experiments,
                                      tables,
                                      threads_of(*values),
                                      quiet ? nullptr : &terminal,
                                      control);
    if (control.stop) {
        std::cerr << fmt::format("{}: interrupted: nothing was run\n", sweep.spec.name);
        return exit_interrupted;
    }
    for (const std::string& warning : plan.warnings) {
        std::cerr << warning << "\n";
    }
    say_other_program(sweep, plan);
    if (values->count("dry-run") > 0 && by_slurm) {
        std::cout << slurm_plan(slurm_job(sweep, points, plan));
        return exit_done;
    }
    if (values->count("dry-run") > 0) {
        print_points(sweep, points, plan);
        say_large_output(sweep, plan, points_of(shard, points.size()), true);
        return exit_done;
    }
    if (by_slurm) {
        check_slurm(slurm_job(sweep, points, plan));
    }
    if (values->count("collect") == 0) {
        say_large_output(sweep, plan, points_of(shard, points.size()), false);
    }
    sweep.directory.prepare(sweep.spec, points, plan.keys);
    RunsMade made;
    if (values->count("collect") == 0) {
        made = run_missing(sweep, points, plan, experiments, *values, control);
    }
    if (const std::string checked = invariants_text(control); !checked.empty() && !quiet) {
        std::cerr << fmt::format("{}: {}\n", sweep.spec.name, checked);
    }
    if (made.status != exit_interrupted && values->count("shard") == 0 &&
        !collect(sweep, points, plan, made.points, quiet)) {
        return exit_failed;
    }
    return made.status;
}

}  // namespace berth::experiments
