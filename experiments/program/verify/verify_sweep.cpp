#include "experiments/program/verify/verify_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <set>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "experiments/program/support/in_threads.hpp"
#include "experiments/program/support/progress.hpp"
#include "experiments/program/sweep/plan.hpp"
#include "experiments/program/sweep/read_sweep.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"
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
