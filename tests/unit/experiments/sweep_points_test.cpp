#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/in_threads.hpp"
#include "experiments/program/sweep/axis_range.hpp"
#include "experiments/program/sweep/file_lock.hpp"
#include "experiments/program/sweep/points.hpp"
#include "experiments/program/sweep/read_sweep.hpp"

using namespace berth;
using namespace berth::experiments;

namespace {

core::Value parsed(const std::string& text) {
    auto source = std::make_shared<core::SourceText>();
    source->name = "text.yaml";
    source->text = text;
    return parse_documents(source).front();
}

/// A folder of the test's own, which is removed at the end.
struct Place {
    Place()
        : path(std::filesystem::temp_directory_path() /
               ("berth-sweep-points-test-" + std::to_string(::getpid()))) {
        std::filesystem::remove_all(path);
        std::filesystem::create_directories(path);
    }
    ~Place() { std::filesystem::remove_all(path); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    std::filesystem::path path;
};

/// A sweep over an experiment of which only the names matter.
SweepSpec sweep_of(const Place& place, const std::string& rest) {
    const auto file = place.path / "sweep.yaml";
    std::ofstream(file) << "apiVersion: berth/v1\nkind: Sweep\nmetadata: {name: s}\nspec:\n"
                           "  experiment: {apiVersion: berth/v1, kind: Experiment, "
                           "spec: {seed: 1, a: x, list: [1, 2], topology: {file: t.yaml}, "
                           "scheduler: {typicalPods: {file: pods.csv}}}}\n"
                        << rest;
    return read_sweep(file);
}

const char* const some_topology =
    "{kind: Topology, apiVersion: berth/v1, spec: {levels: [{name: server, count: 2}]}}\n";

}  // namespace

TEST_CASE("sweep: a range includes its end, in decimals, and whole numbers stay whole",
          "[experiments][sweep]") {
    using Texts = std::vector<std::string>;
    const auto [range, texts] = GENERATE(table<std::string, Texts>({
        {"{from: 0.1, to: 0.9, step: 0.2}", {"0.1", "0.3", "0.5", "0.7", "0.9"}},
        {"{from: 1, to: 3, step: 1}", {"1", "2", "3"}},
        {"{from: 1, to: 2, step: 0.5}", {"1", "1.5", "2"}},
        {"{from: 1.00, to: 2, step: 0.50}", {"1", "1.5", "2"}},
        {"{from: 1, to: 10, step: 4}", {"1", "5", "9"}},
        {"{from: -0.5, to: 0.5, step: 0.5}", {"-0.5", "0", "0.5"}},
        {"{from: 3, to: 1, step: -1}", {"3", "2", "1"}},
        {"{from: 1, to: 1000, factor: 10}", {"1", "10", "100", "1000"}},
        {"{from: 8, to: 1, factor: 0.5}", {"8", "4", "2", "1"}},
        {"{from: 0.001, to: 0.1, factor: 10}", {"0.001", "0.01", "0.1"}},
        {"{from: 5, to: 5, step: 1}", {"5"}},
        // Here sums of binary fractions would be off in the last digit and miss the end.
        {"{from: 0, to: 0.3, step: 0.1}", {"0", "0.1", "0.2", "0.3"}},
        {"{from: 2.1, to: 2.3, step: 0.1}", {"2.1", "2.2", "2.3"}},
        {"{from: 9007199254740993, to: 9007199254740994, step: 1}",
         {"9007199254740993", "9007199254740994"}},
        // Durations and amounts come in the smallest of the units that are written.
        {"{from: 5m, to: 10m, step: 1m}", {"5m", "6m", "7m", "8m", "9m", "10m"}},
        {"{from: 30s, to: 2m, step: 30s}", {"30s", "60s", "90s", "120s"}},
        {"{from: 1h30m, to: 2h30m, step: 30m}", {"90m", "120m", "150m"}},
        {"{from: 1m30s, to: 4m, factor: 1.5}", {"90s", "135s", "202.5s"}},
        {"{from: 0, to: 1h, step: 0.5h}", {"0h", "0.5h", "1h"}},
        {"{from: 1d, to: 36h, step: 6h}", {"24h", "30h", "36h"}},
        {"{from: 2h, to: 1h, step: -30m}", {"120m", "90m", "60m"}},
        {"{from: 1.5m, to: 6m, factor: 2}", {"1.5m", "3m", "6m"}},
        {"{from: 256Gi, to: 1Ti, factor: 2}", {"256Gi", "512Gi", "1024Gi"}},
        {"{from: 500m, to: 2000m, step: 500m}", {"500m", "1000m", "1500m", "2000m"}},
        {"{from: 1k, to: 3k, step: 1k}", {"1k", "2k", "3k"}},
    }));
    CAPTURE(range);
    core::Diagnostics diagnostics;
    CHECK(range_texts(parsed(range), diagnostics) == texts);
    CHECK_FALSE(diagnostics.failed());
}

TEST_CASE("sweep: a range that is none is refused", "[experiments][sweep]") {
    const auto [range, message] = GENERATE(table<std::string, std::string>({
        {"{from: 1, to: 2}", "without one of step and factor"},
        {"{from: 1, to: 2, step: 1, factor: 2}", "without one of step and factor"},
        {"{from: 1, to: 2, step: 0}", "an endless range"},
        {"{from: 1, to: 2, factor: 1}", "an endless range"},
        {"{from: 1, to: 2, factor: 0}", "an endless range"},
        {"{from: 0, to: 2, factor: 2}", "an endless range"},
        {"{from: 2, to: 1, step: 1}", "an empty range: expected a from not above its to"},
        {"{from: 1, to: 2, step: -1}", "an empty range: expected a from not below its to"},
        {"{from: 1, to: 9000000, step: 1}", "of more than 1000000 numbers"},
        {"{from: one, to: 2, step: 1}", "found 'one': expected a number, a duration or an amount"},
        {"{from: 1, to: 1e3, step: 1}", "found '1e3': expected a number, a duration or an amount"},
        {"{from: 5m, to: 10, step: 1m}", "a range whose units do not go together"},
        {"{from: 5s, to: 10, step: 1s}",
         "a range whose units do not go together: expected durations"},
        {"{from: 1Gi, to: 10G, step: 1Gi}", "a range whose units do not go together"},
        {"{from: 1m, to: 1h, factor: 2m}", "a range whose units do not go together"},
        {"{from: 1x, to: 2x, step: 1x}", "found '1x': expected a number, a duration or an amount"},
        {"{from: m, to: 2m, step: 1m}", "found 'm': expected a number"},
        {"{from: 1.2.3, to: 2, step: 1}", "found '1.2.3': expected a number"},
        {"{to: 2, step: 1}", "no 'from'"},
        {"{from: 1, to: 2, steps: 1}", "unknown key 'steps'"},
    }));
    CAPTURE(range);
    core::Diagnostics diagnostics;
    CHECK(range_texts(parsed(range), diagnostics).empty());
    CHECK_THROWS_WITH(diagnostics.throw_if_failed(), Catch::Contains(message));
}

TEST_CASE(
    "sweep: points are loops over the axes, the last the innermost; zipped ones step together",
    "[experiments][sweep]") {
    const Place place;
    const SweepSpec sweep = sweep_of(place,
                                     "  axes:\n"
                                     "    - {name: a, path: spec.a, values: [x, y]}\n"
                                     "    - {name: b, path: spec.list[0], values: [1, 2, 3]}\n"
                                     "    - {name: c, path: spec.list[1], values: [7, 8]}\n"
                                     "  zip: [[c, a]]\n"
                                     "  exclude: [{a: y, b: 2.0}]\n");
    const SweepPoints points(sweep);
    REQUIRE(points.size() == 5);
    CHECK(points.name(0) == "a=x, b=1, c=7");
    CHECK(points.name(1) == "a=x, b=2, c=7");
    CHECK(points.name(3) == "a=y, b=1, c=8");
    CHECK(points.name(4) == "a=y, b=3, c=8");
    CHECK(SweepPoints::product(sweep) == 6);
}

TEST_CASE("sweep: a key says what a point follows from, and nothing else", "[experiments][sweep]") {
    const Place place;
    std::ofstream(place.path / "t.yaml") << some_topology;
    std::ofstream(place.path / "pods.csv") << "one\n";
    const auto keys = [&](const std::string& rest) {
        const SweepSpec sweep = sweep_of(place, rest);
        const SweepPoints points(sweep);
        PointExperiments experiments(sweep, points);
        std::vector<PointKey> out;
        for (std::size_t point = 0; point < points.size(); ++point) {
            out.push_back(key_of(experiments.resolved(point)));
        }
        return out;
    };
    const auto two = keys("  axes: [{name: a, path: spec.a, values: [x, y]}]\n");
    REQUIRE(two.size() == 2);
    CHECK(two[0].size() == 32);
    CHECK(two[0] != two[1]);
    // The name of an axis does not count, and a value that the experiment already has is no change.
    CHECK(keys("  axes: [{name: other, path: spec.a, values: [y]}]\n")[0] == two[1]);
    CHECK(keys("")[0] == two[0]);
    CHECK(keys("  replications: 2\n")[0] != two[0]);
    // The content of a file counts, but not that it is in a file.
    std::ofstream(place.path / "t.yaml") << "# Only a comment.\n" << some_topology;
    CHECK(keys("")[0] == two[0]);
    CHECK(keys("  axes: [{name: n, path: spec.topology.spec.levels[0].count, values: [2]}]\n")[0] ==
          two[0]);
    std::ofstream(place.path / "t.yaml")
        << "{kind: Topology, apiVersion: berth/v1, spec: {levels: [{name: server, count: 3}]}}\n";
    CHECK(keys("")[0] != two[0]);
    CHECK(keys("  axes: [{name: n, path: spec.topology.spec.levels[0].count, values: [2]}]\n")[0] ==
          two[0]);
}

TEST_CASE("sweep: other sources of the program are another key", "[experiments][sweep]") {
    const core::Value experiment = parsed("{spec: {seed: 1}}");
    CHECK(key_of(experiment, "0123") == key_of(experiment, "0123"));
    CHECK(key_of(experiment, "0123") != key_of(experiment, "0124"));
    CHECK(key_of(experiment) == key_of(experiment, sources_digest()));
}

TEST_CASE("sweep: a file that is only digested is looked at again", "[experiments][sweep]") {
    const Place place;
    std::ofstream(place.path / "t.yaml") << some_topology;
    std::ofstream(place.path / "pods.csv") << "one\n";
    const SweepSpec sweep = sweep_of(place, "");
    const SweepPoints points(sweep);
    PointExperiments experiments(sweep, points);
    const PointKey before = key_of(experiments.resolved(0));
    CHECK(key_of(experiments.resolved(0)) == before);
    std::ofstream(place.path / "pods.csv") << "one and two\n";
    CHECK(key_of(experiments.resolved(0)) != before);
    // Content that is part of the experiment is kept as it was first read.
    std::ofstream(place.path / "pods.csv") << "one\n";
    std::ofstream(place.path / "t.yaml") << "nothing\n";
    CHECK(key_of(experiments.resolved(0)) == before);
}

TEST_CASE("sweep: a lock is held once, until it is let go, and leaves no file",
          "[experiments][sweep]") {
    const Place place;
    const auto path = place.path / "point.lock";
    {
        const auto held = FileLock::try_lock(path);
        REQUIRE(held);
        CHECK_FALSE(FileLock::try_lock(path));
    }
    CHECK_FALSE(std::filesystem::exists(path));
    // A lock file that a dead process left is no hindrance.
    std::ofstream(path) << "";
    CHECK(FileLock::try_lock(path));
    CHECK_THROWS_AS(FileLock::try_lock(place.path / "none" / "lock"), std::system_error);
}

TEST_CASE("sweep: names of files count from the sweep's folder, wherever they stand",
          "[experiments][sweep]") {
    const Place place;
    const std::string folder = place.path.string() + "/";
    using Row = std::array<std::string, 3>;
    const std::vector<Row> rows{
        {"spec.scheduler.kueue", "queues.yaml", folder + "queues.yaml"},
        {"spec.scheduler", "{kueue: queues.yaml}", "{kueue: " + folder + "queues.yaml}"},
        {"spec.scheduler.kueue",
         "{file: a.yaml, changes: [{file: b/c.yaml}]}",
         "{file: " + folder + "a.yaml, changes: [{file: " + folder + "b/c.yaml}]}"},
        {"spec.scheduler.batsim", "easy.so", folder + "easy.so"},
        {"spec.scheduler.python",
         "../mine.py:Mine",
         place.path.parent_path().string() + "/mine.py:Mine"},
        {"spec.topology", "{file: \"5\"}", "{file: " + folder + "5}"},
        // A name that only the caller of the experiment knows, and a map of the user's own.
        {"spec.scheduler.caller", "mine", "mine"},
        {"spec.a", "{kueue: x}", "{kueue: x}"},
    };
    for (const auto& [path, value, expected] : rows) {
        CAPTURE(path, value);
        std::string axes = "  axes:\n    - {name: s, variants: {one: {";
        axes += path + ": " + value + "}}}\n";
        const SweepSpec sweep = sweep_of(place, axes);
        const AxisValue& one = sweep.axes.front().values.front();
        CHECK(emit_yaml(one.changes.front().value) == emit_yaml(parsed(expected)));
    }
}

TEST_CASE("sweep: work in threads is done once each, and the first failure ends it",
          "[experiments][sweep]") {
    const unsigned threads = GENERATE(1U, 2U, 7U);
    std::vector<std::atomic<int>> times(100);
    in_threads(threads, times.size(), [&](std::size_t i) { ++times[i]; });
    for (const auto& count : times) {
        CHECK(count == 1);
    }
    std::atomic<int> begun = 0;
    CHECK_THROWS_WITH(in_threads(threads,
                                 1'000'000,
                                 [&](std::size_t i) {
                                     ++begun;
                                     if (i == 5) {
                                         throw std::runtime_error("five");
                                     }
                                 }),
                      "five");
    CHECK(begun < 1'000'000);
}
