#include "experiments/program/results/sweep_directory.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/parse_number.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/results/input_kind.hpp"
#include "experiments/program/results/read_summary.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/sweep_tables.hpp"
#include "experiments/program/support/measured.hpp"
#include "experiments/program/support/sql_names.hpp"

namespace berth::report {
namespace {

namespace fs = std::filesystem;
using PointIndex = std::map<std::vector<std::string>, std::size_t>;

/// Names a point by its values (`load=0.9, policy=pack`), because its folder has a digest as its
/// name; empty if the run does not belong to a sweep.
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

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A row of results.csv. Its metrics begin at index `row * metrics` of one long list.
struct ResultRow {
    std::size_t point = 0;
    std::int64_t replication = 0;
    std::string seed;
};

YAML::Node sweep_document(const std::string& text, const fs::path& path) {
    try {
        return YAML::Load(text);
    } catch (const YAML::Exception& error) {
        throw core::InputError(fmt::format("{}:{}:{}: error: this is not YAML: {}",
                                           path.string(),
                                           error.mark.line + 1,
                                           error.mark.column + 1,
                                           error.msg));
    }
}

YAML::Node child(const YAML::Node& node, const std::string& key) {
    return node && node.IsMap() ? node[key] : YAML::Node(YAML::NodeType::Undefined);
}

/// metadata.name, or nothing if the document has none.
std::optional<std::string> name_in(const YAML::Node& document) {
    const YAML::Node name = child(child(document, "metadata"), "name");
    return name && name.IsScalar() ? std::optional(name.Scalar()) : std::nullopt;
}

/// The text of what a value of an axis sets of one kind; empty if it sets nothing of that kind.
std::string set_by(const YAML::Node& axis, const std::string& value, InputKind kind) {
    const YAML::Node path = child(axis, "path");
    if (path && path.IsScalar()) {
        return kind_of_input(path.Scalar()) == kind ? value : "";
    }
    std::string out;
    const YAML::Node changes = child(child(axis, "variants"), value);
    for (const auto& change : changes ? changes : YAML::Node(YAML::NodeType::Map)) {
        if (kind_of_input(change.first.Scalar()) == kind) {
            out += fmt::format("{}={}\n", change.first.Scalar(), YAML::Dump(change.second));
        }
    }
    return out;
}

void take_kinds(const YAML::Node& document, SweepDirectory& sweep) {
    for (const auto& node : child(child(document, "spec"), "axes")) {
        const YAML::Node name = child(node, "name");
        const auto axis = std::ranges::find(
            sweep.axes, name && name.IsScalar() ? name.Scalar() : "", &SweepAxis::name);
        if (axis == sweep.axes.end()) {
            continue;
        }
        for (const std::string& value : axis->values) {
            axis->work.push_back(set_by(node, value, InputKind::work));
            axis->cluster.push_back(set_by(node, value, InputKind::cluster));
        }
    }
}

std::optional<double> number_in(std::string_view text) {
    const auto value = core::parse_number<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

/// All values of an axis as numbers, as durations or as amounts; empty if some value is none of
/// these.
std::vector<double> numbers_of(const std::vector<std::string>& values) {
    for (auto* const read : {&number_in, &seconds_in, &quantity_in}) {
        std::vector<double> numbers;
        for (const std::string& value : values) {
            if (const std::optional<double> number = read(value)) {
                numbers.push_back(*number);
            }
        }
        if (numbers.size() == values.size()) {
            return numbers;
        }
    }
    return {};
}

/// Sorts the values of a numeric axis in ascending order, and adjusts the points' places in it.
void sort_numbers(SweepDirectory& sweep, std::size_t axis_index) {
    SweepAxis& axis = sweep.axes[axis_index];
    const std::vector<double> numbers = numbers_of(axis.values);
    if (numbers.empty()) {
        return;
    }
    std::vector<std::size_t> order(numbers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return numbers[i]; });
    std::vector<std::size_t> place(order.size());
    std::vector<std::string> values;
    for (std::size_t i = 0; i < order.size(); ++i) {
        place[order[i]] = i;
        values.push_back(std::move(axis.values[order[i]]));
        axis.numbers.push_back(numbers[order[i]]);
    }
    axis.values = std::move(values);
    for (std::vector<std::size_t>& point : sweep.points) {
        point[axis_index] = place[point[axis_index]];
    }
}

/// The index of each point, by the texts of its axes.

PointIndex read_points(const fs::path& path, SweepDirectory& sweep) {
    CsvReader csv(path);
    const std::size_t key_column = csv.column("key");
    const std::size_t point_column = csv.column("point");
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < csv.header().size(); ++c) {
        if (c != key_column && c != point_column) {
            columns.push_back(c);
            sweep.axes.push_back({csv.header()[c], {}, {}});
        }
    }
    std::vector<std::map<std::string, std::size_t>> places(columns.size());
    PointIndex index;
    while (csv.next()) {
        std::vector<std::string> texts;
        std::vector<std::size_t> point;
        for (std::size_t a = 0; a < columns.size(); ++a) {
            texts.push_back(csv.field(columns[a]));
            const auto [at, added] = places[a].try_emplace(texts.back(), places[a].size());
            if (added) {
                sweep.axes[a].values.push_back(texts.back());
            }
            point.push_back(at->second);
        }
        if (!index.try_emplace(std::move(texts), sweep.points.size()).second) {
            csv.fail(columns.empty() ? key_column : columns.front(),
                     "a point above has the same values: expected each once");
        }
        sweep.points.push_back(std::move(point));
        sweep.keys.push_back(csv.field(key_column));
    }
    if (sweep.points.empty()) {
        throw core::InputError(
            fmt::format("{}:1:1: error: no point: expected one row a point", path.string()));
    }
    return index;
}

std::int64_t replication_in(const CsvReader& csv, std::size_t column) {
    const double number = csv.required_number(column);
    if (number < 0 || number > 1e9 || number != std::floor(number)) {
        csv.fail(column, "expected the number of a replication: 0, 1, ...");
    }
    return static_cast<std::int64_t>(number);
}

/// Reads the rows of results.csv, and their metrics into `numbers`, row by row.
std::vector<ResultRow> read_rows(const fs::path& path,
                                 const PointIndex& index,
                                 SweepDirectory& sweep,
                                 std::vector<double>& numbers) {
    CsvReader csv(path);
    std::vector<std::size_t> axis_columns;
    for (const SweepAxis& axis : sweep.axes) {
        axis_columns.push_back(csv.column(axis.name));
    }
    const std::size_t replication_column = csv.column("replication");
    const std::size_t seed_column = csv.column("seed");
    std::vector<std::size_t> metric_columns;
    const std::vector<bool> repeated = repeated_for_sql(csv.header());
    for (std::size_t c = 0; c < csv.header().size(); ++c) {
        if (c != replication_column && c != seed_column && !repeated[c] &&
            std::ranges::find(axis_columns, c) == axis_columns.end()) {
            metric_columns.push_back(c);
            sweep.metrics.push_back({csv.header()[c], {}});
        }
    }
    std::vector<ResultRow> rows;
    std::vector<std::string> texts(axis_columns.size());
    while (csv.next()) {
        for (std::size_t a = 0; a < axis_columns.size(); ++a) {
            texts[a] = csv.field(axis_columns[a]);
        }
        const auto point = index.find(texts);
        if (point == index.end()) {
            csv.fail(axis_columns.empty() ? replication_column : axis_columns.front(),
                     "no point of points.csv has these values");
        }
        rows.push_back(
            {point->second, replication_in(csv, replication_column), csv.field(seed_column)});
        for (const std::size_t c : metric_columns) {
            numbers.push_back(csv.number(c).value_or(not_a_number));
        }
    }
    return rows;
}

/// The seeds by replication; empty if points differ in them.
std::vector<std::string> common_seeds(const std::vector<ResultRow>& rows,
                                      const std::vector<std::size_t>& place,
                                      std::size_t count) {
    std::vector<std::string> seeds(count);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::string& seed = seeds[place[i]];
        if (!seed.empty() && seed != rows[i].seed) {
            return {};
        }
        seed = rows[i].seed;
    }
    return seeds;
}

void take_rows(const fs::path& path,
               const std::vector<ResultRow>& rows,
               const std::vector<double>& numbers,
               SweepDirectory& sweep) {
    for (const ResultRow& row : rows) {
        sweep.replications.push_back(row.replication);
    }
    std::ranges::sort(sweep.replications);
    const auto rest = std::ranges::unique(sweep.replications);
    sweep.replications.erase(rest.begin(), rest.end());
    const std::size_t count = sweep.replications.size();
    for (SweepMetric& metric : sweep.metrics) {
        metric.values.assign(sweep.points.size() * count, not_a_number);
    }
    sweep.finished.assign(sweep.points.size(), false);
    std::vector<bool> seen(sweep.points.size() * count);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto at = std::ranges::lower_bound(sweep.replications, rows[i].replication);
        const auto place = static_cast<std::size_t>(at - sweep.replications.begin());
        places.push_back(place);
        const std::size_t cell = rows[i].point * count + place;
        if (seen[cell]) {
            throw core::InputError(
                fmt::format("{}: error: replication {} of point {} is there twice: expected one "
                            "row a point and replication",
                            path.string(),
                            rows[i].replication,
                            rows[i].point));
        }
        seen[cell] = true;
        sweep.finished[rows[i].point] = true;
        for (std::size_t m = 0; m < sweep.metrics.size(); ++m) {
            sweep.metrics[m].values[cell] = numbers[i * sweep.metrics.size() + m];
        }
    }
    sweep.seeds = common_seeds(rows, places, count);
}

std::optional<double> known(double value) {
    return std::isnan(value) ? std::nullopt : std::optional(value);
}

/// If a replication of a point did not reach a percentile, there is no mean over the others: it
/// would be the mean of the shorter ones. So the metric is left out at that point.
void leave_out_not_reached(SweepDirectory& sweep,
                           std::size_t point,
                           std::size_t metric,
                           std::vector<bool> told) {
    const auto begin =
        sweep.metrics[metric].values.begin() + static_cast<std::ptrdiff_t>(point * told.size());
    for (std::size_t r = 0; r < told.size(); ++r) {
        double& value = begin[static_cast<std::ptrdiff_t>(r)];
        if (!told[r] && known(value)) {
            sweep.exceptions[point].push_back({r, metric, {.value = value, .at_least = {}}});
        }
        value = not_a_number;
    }
}

void read_censored(const fs::path& path, SweepDirectory& sweep) {
    if (!core::exists(path)) {
        return;  // written by an older version of berth
    }
    std::map<std::string, std::size_t> metrics;
    for (std::size_t m = 0; m < sweep.metrics.size(); ++m) {
        metrics.emplace(sweep.metrics[m].name, m);
    }
    CsvReader csv(path);
    const auto [point_column, replication_column, metric_column, at_least, never_started] =
        csv.columns("point", "replication", "metric", "at_least", "never_started");
    const std::size_t count = sweep.replications.size();
    std::map<std::pair<std::size_t, std::size_t>, std::vector<bool>> told;
    std::set<std::pair<std::size_t, std::size_t>> not_reached;
    while (csv.next()) {
        const double number = csv.required_number(point_column);
        const auto replication =
            std::ranges::lower_bound(sweep.replications, replication_in(csv, replication_column));
        const auto metric = metrics.find(csv.field(metric_column));
        if (number < 0 || number >= static_cast<double>(sweep.points.size()) ||
            replication == sweep.replications.end()) {
            csv.fail(point_column, "results.csv does not have its row: expected one of its own");
        }
        if (metric == metrics.end()) {
            continue;  // an axis has the same name, so results.csv uses another one for the metric
        }
        const auto point = static_cast<std::size_t>(number);
        const auto r = static_cast<std::size_t>(replication - sweep.replications.begin());
        const ReplicationTable::Figure figure{
            .value = known(sweep.metrics[metric->second].values[point * count + r]),
            .at_least = csv.number(at_least),
            .never_started = csv.number(never_started).value_or(0)};
        sweep.exceptions[point].push_back({r, metric->second, figure});
        told.try_emplace({point, metric->second}, count).first->second[r] = true;
        if (figure.at_least && !figure.value) {
            not_reached.emplace(point, metric->second);
        }
    }
    for (const auto& [point, metric] : not_reached) {
        leave_out_not_reached(sweep, point, metric, told.at({point, metric}));
    }
}

std::vector<std::string> warnings_of(const SweepDirectory& sweep, const fs::path& path) {
    std::vector<fs::path> folders;
    std::vector<std::string> names;
    for (std::size_t point = 0; point < sweep.points.size(); ++point) {
        if (sweep.finished[point]) {
            folders.push_back(path / "points" / sweep.keys[point]);
            names.push_back(point_name(sweep, point));
        }
    }
    return sweep_warnings(folders, names);
}

}  // namespace

std::string run_name(const fs::path& path) {
    fs::path whole = fs::absolute(path).lexically_normal();
    if (!whole.has_filename()) {  // the path ends in a slash
        whole = whole.parent_path();
    }
    const std::string point = point_of_sweep(whole);
    return point.empty() ? whole.filename().string() : point;
}

bool SweepAxis::is_given() const {
    return std::ranges::adjacent_find(work, std::not_equal_to()) != work.end();
}

bool SweepAxis::changes_cluster() const {
    return std::ranges::adjacent_find(cluster, std::not_equal_to()) != cluster.end();
}

bool is_sweep_directory(const fs::path& path) {
    return core::exists(path / "sweep.yaml") || core::exists(path / "points.csv");
}

SweepDirectory read_sweep_directory(const fs::path& path) {
    for (const char* file : {"sweep.yaml", "points.csv", "results.csv"}) {
        if (!core::exists(path / file)) {
            throw core::InputError(
                fmt::format("{}: error: this is no finished sweep: it has no {}: expected a folder "
                            "that 'berth sweep' wrote (its --collect writes the tables anew)",
                            path.string(),
                            file));
        }
    }
    SweepDirectory sweep;
    sweep.directory = fs::weakly_canonical(path).filename().string();
    sweep.configuration = core::text_of_file(path / "sweep.yaml");
    const YAML::Node document = sweep_document(sweep.configuration, path / "sweep.yaml");
    sweep.name = name_in(document).value_or(sweep.directory);
    const PointIndex index = read_points(path / "points.csv", sweep);
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
        sort_numbers(sweep, a);
    }
    take_kinds(document, sweep);
    std::vector<double> numbers;
    const std::vector<ResultRow> rows = read_rows(path / "results.csv", index, sweep, numbers);
    take_rows(path / "results.csv", rows, numbers, sweep);
    read_censored(path / "censored.csv", sweep);
    sweep.warnings = warnings_of(sweep, path);
    return sweep;
}

}  // namespace berth::report
