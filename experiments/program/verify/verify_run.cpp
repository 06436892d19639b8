#include "experiments/program/verify/verify_run.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "experiments/program/run/run_directory.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "experiments/program/support/in_threads.hpp"
#include "experiments/program/support/progress.hpp"
#include "experiments/program/support/sha256.hpp"
#include "experiments/program/sweep/plan.hpp"
#include "experiments/program/sweep/read_sweep.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"
#include "experiments/program/verify/check_results.hpp"
#include "experiments/version.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

constexpr const char* experiment_file = "experiment.yaml";

std::string program_text(const std::string& version_text, const std::string& sources) {
    return sources.empty() ? version_text : fmt::format("{} (sources {})", version_text, sources);
}

/// The digest of a file of the run, of a table that of its text; nothing when it is not there. A
/// file that is cut short has the digest of no file.
std::optional<std::string> digest_of(const fs::path& file) {
    const fs::path stored = report::stored_table(file);
    if (!core::exists(stored) || core::is_folder(stored)) {
        return std::nullopt;
    }
    try {
        return sha256_of(*report::open_table(stored));
    } catch (const core::InputError&) {
        return "";
    }
}

std::vector<std::string> differences(const Manifest& before, const Manifest& now) {
    std::vector<std::string> out;
    for (const auto& [name, digest] : before.files) {
        const auto again = now.files.find(name);
        if (again == now.files.end()) {
            out.push_back(fmt::format("{} is not written any more", name));
        } else if (again->second != digest) {
            out.push_back(fmt::format("{} differs", name));
        }
    }
    for (const auto& [name, digest] : now.files) {
        if (!before.files.contains(name)) {
            out.push_back(fmt::format("{} was not written before", name));
        }
    }
    for (const auto& [fact, value] : now.facts) {
        const auto was = before.facts.find(fact);
        const std::string said = was == before.facts.end() ? "no such thing" : was->second;
        if (said != value) {
            out.push_back(
                fmt::format("manifest.json says of {} {}, and the run has {}", fact, said, value));
        }
    }
    if (before.fingerprint != now.fingerprint) {
        out.push_back(fmt::format("the trajectory differs: its fingerprint is {}, and was {}",
                                  now.fingerprint,
                                  before.fingerprint));
    }
    return out;
}

struct PointVerdict {
    bool finished = false;
    std::string program;
    std::vector<std::string> files;
    std::vector<std::string> recomputed;
};

/// Points in threads.
class Points {
public:
    Points(const PointsTable& table, unsigned threads, sim::RunControl& control)
        : verdicts(table.points.size()), table_(table), control_(control) {
        const std::size_t points = std::max<std::size_t>(table.points.size(), 1);
        workers_ = static_cast<unsigned>(std::min<std::size_t>(threads, points));
        threads_each_ = std::max(1U, threads / workers_);
    }

    void run() {
        in_threads(workers_, table_.points.size(), [this](std::size_t point) {
            if (!control_.stop) {
                verdicts[point] = verify(table_.points[point]);
                ++done;
            }
        });
    }

    std::vector<PointVerdict> verdicts;
    std::atomic<std::size_t> done = 0;

private:
    PointVerdict verify(const TablePoint& point) {
        PointVerdict verdict;
        verdict.finished = core::is_folder(point.directory);
        if (!verdict.finished) {
            return verdict;
        }
        const std::string name =
            fmt::format("point {} ({})", point.number, point_text(table_, point));
        try {
            const Manifest manifest = read_manifest(point.directory);
            verdict.program = manifest.program;
            for (const std::string& line : changed_files(point.directory, manifest)) {
                verdict.files.push_back(fmt::format("{}: {}", name, line));
            }
            const Recomputed again = recompute(point.directory,
                                               manifest,
                                               scratch_.path() / point.directory.filename(),
                                               threads_each_,
                                               false,
                                               control_);
            for (const std::string& line : again.differences) {
                verdict.recomputed.push_back(fmt::format("{}: {}", name, line));
            }
            if (!again.started) {
                verdict.recomputed.push_back(
                    fmt::format("{}: not recomputed, for want of its experiment.yaml", name));
            }
        } catch (const core::InputError& error) {
            verdict.recomputed.push_back(
                fmt::format("{}: cannot be recomputed: {}", name, error.what()));
        }
        return verdict;
    }

    const PointsTable& table_;
    sim::RunControl& control_;
    ScratchFolder scratch_;
    unsigned workers_ = 1;
    unsigned threads_each_ = 1;
};

/// One line if points.csv is not what sweep.yaml says, or none.
std::vector<std::string> check_points(const fs::path& sweep,
                                      unsigned threads,
                                      const sim::RunControl& control) {
    if (!core::exists(sweep / "sweep.yaml")) {
        return {"sweep.yaml is missing"};
    }
    try {
        const SweepSpec spec = read_sweep(sweep / "sweep.yaml", {});
        const SweepPoints points(spec);
        PointExperiments experiments(spec, points);
        const SweepPlan plan = plan_sweep(spec, points, experiments, {}, threads, nullptr, control);
        if (plan.keys.empty() ||
            points_csv(spec, points, plan.keys) == core::text_of_file(sweep / "points.csv")) {
            return {};
        }
    } catch (const core::InputError& error) {
        return {fmt::format("sweep.yaml cannot be read again: {}", error.what())};
    }
    return {"points.csv is not what sweep.yaml says: one of them was changed"};
}

void append(std::vector<std::string>& to, std::vector<std::string>& from) {
    std::ranges::move(from, std::back_inserter(to));
}

}  // namespace

std::string this_program() {
    return program_text(version, sources_digest());
}

Manifest read_manifest(const fs::path& run) {
    const fs::path file = run / "manifest.json";
    const auto written = core::text_of_file_if_any(file);
    if (!written) {
        throw core::InputError(
            fmt::format("{}: error: this is not a run directory: expected a folder with "
                        "manifest.json, or a sweep's with points.csv",
                        run.string()));
    }
    const auto json = nlohmann::json::parse(*written, nullptr, false);
    const auto text = [&](const char* key) {
        const auto found = json.find(key);
        return found != json.end() && found->is_string() ? found->get<std::string>() : "";
    };
    const bool sound = json.is_object() && text("schema") == manifest_schema &&
                       json.contains("files") && json["files"].is_object();
    if (!sound) {
        throw core::InputError(fmt::format(
            "{}: error: this is no manifest of a run: expected an object with the schema '{}'",
            file.string(),
            manifest_schema));
    }
    Manifest manifest{.program = program_text(text("version"), text("sources")),
                      .fingerprint = text("fingerprint"),
                      .files = {},
                      .facts = {}};
    for (const char* fact : {"seed", "replications", "inputs", "window"}) {
        if (const auto found = json.find(fact); found != json.end()) {
            manifest.facts[fact] = found->dump();
        }
    }
    for (const auto& [name, digest] : json["files"].items()) {
        const bool is_name =
            fs::path(name).filename() == name && !name.empty() && name != "." && name != "..";
        if (!digest.is_string() || !is_name) {
            throw core::InputError(
                fmt::format("{}: error: the file '{}': expected a file's name and its SHA-256",
                            file.string(),
                            name));
        }
        manifest.files[name] = digest.get<std::string>();
    }
    return manifest;
}

std::vector<std::string> changed_files(const fs::path& run, const Manifest& manifest) {
    std::vector<std::string> out;
    for (const auto& [name, digest] : manifest.files) {
        const auto found = digest_of(run / name);
        if (!found) {
            out.push_back(fmt::format("{} is missing", name));
        } else if (*found != digest) {
            out.push_back(fmt::format("{} was changed since the run",
                                      report::stored_table(run / name).filename().string()));
        }
    }
    return out;
}

Recomputed recompute(const fs::path& run,
                     const Manifest& manifest,
                     const fs::path& scratch,
                     unsigned threads,
                     bool progress,
                     sim::RunControl& control) {
    Recomputed out;
    const auto as_it_was = manifest.files.find(experiment_file);
    if (as_it_was == manifest.files.end() ||
        digest_of(run / experiment_file) != as_it_was->second) {
        return out;
    }
    out.started = true;
    const ResolvedExperiment resolved = resolve_experiment(run / experiment_file, {});
    core::Diagnostics diagnostics;
    const auto spec = read_experiment(resolved.document, diagnostics);
    diagnostics.throw_if_failed();
    RunDirectory directory(scratch);
    TerminalProgress terminal;
    const RunOptions options{.threads = threads, .progress = progress ? &terminal : nullptr};
    out.interrupted =
        run_experiment(*spec, resolved.document, directory, options, control).interrupted;
    if (!out.interrupted) {
        out.differences = differences(manifest, read_manifest(scratch));
    }
    std::error_code ignored;
    fs::remove_all(scratch, ignored);
    return out;
}

SweepVerdict verify_sweep(const fs::path& sweep,
                          const PointsTable& table,
                          unsigned threads,
                          sim::RunControl& control) {
    Points points(table, threads, control);
    {
        TerminalProgress terminal;
        const Progress progress(&terminal, [&] {
            return HowFar{fmt::format("{}: {} of {} points, {} events",
                                      sweep.string(),
                                      points.done.load(),
                                      table.points.size(),
                                      control.events.load())};
        });
        points.run();
    }
    SweepVerdict out;
    out.interrupted = control.stop;
    std::set<std::string> programs;
    for (PointVerdict& point : points.verdicts) {
        out.finished += point.finished ? 1 : 0;
        append(out.files, point.files);
        append(out.recomputed, point.recomputed);
        if (!point.program.empty() && point.program != this_program()) {
            programs.insert(point.program);
        }
    }
    out.programs.assign(programs.begin(), programs.end());
    std::vector<std::string> changed = check_points(sweep, threads, control);
    append(out.files, changed);
    if (out.finished == table.points.size() || core::exists(sweep / "results.csv")) {
        std::vector<std::string> wrong = check_results(sweep, table);
        append(out.files, wrong);
    }
    return out;
}

}  // namespace berth::experiments
