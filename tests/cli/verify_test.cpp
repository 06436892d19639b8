#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

std::string with_replications(const std::string& seed) {
    return replaced(
        sound_experiment, "spec:\n", "spec:\n  replications: 2\n  seed: " + seed + "\n");
}

/// Writes a sweep of three points, two of which are finished. An axis has the name of a metric.
/// Returns the keys of the points.
std::vector<std::string> write_sweep(const Folder& folder) {
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", R"(apiVersion: berth/v1
kind: Sweep
metadata: {name: s}
spec:
  experiment: {file: e.yaml}
  axes:
    - {name: load, path: spec.workload[0].background.load, values: [0.1, 0.2]}
    - name: makespan_s
      variants: {pack: {spec.types.small.cpu: 4}, spread: {spec.types.small.cpu: 2}}
  exclude: [{load: 0.1, makespan_s: spread}]
  replications: 2
)");
    (void)done(folder, {"sweep", "s.yaml", "-q", "-o", "sweep"});
    std::istringstream points(folder.read("sweep/points.csv"));
    std::vector<std::string> keys;
    std::string row;
    for (std::getline(points, row); std::getline(points, row);) {
        const std::size_t at = row.find(',') + 1;
        keys.push_back(row.substr(at, row.find(',', at) - at));
    }
    REQUIRE(keys.size() == 3);
    std::filesystem::remove_all(folder.path() / "sweep/points" / keys[2]);
    (void)done(folder, {"sweep", "sweep", "--collect", "-q"});
    return keys;
}

}  // namespace

TEST_CASE("a run is verified: its files, and what recomputing gives", "[cli][verify]") {
    const Folder folder;
    folder.write("e.yaml", with_replications("3"));
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "run"});
    const auto before = folder.listing();
    CHECK(done(folder, {"verify", "run"}) ==
          "run: 9 of 9 files match manifest.json\nrun: the recomputed files match "
          "manifest.json\n");
    CHECK(folder.listing() == before);

    folder.write("run/pods.csv", folder.read("run/pods.csv") + "\n");
    std::filesystem::remove(folder.path() / "run/groups.csv");
    const Answer changed = folder.berth({"verify", "run", "-j", "1"});
    CHECK(changed.status == 1);
    CHECK(changed.out ==
          "run: groups.csv is missing\nrun: pods.csv was changed since the "
          "run\nrun: 7 of 9 files match manifest.json\nrun: the recomputed files "
          "match manifest.json\n");

    // A manifest that claims what no run produced: both the bytes and the trajectory differ.
    auto manifest = nlohmann::ordered_json::parse(folder.read("run/manifest.json"));
    manifest["seed"] = 4;
    manifest["replications"] = 1;
    manifest["inputs"]["other.csv"] = "";
    manifest["version"] = "0.0.1";
    manifest["fingerprint"] = "0";
    manifest["files"]["nodes.csv"] = std::string(64, '0');
    manifest["files"]["other.csv"] = std::string(64, '0');
    folder.write("run/manifest.json", manifest.dump());
    const Answer differs = folder.berth({"verify", "run"});
    CHECK(differs.status == 1);
    CHECK_THAT(differs.out, Catch::StartsWith("run: made by berth 0.0.1 (sources "));
    CHECK_THAT(differs.out, Catch::Contains("run: recomputed: nodes.csv differs\n"));
    CHECK_THAT(differs.out, Catch::Contains("run: recomputed: other.csv is not written any more"));
    CHECK_THAT(differs.out, Catch::Contains("run: recomputed: the trajectory differs"));
    CHECK_THAT(differs.out, Catch::Contains("manifest.json says of seed 4, and the run has 3\n"));
    CHECK_THAT(differs.out,
               Catch::Contains("manifest.json says of replications 1, and the run has 2\n"));
    CHECK_THAT(differs.out, Catch::Contains("manifest.json says of inputs {"));

    folder.write("run/experiment.yaml", folder.read("run/experiment.yaml") + "# mine\n");
    const Answer other = folder.berth({"verify", "run"});
    CHECK(other.status == 1);
    CHECK_THAT(other.out, Catch::Contains("run: not recomputed: "));
}

TEST_CASE("a sweep is verified point by point, and its table of results", "[cli][verify]") {
    const Folder folder;
    const auto keys = write_sweep(folder);
    CHECK(done(folder, {"verify", "sweep", "-j", "2"}) ==
          "sweep: all files are as they were written\nsweep: 2 of 3 points are "
          "finished; recomputing matches their manifests\n");

    const std::string results = folder.read("sweep/results.csv");
    const std::string second = "sweep/points/" + keys[1];
    const std::string begin = "\n0.1,pack,1,";
    const std::size_t at = results.find(begin) + begin.size();
    const std::string seed = results.substr(at, results.find(',', at) - at);
    folder.write("sweep/results.csv", replaced(results, begin + seed + ",", begin + "7,"));
    folder.write(second + "/nodes.csv", "");
    const Answer changed = folder.berth({"verify", "sweep"});
    CHECK(changed.status == 1);
    CHECK_THAT(changed.out,
               Catch::StartsWith(
                   std::string("sweep: point 1 (load=0.2,makespan_s=pack): nodes.csv was changed "
                               "since the run\n") +
                   "sweep: results.csv has '7' as seed of point 0, replication 1: its run has '" +
                   seed + "'\n"));
    folder.write("sweep/results.csv", results + "0.2,spread,0,5\n");
    const Answer short_row = folder.berth({"verify", "sweep"});
    CHECK(short_row.status == 1);
    CHECK_THAT(short_row.out,
               Catch::Contains("sweep: results.csv cannot be compared with its points: "));
    CHECK_THAT(short_row.out, Catch::Contains("nodes.csv was changed since the run\n"));
    folder.write("sweep/results.csv",
                 results.substr(0, results.rfind('\n', results.size() - 2) + 1));
    CHECK_THAT(folder.berth({"verify", "sweep"}).out,
               Catch::Contains("results.csv ends before point 1, replication 1\n"));
    const std::string sweep = folder.read("sweep/sweep.yaml");
    folder.write("sweep/sweep.yaml", replaced(sweep, "0.1", "0.15"));
    CHECK_THAT(folder.berth({"verify", "sweep"}).out,
               Catch::Contains("sweep: points.csv is not what sweep.yaml says: one of them was "));
    const std::string points_table = folder.read("sweep/points.csv");
    folder.write("sweep/points.csv", "number" + points_table);
    const Answer damaged = folder.berth({"verify", "sweep"});
    CHECK(damaged.status == 1);
    CHECK_THAT(damaged.out,
               Catch::StartsWith("sweep: points.csv is not as berth sweep writes it: sweep/"));
    folder.write("sweep/points.csv", points_table);
    std::filesystem::remove(folder.path() / "sweep/sweep.yaml");
    CHECK_THAT(folder.berth({"verify", "sweep"}).out, Catch::Contains("sweep.yaml is missing\n"));
    std::filesystem::remove(folder.path() / second / "manifest.json");
    CHECK_THAT(folder.berth({"verify", "sweep"}).out,
               Catch::Contains("point 1 (load=0.2,makespan_s=pack): cannot be recomputed: "));
}

TEST_CASE("what cannot be verified is said in a line", "[cli][verify]") {
    const Folder folder;
    folder.write("empty/file", "");
    folder.write("broken/manifest.json", "{}");
    folder.write("path/manifest.json",
                 R"({"schema": "berth.manifest/v1", "files": {"../file": "0"}})");
    folder.write("here/manifest.json", R"({"schema": "berth.manifest/v1", "files": {"": "0"}})");
    for (const char* name : {"nowhere", "empty", "broken", "path", "here"}) {
        CAPTURE(name);
        const Answer answer = folder.berth({"verify", name});
        CHECK(answer.status == 2);
        CHECK(answer.out.empty());
        CHECK_THAT(answer.err, Catch::Contains(": error: ") && Catch::Contains(": expected "));
        CHECK(answer.err.find('\n') + 1 == answer.err.size());
    }
}
