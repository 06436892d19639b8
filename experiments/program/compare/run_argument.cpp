#include "experiments/program/compare/run_argument.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "core/support/file_kind.hpp"
#include "core/support/parse_number.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "core/support/value.hpp"
#include "experiments/program/sweep/results_csv.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

/// One `axis=value` of an argument.
struct Choice {
    std::string axis;
    std::string value;
};

[[noreturn]] void fail(const std::string& argument, const std::string& message) {
    throw core::InputError(fmt::format("{}: error: {}", argument, message));
}

/// Splits a text at commas. A part without `=` belongs to the value before it, which contains a
/// comma.
std::vector<Choice> choices_of(const std::string& argument, std::string_view text) {
    std::vector<Choice> choices;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        const std::string part(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t equals = part.find('=');
        if (equals != std::string::npos) {
            choices.push_back({part.substr(0, equals), part.substr(equals + 1)});
        } else if (!choices.empty()) {
            choices.back().value += "," + part;
        } else {
            fail(argument, fmt::format("'{}': expected axis=value, axis=value", part));
        }
    }
    return choices;
}

bool same_value(const std::string& a, const std::string& b) {
    const auto number = core::parse_number<double>(a);
    return a == b || (number && number == core::parse_number<double>(b));
}

/// The values of an axis, without duplicates, in the order of points.csv.
std::vector<std::string> values_of(const std::vector<const TablePoint*>& points, std::size_t axis) {
    std::vector<std::string> values;
    for (const TablePoint* point : points) {
        if (std::ranges::find(values, point->values[axis]) == values.end()) {
            values.push_back(point->values[axis]);
        }
    }
    return values;
}

constexpr std::size_t named_max = 12;

std::string listed(std::vector<std::string> texts) {
    const std::size_t all = texts.size();
    if (all > named_max) {
        texts.resize(named_max);
        return fmt::format("{}, ... ({} in all)", core::join(texts, ", "), all);
    }
    return core::alternatives(texts);
}

/// Keeps the points that have the chosen value.
void keep(const std::string& argument,
          const PointsTable& table,
          const Choice& choice,
          std::vector<const TablePoint*>& points) {
    const auto axis = std::ranges::find(table.axes, choice.axis);
    if (axis == table.axes.end()) {
        fail(argument,
             fmt::format("unknown axis '{}': expected {}{}",
                         choice.axis,
                         core::alternatives(table.axes),
                         core::suggestion(choice.axis, table.axes)));
    }
    const auto at = static_cast<std::size_t>(axis - table.axes.begin());
    std::vector<const TablePoint*> kept;
    std::ranges::copy_if(points, std::back_inserter(kept), [&](const TablePoint* point) {
        return same_value(point->values[at], choice.value);
    });
    if (kept.empty()) {
        const auto values = values_of(points, at);
        fail(argument,
             fmt::format("no point has {}={}: expected {}{}",
                         choice.axis,
                         choice.value,
                         listed(values),
                         core::suggestion(choice.value, values)));
    }
    points = std::move(kept);
}

/// Refuses a folder that is not a run but contains runs.
/// Errors: core::InputError that names those runs.
void refuse_folder_of_runs(const fs::path& folder) {
    constexpr std::size_t named_max = 5;
    std::error_code ignored;
    if (core::exists(folder / "manifest.json") || core::exists(folder / "summary.json")) {
        return;
    }
    std::vector<std::string> runs;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        if (core::exists(entry.path() / "manifest.json") || is_sweep_directory(entry.path())) {
            runs.push_back(entry.path().string());
        }
    }
    if (runs.empty()) {
        return;
    }
    std::ranges::sort(runs);
    const std::size_t all = runs.size();
    runs.resize(std::min(all, named_max));
    fail(folder.string(),
         fmt::format("this is a folder of {} runs: expected one or more of them by name, such as "
                     "{}",
                     all,
                     core::join(runs, " ")));
}

/// The axes that would distinguish the points: `policy: pack or spread`.
std::string open_axes(const PointsTable& table, const std::vector<const TablePoint*>& points) {
    std::vector<std::string> open;
    for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
        const auto values = values_of(points, axis);
        if (values.size() > 1) {
            open.push_back(fmt::format("{}={}", table.axes[axis], listed(values)));
        }
    }
    return core::join(open, "; ");
}

fs::path find_point(const std::string& argument, const fs::path& sweep, std::string_view text) {
    const PointsTable table = read_points_table(sweep);
    std::vector<const TablePoint*> points;
    for (const TablePoint& point : table.points) {
        points.push_back(&point);
    }
    for (const Choice& choice : choices_of(argument, text)) {
        keep(argument, table, choice, points);
    }
    if (points.size() != 1) {
        fail(argument,
             fmt::format("this is {} points of {}: expected one, by {}",
                         points.size(),
                         table.points.size(),
                         open_axes(table, points)));
    }
    if (!core::is_folder(points.front()->directory)) {
        fail(argument,
             fmt::format("point {} ({}) is not finished: expected berth sweep to have computed it",
                         points.front()->number,
                         point_text(table, *points.front())));
    }
    return points.front()->directory;
}

}  // namespace

std::vector<RunArgument> points_against(const std::string& sweep, const std::string& baseline) {
    if (!is_sweep_directory(sweep)) {
        fail(sweep, "--against compares the points of a sweep: expected the folder of one");
    }
    const fs::path first = find_point(sweep + ":" + baseline, sweep, baseline);
    const PointsTable table = read_points_table(sweep);
    std::vector<RunArgument> out;
    for (const TablePoint& point : table.points) {
        const bool is_first = point.directory == first;
        if (is_first || core::is_folder(point.directory)) {
            out.insert(is_first ? out.begin() : out.end(),
                       {point_text(table, point), point.directory});
        }
    }
    if (out.size() < 2) {
        fail(sweep, "no other point is finished: expected berth sweep to have computed some");
    }
    return out;
}

RunArgument find_run(const std::string& argument) {
    const std::size_t colon = argument.rfind(':');
    if (core::is_folder(argument)) {
        if (is_sweep_directory(argument)) {
            return {argument, find_point(argument, argument, "")};
        }
        refuse_folder_of_runs(argument);
        return {argument, argument};
    }
    if (colon != std::string::npos && is_sweep_directory(argument.substr(0, colon))) {
        return {argument,
                find_point(argument, argument.substr(0, colon), argument.substr(colon + 1))};
    }
    fail(argument,
         "no such run: expected a run directory, or a point of a sweep as "
         "DIR:axis=value,axis=value");
}

}  // namespace berth::experiments
