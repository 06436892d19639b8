
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"
#include "sweeps.hpp"

using namespace berth::tests;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

}  // namespace

TEST_CASE("sweep: a key of one's own that is called file names no file", "[cli][sweep]") {
    const Folder folder;
    folder.write("base.yaml",
                 "kind: Experiment\nmetadata: {name: base, labels: {file: mine}}\nspec:\n"
                 "  topology: {spec: {levels: [{name: file, count: 2}, {name: server, count: 2}], "
                 "machines: [{type: small}], machineTypes: {small: {capacity: {cpu: 8, file: 4}, "
                 "labels: {file: pool}}}}}\n"
                 "  types: {worker: {cpu: 2, file: 1}}\n"
                 "  runTime: {classes: {any: {server: 1, file: 1.5}}}\n"
                 "  workload: [{pods: [{name: p, type: worker, lifetime: 1h, "
                 "nodeSelector: {file: pool}}]}]\n");
    folder.write("sweep.yaml",
                 "kind: Sweep\nmetadata: {name: s}\nspec:\n  experiment: {file: base.yaml}\n"
                 "  axes:\n"
                 "    - {name: pieces, path: spec.types.worker.file, values: [1, 2]}\n"
                 "    - {name: slow, path: spec.runTime.classes.any.file, values: [1.5, 2]}\n");
    const Answer answer = folder.berth({"sweep", "sweep.yaml"});
    CAPTURE(answer.err);
    CHECK(answer.status == 0);
    const auto rows = csv_rows(folder.read("out/s/results.csv"));
    REQUIRE(rows.size() == 4);
    CHECK(rows.front().at("pods_finished") == "1");
    CHECK_THAT(folder.read("out/s/sweep.yaml"), !Catch::Contains("/pool"));
}

TEST_CASE("sweep: a row a point and replication, axes first, the last axis fastest",
          "[cli][sweep]") {
    const Folder folder;
    write_inputs(folder);
    CHECK_THAT(points_now(folder), Catch::StartsWith("s: 6 of 6 points done, 6 now"));
    const auto rows = lines_of(folder.read("out/s/results.csv"));
    REQUIRE(rows.size() == 13);
    CHECK_THAT(rows[0], Catch::StartsWith("mean,policy,replication,seed,pods_submitted,"));
    const auto row_of = [](const std::string& key) {
        // The seeds of the first two replications of seed 1, for any point.
        const char* seed = key.back() == '0' ? ",5079586397684586," : ",7659336421106120,";
        return Catch::StartsWith(key + seed + "40,");
    };
    CHECK_THAT(rows[1], row_of("30s,first,0"));
    CHECK_THAT(rows[2], row_of("30s,first,1"));
    CHECK_THAT(rows[3], row_of("30s,best,0"));
    CHECK_THAT(rows[12], row_of("2m,best,1"));
    const auto points = lines_of(folder.read("out/s/points.csv"));
    REQUIRE(points.size() == 7);
    CHECK(points[0] == "point,key,mean,policy");
    CHECK(points[6].ends_with(",2m,best"));
    CHECK(points_in(folder, "s").size() == 6);

    SECTION("run again, nothing is computed and the bytes stay") {
        const std::string before = folder.read("out/s/results.csv");
        CHECK_THAT(points_now(folder), Catch::Contains("6 of 6 points done, 0 now"));
        CHECK(folder.read("out/s/results.csv") == before);
        CHECK_THAT(done(folder, {"sweep", "out/s"}), Catch::Contains(", 0 now"));
        CHECK_THAT(done(folder, {"sweep", "out/s", "--dry-run"}),
                   Catch::Contains("6 points, 6 done"));
    }
    SECTION("a value more, and only its points are computed") {
        folder.write("sweep.yaml", replaced(base_sweep, "1m, 2m", "1m, 2m, 4m"));
        CHECK_THAT(points_now(folder), Catch::Contains("8 of 8 points done, 2 now"));
    }
    SECTION("another content of a file that the experiment names is another point") {
        folder.write("cluster.yaml", replaced(base_cluster, "cpu: 8", "cpu: 16"));
        CHECK_THAT(points_now(folder), Catch::Contains("6 of 6 points done, 6 now"));
    }
    SECTION("spaces and comments are no other point") {
        folder.write("base.yaml", "# As before.\n" + base_experiment);
        CHECK_THAT(points_now(folder), Catch::Contains(", 0 now"));
    }
    SECTION("the points of another build are computed again, and that is said") {
        // This imitates a first point made by other sources: it has their digest, and therefore
        // another key.
        const std::string key = points[1].substr(2, 32);
        const std::string other(32, '0');
        const auto in_points = folder.path() / "out/s/points";
        std::filesystem::rename(in_points / key, in_points / other);
        folder.write("out/s/points.csv", replaced(folder.read("out/s/points.csv"), key, other));
        const std::string manifest = "out/s/points/" + other + "/manifest.json";
        const auto json = nlohmann::json::parse(folder.read(manifest));
        const std::string sources = json.at("sources");
        CHECK_THAT(done(folder, {"--version"}), Catch::Contains("(sources " + sources + ")"));
        folder.write(manifest, replaced(folder.read(manifest), sources, "fedcba9876543210"));
        const Answer again = folder.berth({"sweep", "sweep.yaml"});
        CHECK(again.status == 0);
        CHECK_THAT(again.out, Catch::Contains(", 1 now"));
        CHECK_THAT(again.err,
                   Catch::Contains("s: points in out/s were computed by berth 0.3.0 (sources "
                                   "fedcba9876543210), and this is berth 0.3.0 (sources " +
                                   sources + "): they are computed again\n"));
        CHECK(folder.berth({"sweep", "sweep.yaml"}).err.empty());
    }
    SECTION("what is removed is computed again, and the results are made from what is there") {
        const std::string before = folder.read("out/s/results.csv");
        std::filesystem::remove_all(folder.path() / "out/s/points" / points[1].substr(2, 32));
        std::filesystem::remove(folder.path() / "out/s/results.sqlite");
        CHECK_THAT(points_now(folder, {"--collect"}), Catch::Contains("5 of 6 points done, 0 now"));
        CHECK(lines_of(folder.read("out/s/results.csv")).size() == 11);
        CHECK(std::filesystem::exists(folder.path() / "out/s/results.sqlite"));
        CHECK_THAT(points_now(folder), Catch::Contains("6 of 6 points done, 1 now"));
        CHECK(folder.read("out/s/results.csv") == before);
    }
    SECTION("a point is the run of its own experiment") {
        done(folder,
             {"run",
              "base.yaml",
              "-o",
              "run",
              "--quiet",
              "--set",
              "spec.replications=2",
              "--set",
              "spec.workload[0].generate.arrivals.mean=30s",
              "--set",
              "spec.scheduler.profile.score=[first-fit]"});
        const std::string point = "out/s/points/" + points[1].substr(2, 32);
        for (const char* file : {"/experiment.yaml", "/pods.csv", "/summary.json"}) {
            CHECK(folder.read(point + file) == folder.read(std::string("run") + file));
        }
    }
}

TEST_CASE("sweep: those that are ready can be run", "[cli][sweep]") {
    const Folder folder;
    const std::filesystem::path project = BERTH_SOURCE_DIR;
    std::vector<std::filesystem::path> sweeps{project / "docs/examples/racks.yaml"};
    for (const auto& entry : std::filesystem::directory_iterator(project / "experiments/sweeps")) {
        if (entry.path().extension() == ".yaml") {
            sweeps.push_back(entry.path());
        }
    }
    CHECK(sweeps.size() == 4);
    for (const auto& sweep : sweeps) {
        CHECK(done(folder, {"validate", sweep}) == sweep.string() + ": valid\n");
    }
    // The README's sweep, over a shorter day.
    done(folder,
         {"sweep",
          project / "docs/examples/racks.yaml",
          "-o",
          "racks",
          "--quiet",
          "--set",
          "spec.workload[0].generate.until=6h"});
    CHECK(lines_of(folder.read("racks/results.csv")).size() == 1 + 6 * 10);
}

TEST_CASE("sweep: under every policy the same pods arrive at the same times", "[cli][sweep]") {
    const Folder folder;
    write_inputs(folder);
    points_now(folder);
    const auto points = lines_of(folder.read("out/s/points.csv"));
    std::set<std::vector<std::string>> arrivals;
    for (std::size_t i = 1; i <= 2; ++i) {
        std::vector<std::string> of;
        for (const auto& row :
             csv_rows(folder.read("out/s/points/" + points[i].substr(2, 32) + "/pods.csv"))) {
            of.push_back(row.at("replication") + "," + row.at("pod") + "," + row.at("submit_s"));
        }
        CHECK(of.size() == 80);
        arrivals.insert(of);
    }
    CHECK(arrivals.size() == 1);
}

TEST_CASE("sweep: axes that go together, and combinations left out", "[cli][sweep]") {
    const Folder folder;
    write_inputs(folder, R"(apiVersion: berth/v1
kind: Sweep
metadata: {name: s}
spec:
  experiment: {file: base.yaml}
  axes:
    - {name: cpu, path: 'spec.topology.spec.machineTypes.small.capacity.cpu', values: [8, 16]}
    - {name: count, path: 'spec.workload[0].generate.count', range: {from: 10, to: 30, step: 10}}
    - {name: racks, path: 'spec.topology.spec.levels[0].count', values: [1, 2]}
  zip: [[cpu, racks]]
  exclude: [{count: 20.0, cpu: 16}, {count: [10], racks: 1}]
)");
    const std::string text = done(folder, {"sweep", "sweep.yaml", "--dry-run"});
    CHECK_THAT(text, Catch::Contains("4 points, 0 done"));
    std::vector<std::string> names;
    for (const std::string& line : lines_of(text)) {
        names.push_back(line.substr(std::min(line.find("cpu="), line.size())));
    }
    CHECK(std::vector(names.begin() + 1, names.end()) ==
          std::vector<std::string>{"cpu=8, count=20, racks=1",
                                   "cpu=8, count=30, racks=1",
                                   "cpu=16, count=10, racks=2",
                                   "cpu=16, count=30, racks=2"});
    CHECK(folder.listing() == std::vector<std::string>{"base.yaml", "cluster.yaml", "sweep.yaml"});
}

TEST_CASE("sweep: parts by hand make the whole", "[cli][sweep]") {
    const Folder folder;
    write_inputs(folder);
    points_now(folder);
    for (const char* shard : {"0/4", "1/4", "2/4", "3/4"}) {
        CHECK(folder.berth({"sweep", "sweep.yaml", "-o", "parts", "--shard", shard}).status == 0);
    }
    CHECK_FALSE(std::filesystem::exists(folder.path() / "parts/results.csv"));
    CHECK_THAT(points_now(folder, {"-o", "parts", "--collect"}), Catch::Contains("6 of 6 points"));
    CHECK(folder.read("parts/results.csv") == folder.read("out/s/results.csv"));
}

TEST_CASE("sweep: what Slurm would get, and what cannot stand with it", "[cli][sweep][slurm]") {
    const Folder folder;
    write_inputs(folder,
                 base_sweep + "  slurm: {partition: long, time: 90m, options: [--mem=1G]}\n");
    const std::string plan =
        done(folder, {"sweep", "sweep.yaml", "-o", "o", "--slurm", "--dry-run"});
    CHECK(plan.starts_with("6 points missing, 6 tasks:"));
    CHECK(plan.find("--partition=long --time=0-01:30:00 --mem=1G --parsable") != std::string::npos);
    CHECK(plan.find("--array=0-5%100") != std::string::npos);
    CHECK(plan.find("--shard \"$SLURM_ARRAY_TASK_ID/6\"") != std::string::npos);
    CHECK(folder.listing() == std::vector<std::string>{"base.yaml", "cluster.yaml", "sweep.yaml"});
    const Answer answer = folder.berth({"sweep", "sweep.yaml", "--slurm", "--shard", "0/2"});
    CHECK(answer.status == 2);
    CHECK(answer.err == "--slurm: error: cannot stand with --shard: expected one of them\n");
}

TEST_CASE("sweep: a point that cannot run is named, and the others are there", "[cli][sweep]") {
    const Folder folder;
    // Each value is valid with the first values of the other axes, but these two are not valid
    // together.
    write_inputs(folder, R"(apiVersion: berth/v1
kind: Sweep
metadata: {name: s}
spec:
  experiment: {file: base.yaml}
  axes:
    - {name: type, path: 'spec.workload[0].generate.type', values: [worker, other]}
    - name: other
      variants:
        there: {'spec.types.other': {cpu: 1}}
        gone: {}
)");
    const Answer answer = folder.berth({"sweep", "sweep.yaml"});
    CHECK(answer.status == 1);
    CHECK_THAT(answer.err, Catch::StartsWith("point 3 (type=other, other=gone): "));
    CHECK_THAT(answer.err,
               Catch::Contains("s: 1 of 4 points failed: the same command fails there again, until "
                               "the sweep or a file that it names is changed\n"));
    CHECK_THAT(answer.out, Catch::Contains("3 of 4 points"));
}

TEST_CASE("sweep: what it will write is of the part that is wanted and missing", "[cli][sweep]") {
    const Folder folder;
    write_inputs(folder);
    const auto said = [&](const Arguments& more) {
        Arguments dry{"sweep", "sweep.yaml", "--dry-run"};
        dry.insert(dry.end(), more.begin(), more.end());
        return folder.berth(dry).err;
    };
    const auto kilobytes = [](const std::string& text) {
        const std::string before = "will write about ";
        return std::stod(text.substr(text.find(before) + before.size()));
    };
    const double all = kilobytes(said({}));
    const double first = kilobytes(said({"--shard", "0/2"}));
    const double second = kilobytes(said({"--shard", "1/2"}));
    CHECK(first > 0);
    CHECK(second > 0);
    CHECK(first + second == Approx(all).epsilon(0.02));  // three digits are shown
    (void)done(folder, {"sweep", "sweep.yaml", "--shard", "0/2", "-q"});
    CHECK(kilobytes(said({})) == Approx(second).epsilon(0.02));
    CHECK_THAT(said({}),
               Catch::Matches("s: .* into out/s, where [0-9]+ of [0-9]+ points are done\n"));
}

TEST_CASE("sweep: one that will write much says so before it starts", "[cli][sweep]") {
    const Folder folder;
    write_inputs(folder);
    const Arguments dry{"sweep", "sweep.yaml", "--dry-run"};
    CHECK_THAT(folder.berth(dry).err,
               Catch::Matches("s: will write about [0-9.]+ kB into out/s\n"));
    Arguments much = dry;
    much.insert(much.end(), {"--set", "spec.workload[w].generate.count=200000"});
    CHECK_THAT(folder.berth(much).err,
               Catch::Matches("s: will write about [0-9.]+ MB into out/s; record: \\{placements: "
                              "false\\} and a larger record.sampleEvery write less\n"));
    const Answer small = folder.berth({"sweep", "sweep.yaml"});
    CHECK(small.err.empty());
    const std::string text = folder.berth(dry).err;
    const std::size_t count = csv_rows(folder.read("out/s/points.csv")).size();
    CHECK(text == fmt::format("s: will write about 0 kB into out/s, where {0} of {0} points are "
                              "done\n",
                              count));
}

TEST_CASE("sweep: an axis may be called as a metric, and another as its column would be",
          "[cli][sweep]") {
    const Folder folder;
    write_inputs(folder,
                 "apiVersion: berth/v1\nkind: Sweep\nmetadata: {name: s}\nspec:\n"
                 "  experiment: {file: base.yaml}\n  axes:\n"
                 "    - {name: makespan_s, path: spec.seed, values: [1]}\n"
                 "    - {name: makespan_s_metric, path: spec.replications, values: [1]}\n");
    (void)points_now(folder);
    CHECK(lines_of(folder.read("out/s/results.csv")).front().find(",makespan_s_metric_metric") !=
          std::string::npos);
    (void)done(folder, {"verify", "out/s"});
}
