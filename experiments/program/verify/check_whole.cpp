#include "experiments/program/verify/check_whole.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/sweep/points_table.hpp"
#include "experiments/program/verify/check_results.hpp"
#include "experiments/program/verify/verify_run.hpp"

namespace berth::experiments {

namespace fs = std::filesystem;

std::vector<std::string> check_whole(const fs::path& run) {
    if (!core::exists(run / "manifest.json")) {
        if (!core::exists(run / "summary.json")) {
            return {};
        }
        return {
            fmt::format("{}: warning: manifest.json is missing, so it is not known whether the "
                        "other files are whole: expected a folder as berth run wrote it",
                        run.string())};
    }
    const std::vector<std::string> changed = changed_files(run, read_manifest(run));
    if (!changed.empty()) {
        throw core::InputError(fmt::format(
            "{}: error: {}: expected the files as the run wrote them: run its experiment again",
            run.string(),
            core::join(changed, "; ")));
    }
    return {};
}

void check_whole_sweep(const fs::path& sweep) {
    if (!core::exists(sweep / "points.csv") || !core::exists(sweep / "results.csv")) {
        return;
    }
    const PointsTable table = read_points_table(sweep);
    const bool has_points = std::ranges::any_of(
        table.points, [&](const TablePoint& point) { return core::is_folder(point.directory); });
    const std::vector<std::string> wrong =
        has_points ? check_results(sweep, table) : std::vector<std::string>();
    if (!wrong.empty()) {
        throw core::InputError(fmt::format(
            "{}: error: {}: expected the rows of its points: berth sweep {} --collect writes them",
            sweep.string(),
            wrong.front(),
            sweep.string()));
    }
}

}  // namespace berth::experiments
