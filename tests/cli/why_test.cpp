#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

using Json = nlohmann::json;

/// Jobs of many kinds on four servers, more than fit.
const std::string busy = R"(kind: Experiment
metadata: {name: busy}
spec:
  replications: 2
  topology:
    spec:
      levels: [{name: rack, count: 2}, {name: server, count: 2}]
      machines: [{type: hgx}]
      machineTypes: {hgx: {capacity: {cpu: 64}, devices: {gpu: {count: 4, model: H100}}}}
  types:
    share: {cpu: 4, nvidia.com/gpu: 300m}
    two: {cpu: 16, nvidia.com/gpu: 2}
  workload:
    - generate:
        name: job
        arrivals: {distribution: exponential, mean: 5s}
        count: 60
        service: {distribution: exponential, mean: 5m}
        mix:
          - {type: share, name: share, weight: 3}
          - {type: two, name: two}
          - group:
              spec:
                group: {name: g, size: 4, type: share}
                constraints: [{level: rack, affinity: pack, soft: false, scope: group}]
  scheduler: {profile: {}}
)";

}  // namespace

TEST_CASE("why: a run goes the same way when a job of it is watched", "[cli][why]") {
    const std::string profile = GENERATE(as<std::string>(),
                                         "{reserve: [gpu-sharing], score: [random]}",
                                         "{reserve: [gpu-sharing], score: [gpu-packing]}",
                                         "{reserve: [device-allocator]}",
                                         "{queueSort: easy-backfill}",
                                         "{queueSort: fcfs}",
                                         "{queueSort: shortest-job}");
    CAPTURE(profile);
    const Folder folder;
    // A third of a GPU only exists if GPUs are shared.
    const bool shares = profile.find("gpu-sharing") != std::string::npos;
    folder.write("busy.yaml", shares ? busy : replaced(busy, "300m", "1"));
    done(folder,
         {"run", "busy.yaml", "-o", "out", "-q", "--set", "spec.scheduler.profile=" + profile});
    std::map<std::string, CsvRow> jobs;  // the last pod of each job
    for (const CsvRow& row : csv_rows(folder.read("out/pods.csv"))) {
        if (row.at("replication") == "1") {
            jobs[row.at("group").empty() ? row.at("pod") : row.at("group")] = row;
        }
    }
    std::size_t waited = 0;
    std::size_t asked = 0;
    for (const auto& [name, row] : jobs) {
        const bool waits = row.at("wait_s") != "0";
        if (++asked % 4 != 0) {
            continue;
        }
        CAPTURE(name);
        const Json why =
            Json::parse(done(folder, {"why", "out", name, "--replication", "1", "--json"}));
        CHECK(why["differs"].is_null());
        CHECK(why["start_s"] == std::stod(row.at("start_s")));
        CHECK((why["failed_attempts"] > 0 || !waits));
        if (why["failed_attempts"] > 0) {
            ++waited;
            CHECK(why["story"].back()["to_s"] < why["start_s"]);
            const bool held_up = why["last_failure"]["stage"] == "queue";
            CHECK((held_up || !why["last_failure"]["changes"].empty()));
        }
    }
    CHECK(waited > 0);
}

TEST_CASE("why: a window that the run found is the window of its metrics", "[cli][why]") {
    const Folder folder;
    folder.write("busy.yaml", replaced(busy, "300m", "1"));
    done(folder, {"run", "busy.yaml", "-o", "out", "-q", "--set", "spec.record.warmUp=auto"});
    const Json summary = Json::parse(folder.read("out/summary.json"));
    REQUIRE(summary["window"]["from_s"] > 0);
    const Json why = Json::parse(done(folder, {"why", "out", "g-0", "--json"}));
    CHECK(why["differs"].is_null());
}

TEST_CASE("why: what a person reads", "[cli][why]") {
    const Folder folder;
    folder.write("two.yaml", read_file(project_file("experiments/quota/lend-and-take-back.yaml")));
    done(folder, {"run", "two.yaml", "-o", "out", "-q"});
    CHECK_THAT(done(folder, {"why", "out", "a-30"}),
               Catch::StartsWith("pod a-30 of lend-and-take-back, replication 0\n"
                                 "  It was placed at once, on cluster/server-0.\n\n  asks for "));
    const std::string evicted = done(folder, {"why", "out", "a-84"});
    CHECK_THAT(
        evicted,
        Catch::StartsWith("pod a-84 of lend-and-take-back, replication 0\n"
                          "  It waited 1 h 59 min 50 s, and was evicted 1 time: its one failed "
                          "attempt stopped at quota A.\n"
                          "  The smallest change that would have let it in at 1 h 10 s: a-0 "
                          "has ended (1.00 % of the cluster).\n\n  asks for cpu 1\n"));
    CHECK_THAT(
        evicted,
        Catch::Contains("  1 h 10 s: evicted (revoked) after 1 h 10 s, 1 h 10 s of work lost\n"
                        "  1 h 10 s: 1 attempt, stopped at quota A\n") &&
            Catch::Contains("\n  3 h: started on cluster/server-4\n"));
    const std::string stages = done(folder, {"why", "out", "b-95"});
    CHECK_THAT(
        stages,
        Catch::Contains("The last attempt that failed, at 1 h 10 s, stopped at quota B:\n") &&
            Catch::Contains("What stopped it most often, at 1 h, stopped at filter:\n"));
    // Like a run directory written by an older version, or edited by hand.
    const std::string table = folder.read("out/replications.csv");
    folder.write("out/replications.csv", replaced(table, ",180500,", ",180501,"));
    const Answer other = folder.berth({"why", "out", "a-30"});
    CHECK(other.status == 0);
    CHECK_THAT(other.err, Catch::Contains("which gives other results"));
    folder.write("out/experiment.yaml", folder.read("out/experiment.yaml") + "\n");
    CHECK_THAT(folder.berth({"why", "out", "a-30"}).err,
               Catch::Contains("its experiment.yaml is not the one that it was made of"));
}

TEST_CASE("why: what it cannot tell of is one line", "[cli][why][bad-input]") {
    const Folder folder;
    folder.write("busy.yaml", busy);
    done(folder,
         {"run", "busy.yaml", "-o", "out", "-q", "--set", "spec.scheduler.profile.score=[random]"});
    const std::vector<std::string> before = folder.listing();
    const auto [arguments, message] = GENERATE(table<Arguments, std::string>({
        {{"why", "none", "share-0"},
         "none: error: no such run: expected a run directory, or a point of a sweep as "
         "DIR:axis=value,axis=value"},
        {{"why", "out", "shares-1"},
         "busy: error: no pod or group 'shares-1': expected a name of its pods.csv or groups.csv "
         "(did you mean 'share-"},
        {{"why", "out", "share-0", "--replication", "2"},
         "--replication: error: no replication 2: expected 0 to 1"},
        {{"why", "out", "share-0", "--replication", "x"},
         "--replication: error: found 'x': expected a whole number from 0 to"},
    }));
    CAPTURE(arguments);
    const Answer answer = folder.berth(arguments);
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err, Catch::StartsWith(message));
    CHECK(std::ranges::count(answer.err, '\n') == 1);
    CHECK(answer.out.empty());
    CHECK(folder.listing() == before);
}

TEST_CASE("why: a manifest that says other things than berth's is not believed",
          "[cli][why][bad-input]") {
    const Folder folder;
    folder.write("busy.yaml", replaced(busy, "300m", "1"));
    done(folder,
         {"run",
          "busy.yaml",
          "-o",
          "out",
          "-q",
          "--set",
          "spec.replications=1",
          "--set",
          "spec.record.warmUp=auto"});
    const auto manifest = nlohmann::json::parse(folder.read("out/manifest.json"));
    for (const auto& [key, value, status] : std::vector<std::tuple<std::string, std::string, int>>{
             {"schema", "5", 2},
             {"inputs", "5", 0},
             {"inputs", R"({"experiment.yaml": 5})", 0},
             {"fingerprint", "5", 0},
             {"window", "5", 0},
             {"window", R"({"from_ns": "a"})", 0},
             {"window", R"({"from_ns": 9, "to_ns": -5})", 0}}) {
        CAPTURE(key, value);
        auto changed = manifest;
        changed[key] = nlohmann::json::parse(value);
        folder.write("out/manifest.json", changed.dump());
        const Answer answer = folder.berth({"why", "out", "g-0"});
        CHECK(answer.status == status);
        CHECK_THAT(answer.err, !Catch::Contains("json.exception"));
    }
}
