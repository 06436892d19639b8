#include "experiments/program/verify/verify_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/in_threads.hpp"
#include "experiments/program/support/progress.hpp"
#include "experiments/program/support/sha256.hpp"
#include "experiments/program/sweep/database_difference.hpp"
#include "experiments/program/sweep/points.hpp"
#include "experiments/program/sweep/read_sweep.hpp"
#include "experiments/program/sweep/results_sqlite.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"
#include "experiments/program/sweep/sweep_manifest.hpp"
#include "experiments/program/verify/check_results.hpp"
#include "experiments/program/verify/verify_run.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

struct PointVerdict {
    bool finished = false;
    std::string program;
    std::vector<std::string> files;
    std::vector<std::string> recomputed;
    std::vector<std::string> unknown;
};

/// Verifies points in threads.
class Points {
public:
    Points(const PointsTable& table,
           unsigned threads,
           bool code_is_allowed,
           sim::RunControl& control)
        : verdicts(table.points.size()),
          table_(table),
          code_is_allowed_(code_is_allowed),
          control_(control) {
        const std::size_t points = std::max<std::size_t>(table.points.size(), 1);
        workers_ = static_cast<unsigned>(std::min<std::size_t>(threads, points));
        threads_each_ = std::max(1U, threads / workers_);
    }

    void run() {
        std::set<fs::path> seen;  // points with the same experiment share a folder
        std::vector<bool> is_first;
        for (const TablePoint& point : table_.points) {
            is_first.push_back(seen.insert(point.directory).second);
        }
        in_threads(workers_, table_.points.size(), [&](std::size_t point) {
            if (control_.stop) {
                return;
            }
            if (is_first[point]) {
                verdicts[point] = verify(table_.points[point]);
            } else {
                verdicts[point].finished = core::is_folder(table_.points[point].directory);
            }
            ++done;
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
        if (!core::exists(point.directory / "manifest.json")) {
            verdict.files.push_back(fmt::format("{}: manifest.json is missing", name));
        }
        try {
            const Manifest manifest = read_manifest(point.directory);
            verdict.program = manifest.program;
            const OtherFiles others = other_files(point.directory, manifest);
            for (const auto& lines :
                 {changed_files(point.directory, manifest), others.added, others.wrong}) {
                for (const std::string& line : lines) {
                    verdict.files.push_back(fmt::format("{}: {}", name, line));
                }
            }
            for (const std::string& file : others.unknown) {
                verdict.unknown.push_back(
                    fmt::format("points/{}/{}", point.directory.filename().string(), file));
            }
            const Recomputed again = recompute(point.directory,
                                               manifest,
                                               scratch_.path() / point.directory.filename(),
                                               threads_each_,
                                               false,
                                               code_is_allowed_,
                                               control_);
            for (const std::string& line : again.differences) {
                verdict.recomputed.push_back(fmt::format("{}: {}", name, line));
            }
            if (!again.started) {
                verdict.recomputed.push_back(
                    fmt::format("{}: not recomputed, since its experiment.yaml is missing", name));
            }
        } catch (const core::InputError& error) {
            verdict.recomputed.push_back(
                fmt::format("{}: cannot be recomputed: {}", name, error.what()));
        } catch (const core::ReadError& error) {
            verdict.files.push_back(fmt::format("{}: cannot be read: {}", name, error.what()));
        } catch (const fs::filesystem_error& error) {
            verdict.files.push_back(fmt::format("{}: cannot be read: {}", name, error.what()));
        }
        return verdict;
    }

    const PointsTable& table_;
    bool code_is_allowed_;
    sim::RunControl& control_;
    ScratchFolder scratch_;
    unsigned workers_ = 1;
    unsigned threads_each_ = 1;
};

/// The build that made the keys of a sweep: the one that its manifest names, or this one.
SweepManifest builder_of(const fs::path& sweep) {
    try {
        if (auto manifest = read_sweep_manifest(sweep)) {
            return std::move(*manifest);
        }
    } catch (const std::exception&) {
        // check_manifest() says that it is none, or cannot be read.
    }
    return {version, sources_digest(), {}, {}};
}

/// Lines for what does not follow from sweep.yaml: points.csv, and points whose folder holds a run
/// of another experiment.
std::vector<std::string> check_points(const fs::path& sweep,
                                      const PointsTable& table,
                                      unsigned threads,
                                      const sim::RunControl& control) {
    constexpr const char* changed =
        "points.csv is not what sweep.yaml says: one of them was changed";
    if (!core::is_file(sweep / "sweep.yaml")) {
        return {"sweep.yaml is missing"};
    }
    try {
        SweepSpec spec = read_sweep(sweep / "sweep.yaml", {});
        const SweepPoints points(spec);
        if (points.size() != table.points.size()) {
            return {changed};
        }
        const SweepManifest by = builder_of(sweep);
        PointExperiments experiments(spec, points);
        std::vector<PointKey> keys(points.size());
        std::vector<std::string> others(points.size());
        in_threads(threads, points.size(), [&](std::size_t point) {
            if (control.stop) {
                return;
            }
            const core::Value resolved = experiments.resolved(point);
            keys[point] = key_of(resolved, by.sources, by.version);
            const TablePoint& row = table.points[point];
            const fs::path held = row.directory / "experiment.yaml";
            // another kind of entry has been reported as a changed file
            if (core::is_file(held) && core::text_of_file(held) != emit_yaml(resolved)) {
                others[point] =
                    fmt::format("point {} ({}): points/{} holds another experiment's run",
                                row.number,
                                point_text(table, row),
                                row.directory.filename().string());
            }
        });
        std::erase(others, "");
        if (!control.stop &&
            points_csv(spec, points, keys) != core::text_of_file(sweep / "points.csv")) {
            return {changed};
        }
        return others;
    } catch (const core::InputError& error) {
        return {fmt::format("sweep.yaml cannot be read again: {}", error.what())};
    } catch (const std::system_error& error) {
        return {fmt::format("points.csv cannot be compared with sweep.yaml: {}", error.what())};
    }
}

void append(std::vector<std::string>& to, std::vector<std::string>& from) {
    std::ranges::move(from, std::back_inserter(to));
}

/// The files in a sweep's folder that no sweep writes, and folders of points that it does not have.
std::vector<std::string> unknown_in_sweep(const fs::path& sweep, const PointsTable& table) {
    std::set<std::string> known{
        "files.lock", "points", "report.html", "slurm", sweep_manifest_name};
    for (const std::string_view name : sweep_files) {
        known.insert(std::string(name));
    }
    known.insert(plan_files.begin(), plan_files.end());
    std::vector<std::string> unknown = files_besides(sweep, "", known);
    if (core::is_folder(sweep / "points")) {
        std::set<std::string> keys;
        for (const TablePoint& point : table.points) {
            keys.insert(point.directory.filename().string());
        }
        std::vector<std::string> others = files_besides(sweep / "points", "points/", keys);
        append(unknown, others);
    }
    return unknown;
}

/// Compares the files that were collected from the points with the points and with the sweep's
/// manifest.
class CollectedFiles {
public:
    CollectedFiles(const fs::path& sweep, const PointsTable& table)
        : sweep_(sweep), table_(table) {}

    /// Errors: std::system_error, as by throw_of_scratch().
    [[nodiscard]] std::vector<std::string> wrong() && try {
        std::vector<std::string> rows = wrong_results();
        const bool has_rows = rows.empty();
        for (std::string& line : rows) {
            say("results.csv", std::move(line));
        }
        check_censored();
        if (has_rows) {
            check_database();
        }
        check_manifest();
        return std::move(lines_);
    } catch (const std::system_error& error) {
        throw_of_scratch(error);
    }

private:
    [[nodiscard]] std::vector<std::string> wrong_results() const {
        try {
            return check_bytes_of_results(sweep_, table_, scratch_.path() / "results.csv");
        } catch (const core::InputError& error) {
            return {
                fmt::format("results.csv cannot be compared with its points: {}", error.what())};
        } catch (const core::ReadError& error) {
            return {fmt::format("results.csv cannot be read: {}", error.what())};
        }
    }

    void say(std::string_view file, std::string line) {
        named_.insert(std::string(file));
        lines_.push_back(std::move(line));
    }

    /// Whether a file of the sweep exists. A missing file is reported.
    bool is_there(const std::string& name) {
        if (core::is_file(sweep_ / name)) {
            return true;
        }
        if (!named_.contains(name)) {
            say(name, fmt::format("{} is missing: berth sweep --collect writes it", name));
        }
        return false;
    }

    void check_censored() {
        if (!is_there("censored.csv")) {
            return;
        }
        std::vector<fs::path> points;
        for (const TablePoint& point : table_.points) {
            points.push_back(point.directory);
        }
        const fs::path again = scratch_.path() / "censored.csv";
        try {
            write_censored_csv(points, again);
        } catch (const core::InputError&) {
            return;  // a point's file has changed, which has been reported
        } catch (const core::ReadError&) {
            return;  // or is missing
        }
        if (sha256_of(again) != sha256_of(sweep_ / "censored.csv")) {
            say("censored.csv", "censored.csv does not have the rows of its points");
        }
    }

    void check_database() {
        for (const char* name : {"results.sqlite-wal", "results.sqlite-journal"}) {
            if (core::exists(sweep_ / name)) {
                say("results.sqlite",
                    fmt::format("{} was added: SQLite reads it with results.sqlite", name));
            }
        }
        if (!is_there("results.sqlite")) {
            return;
        }
        const fs::path again = scratch_.path() / "results.sqlite";
        try {
            write_results_sqlite(sweep_, again);
        } catch (const core::InputError&) {
            return;  // the same as above
        } catch (const core::ReadError&) {
            return;
        }
        const fs::path file = sweep_ / "results.sqlite";
        if (sha256_of(again) == sha256_of(file)) {
            return;
        }
        if (const auto difference = database_difference(file, again)) {
            say("results.sqlite", fmt::format("results.sqlite {}", *difference));
        }
    }

    void check_manifest() {
        std::optional<SweepManifest> was;
        try {
            was = read_sweep_manifest(sweep_);
        } catch (const std::exception&) {
            lines_.push_back(
                fmt::format("{} is no manifest of a sweep: berth sweep --collect "
                            "writes it",
                            sweep_manifest_name));
            return;
        }
        if (!is_there(sweep_manifest_name)) {
            return;
        }
        const std::vector<PointKey> keys = keys_of(table_);
        SweepManifest now = make_sweep_manifest(sweep_, keys);
        // A missing file has been reported already. The manifest is not blamed for it.
        for (const std::string_view name : sweep_files) {
            add_missing(std::string(name), was->files, now.files);
        }
        for (const PointKey& key : keys) {
            add_missing(key, was->points, now.points);
        }
        for (const std::string_view name : sweep_files) {
            check_digest(std::string(name), was->files, now.files);
        }
        for (const std::string_view name : plan_files) {
            check_plan_file(std::string(name), was->files, now.files);
        }
        const std::size_t before_points = lines_.size();
        for (const TablePoint& point : table_.points) {
            check_point(point, was->points, now.points);
        }
        const bool same_build = was->version == now.version && was->sources == now.sources;
        const bool says_more = was->files != now.files || was->points != now.points;
        if (lines_.size() == before_points && named_.empty() &&
            (says_more || (same_build && core::text_of_file(sweep_ / sweep_manifest_name) !=
                                             text_of_manifest(now)))) {
            lines_.push_back(fmt::format("{} was changed since the results were collected",
                                         sweep_manifest_name));
        }
    }

    using Digests = std::map<std::string, std::string>;

    static void add_missing(const std::string& name, const Digests& was, Digests& now) {
        if (const auto before = was.find(name); before != was.end()) {
            now.insert(*before);
        }
    }

    void check_digest(const std::string& name, const Digests& was, const Digests& now) {
        const bool was_said = name == "sweep.yaml" && !core::is_file(sweep_ / name);
        if (was_said || !is_there(name) || named_.contains(name)) {
            return;
        }
        const auto before = was.find(name);
        if (before == was.end()) {
            say(name, fmt::format("{} does not tell of {}", sweep_manifest_name, name));
        } else if (before->second != now.at(name)) {
            say(name, changed(name));
        }
    }

    /// A sweep that is no plan's has none of a plan's files.
    void check_plan_file(const std::string& name, const Digests& was, const Digests& now) {
        if (core::is_file(sweep_ / name)) {
            check_digest(name, was, now);
        } else if (was.contains(name)) {
            say(name, fmt::format("{} is missing: the same berth plan writes it", name));
        }
    }

    static std::string changed(std::string_view name) {
        return fmt::format("{} was changed since the results were collected: {} has another digest",
                           name,
                           sweep_manifest_name);
    }

    void check_point(const TablePoint& point, const Digests& was, const Digests& now) {
        const std::string key = point.directory.filename().string();
        const auto before = was.find(key);
        const auto is = now.find(key);
        if (before == was.end()) {
            return;  // the point is newer, and results.csv lacks it
        }
        const std::string name =
            fmt::format("point {} ({})", point.number, point_text(table_, point));
        if (!core::is_folder(point.directory)) {
            lines_.push_back(fmt::format("{}: points/{} is missing", name, key));
        } else if (is != now.end() && before->second != is->second) {
            lines_.push_back(fmt::format("{}: {}", name, changed("manifest.json")));
        }
    }

    const fs::path& sweep_;
    const PointsTable& table_;
    ScratchFolder scratch_;
    std::set<std::string> named_;  ///< Files with an error that has been reported.
    std::vector<std::string> lines_;
};

}  // namespace

SweepVerdict verify_sweep(const fs::path& sweep,
                          const PointsTable& table,
                          unsigned threads,
                          bool code_is_allowed,
                          sim::RunControl& control) {
    Points points(table, threads, code_is_allowed, control);
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
    std::set<std::string> programs;
    std::vector<std::string> unknown;
    for (PointVerdict& point : points.verdicts) {
        out.finished += point.finished ? 1 : 0;
        append(out.files, point.files);
        append(out.recomputed, point.recomputed);
        append(unknown, point.unknown);
        if (!point.program.empty() && point.program != this_program()) {
            programs.insert(point.program);
        }
    }
    out.programs.assign(programs.begin(), programs.end());
    std::vector<std::string> changed = check_points(sweep, table, threads, control);
    append(out.files, changed);
    if (out.finished == table.points.size() || core::exists(sweep / "results.csv") ||
        core::exists(sweep / sweep_manifest_name)) {
        std::vector<std::string> wrong = CollectedFiles(sweep, table).wrong();
        append(out.files, wrong);
    }
    out.unknown = unknown_in_sweep(sweep, table);
    append(out.unknown, unknown);
    out.interrupted = control.stop;
    return out;
}

}  // namespace berth::experiments
