#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/compare/run_argument.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"
#include "experiments/program/sweep/sweep_manifest.hpp"
#include "experiments/program/verify/verify_run.hpp"
#include "experiments/program/verify/verify_sweep.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

/// Lines about a directory, which begin with its name.
class Lines {
public:
    explicit Lines(std::string name) : name_(std::move(name)) {}
    void say(const std::string& line) const { std::cout << name_ << ": " << line << std::endl; }
    void say(const std::vector<std::string>& lines) const {
        for (const std::string& line : lines) {
            say(line);
        }
    }
    void say_program(const std::string& made_by) const {
        say(fmt::format(
            "made by berth {}, and this is berth {}: results may differ because of that",
            made_by,
            this_program()));
    }
    /// Names the files that berth did not write, so that they are not taken for files of the run.
    void say_unknown(const std::vector<std::string>& files, std::string_view of) const {
        constexpr std::size_t shown_max = 20;
        const std::size_t shown = std::min(files.size(), shown_max);
        for (std::size_t file = 0; file < shown; ++file) {
            say(fmt::format("{} is not of the {}: not compared", files[file], of));
        }
        if (files.size() > shown) {
            say(fmt::format("and {} more are not of the {}", files.size() - shown, of));
        }
    }
    /// Tells what was checked, if that was requested.
    void say_checked() const {
        if (const std::string checked = invariants_text(interruptible_control());
            !checked.empty()) {
            say(checked);
        }
    }

private:
    std::string name_;
};

int interrupted(const std::string& name) {
    std::cerr << fmt::format("{}: interrupted: not verified\n", name);
    return exit_interrupted;
}

int verify_one(const std::string& name,
               const fs::path& directory,
               unsigned threads,
               bool code_is_allowed) {
    const Lines lines(name);
    const Manifest manifest = read_manifest(directory);
    if (manifest.program != this_program()) {
        lines.say_program(manifest.program);
    }
    const std::vector<std::string> changed = changed_files(directory, manifest);
    const OtherFiles others = other_files(directory, manifest);
    lines.say(changed);
    lines.say(others.added);
    lines.say(others.wrong);
    lines.say_unknown(others.unknown, "run");
    lines.say(fmt::format("{} of {} files match manifest.json",
                          manifest.files.size() - changed.size(),
                          manifest.files.size()));
    const ScratchFolder scratch;
    const Recomputed again = recompute(directory,
                                       manifest,
                                       scratch.path() / "run",
                                       threads,
                                       true,
                                       code_is_allowed,
                                       interruptible_control());
    if (again.interrupted) {
        return interrupted(name);
    }
    if (!again.started) {
        lines.say("not recomputed: that takes the experiment.yaml that the run wrote");
        return exit_failed;
    }
    for (const std::string& line : again.differences) {
        lines.say("recomputed: " + line);
    }
    lines.say_checked();
    if (again.differences.empty()) {
        lines.say("the recomputed files match manifest.json");
    }
    return changed.empty() && others.added.empty() && others.wrong.empty() &&
                   again.differences.empty()
               ? exit_done
               : exit_failed;
}

/// The points of a sweep; nothing, and a line, if the table of them is damaged.
std::optional<PointsTable> table_of_points(const std::string& sweep) {
    try {
        return read_points_table(sweep);
    } catch (const core::InputError& error) {
        const std::string_view message = error.what();
        Lines(sweep).say(fmt::format("points.csv is not as berth sweep writes it: {}",
                                     message.substr(0, message.find('\n'))));
        return std::nullopt;
    }
}

int verify_points(const std::string& name, unsigned threads, bool code_is_allowed) {
    const Lines lines(name);
    const std::optional<PointsTable> points = table_of_points(name);
    if (!points) {
        return exit_failed;
    }
    const PointsTable& table = *points;
    const SweepVerdict verdict =
        verify_sweep(name, table, threads, code_is_allowed, interruptible_control());
    if (verdict.interrupted) {
        return interrupted(name);
    }
    for (const std::string& made_by : verdict.programs) {
        lines.say_program(made_by);
    }
    lines.say(verdict.files);
    lines.say(verdict.files.empty() ? "all files are as they were written"
                                    : "the files above are not as they were written");
    lines.say_unknown(verdict.unknown, "sweep");
    lines.say(verdict.recomputed);
    lines.say_checked();
    lines.say(fmt::format(
        "{} of {} points are finished; recomputing {}",
        verdict.finished,
        table.points.size(),
        verdict.recomputed.empty() ? "matches their manifests" : "does not give those bytes"));
    return verdict.files.empty() && verdict.recomputed.empty() ? exit_done : exit_failed;
}

}  // namespace

int run_verify(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    options.add_options()("threads,j",
                          po::value<std::string>()->value_name("N"),
                          "replications, or points, at a time (default: one per CPU)");
    add_invariants_option(options);
    add_code_option(options);
    const auto values = parse_arguments("verify", arguments, options, "RUN", 1);
    if (!values) {
        return exit_done;
    }
    const std::string name = needed_arguments(*values, "verify", "RUN")[0];
    if (!is_sweep_directory(name) && core::exists(fs::path(name) / sweep_manifest_name)) {
        Lines(name).say("points.csv is missing: berth sweep writes it");
        return exit_failed;
    }
    const unsigned threads = threads_of(*values);
    heed_invariants_option(*values, interruptible_control());
    const bool code = allows_code(*values);
    return is_sweep_directory(name) ? verify_points(name, threads, code)
                                    : verify_one(name, find_run(name).directory, threads, code);
}

}  // namespace berth::experiments
