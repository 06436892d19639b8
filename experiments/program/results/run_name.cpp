#include "experiments/program/results/run_name.hpp"

#include <fmt/format.h>

#include <system_error>
#include <vector>

#include "core/support/file_kind.hpp"
#include "core/support/text.hpp"
#include "experiments/program/results/stored/csv.hpp"

namespace berth::report {
namespace {

namespace fs = std::filesystem;

/// Names a point by its values (`load=0.9, policy=pack`), because its folder is named by a digest;
/// empty if the run does not belong to a sweep.
std::string point_of_sweep(const fs::path& run) {
    const fs::path points = run.parent_path();
    const fs::path table = points.parent_path() / "points.csv";
    if (points.filename() != "points" || !core::is_file(table)) {
        return "";
    }
    CsvReader csv(table);
    const std::size_t key = csv.column("key");
    const std::size_t number = csv.column("point");
    while (csv.next()) {
        if (csv.field(key) != run.filename()) {
            continue;
        }
        std::vector<std::string> values;
        for (std::size_t c = 0; c < csv.header().size(); ++c) {
            if (c != key && c != number) {
                values.push_back(csv.header()[c] + "=" + csv.field(c));
            }
        }
        return core::join(values, ", ");
    }
    return "";
}

}  // namespace

std::string run_name(const fs::path& path) {
    fs::path whole = fs::absolute(path).lexically_normal();
    if (!whole.has_filename()) {  // a path that ends in a slash
        whole = whole.parent_path();
    }
    const std::string point = point_of_sweep(whole);
    return point.empty() ? whole.filename().string() : point;
}

}  // namespace berth::report
