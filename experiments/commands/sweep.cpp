#include <fmt/format.h>

#include <charconv>
#include <iostream>

#include "core/support/source.hpp"
#include "experiments/commands/command.hpp"
#include "experiments/commands/run_options.hpp"
#include "experiments/sweep/plan.hpp"
#include "experiments/sweep/read_sweep.hpp"
#include "experiments/sweep/results_csv.hpp"
#include "experiments/sweep/results_sqlite.hpp"
#include "experiments/sweep/run_points.hpp"
#include "experiments/sweep/sweep_directory.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

/// `--shard i/n`: the points whose number leaves the remainder i when divided by n.
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
    const auto number = [&](std::string_view digits) {
        std::size_t out = 0;
        const auto [stop, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), out);
        return error == std::errc() && stop == digits.data() + digits.size() ? std::optional(out)
                                                                             : std::nullopt;
    };
    const std::string_view whole = text;
    const auto index = slash != std::string::npos ? number(whole.substr(0, slash)) : std::nullopt;
    const auto count = slash != std::string::npos ? number(whole.substr(slash + 1)) : std::nullopt;
    if (!index || !count || *index >= *count) {
        throw core::InputError(fmt::format(
            "--shard: error: found '{}': expected i/n with i from 0 to n - 1, such as 0/4", text));
    }
    return {*index, *count};
}

/// The sweep, and where it goes. A sweep directory may stand for the sweep that is in it.
struct LoadedSweep {
    LoadedSweep(const fs::path& named, const po::variables_map& values)
        : spec(read_sweep(fs::is_directory(named) ? named / "sweep.yaml" : named)),
          directory(place_of(named, values), spec) {
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
        if (fs::is_directory(named)) {
            return named;
        }
        if (spec.name.empty() || spec.name.find('/') != std::string::npos) {
            throw core::InputError(fmt::format(
                "{}: error: metadata.name '{}' is no name of a folder: expected one without '/', "
                "or -o",
                named.string(),
                spec.name));
        }
        return fs::path("out") / spec.name;
    }
};

int interrupted(const SweepSpec& spec) {
    std::cerr << fmt::format("{}: interrupted: the same command goes on from here\n", spec.name);
    return exit_interrupted;
}

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

void print_failures(const PointRuns& runs, const SweepPoints& points) {
    constexpr std::size_t shown_max = 10;
    for (std::size_t i = 0; i < std::min(shown_max, runs.failed.size()); ++i) {
        const FailedPoint& failed = runs.failed[i];
        std::cerr << fmt::format(
            "point {} ({}): {}\n", failed.point, points.name(failed.point), failed.why);
    }
    if (runs.failed.size() > shown_max) {
        std::cerr << fmt::format("and {} more points failed\n", runs.failed.size() - shown_max);
    }
}

}  // namespace

int run_sweep(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("output,o",
        po::value<std::string>()->value_name("DIR"),
        "the sweep directory (default out/NAME, the sweep's name)");
    add("threads,j",
        po::value<std::string>()->value_name("N"),
        "points at a time (default: one a processor)");
    add("dry-run", "print the points and which are done, and run nothing");
    add("shard",
        po::value<std::string>()->value_name("i/n"),
        "run only the i-th of n parts, from 0, and leave the results to --collect");
    add("collect", "run nothing, and write the results of the points that are done");
    add("yes", "even if it is more than a million points");
    add("quiet,q", "print nothing but errors");
    const auto values = parse_arguments("sweep", arguments, options, "SWEEP.yaml", 1);
    if (!values) {
        return exit_done;
    }
    const fs::path named = positional_arguments(*values, "sweep", "SWEEP.yaml", 1)[0];
    const bool quiet = values->count("quiet") > 0;
    const unsigned threads = threads_of(*values);
    const Shard shard = shard_of(*values);
    const LoadedSweep sweep(named, *values);
    const SweepPoints points(sweep.spec);
    PointExperiments experiments(sweep.spec, points);
    sim::RunControl& control = interruptible_control();
    const SweepPlan plan = plan_sweep(sweep.spec, points, experiments, threads, !quiet, control);
    if (control.stop) {
        return interrupted(sweep.spec);
    }
    for (const std::string& warning : plan.warnings) {
        std::cerr << warning << "\n";
    }
    if (values->count("dry-run") > 0) {
        print_points(sweep, points, plan);
        return exit_done;
    }
    sweep.directory.prepare(sweep.spec, points, plan.keys);
    PointRuns runs;
    if (values->count("collect") == 0) {
        std::vector<std::size_t> wanted;
        for (std::size_t point = shard.index; point < points.size(); point += shard.count) {
            wanted.push_back(point);
        }
        runs = run_points(
            sweep.spec, plan, wanted, experiments, sweep.directory, threads, !quiet, control);
    }
    print_failures(runs, points);
    if (runs.interrupted) {
        return interrupted(sweep.spec);
    }
    if (values->count("shard") == 0) {
        const FileLock lock = sweep.directory.lock_files();
        const std::size_t missing =
            write_results_csv(sweep.spec, points, plan.keys, sweep.directory);
        write_results_sqlite(sweep.directory.place());
        if (!quiet) {
            std::cout << fmt::format("{}: {} of {} points, {} of them now; results in {}\n",
                                     sweep.spec.name,
                                     points.size() - missing,
                                     points.size(),
                                     runs.done,
                                     (sweep.directory.place() / "results.csv").string());
        }
    }
    return runs.failed.empty() ? exit_done : exit_failed;
}

}  // namespace berth::experiments
