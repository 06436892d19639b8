#include <filesystem>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string two_policies = R"(apiVersion: berth/v1
kind: Sweep
metadata: {name: s}
spec:
  experiment: {file: e.yaml}
  axes:
    - {name: cpu, path: spec.types.small.cpu, values: [4, 8]}
    - name: policy
      variants:
        best: {spec.scheduler.profile.score: [best-fit]}
        worst: {spec.scheduler.profile.score: [worst-fit]}
  replications: 2
)";

void write_sweep(const Folder& folder) {
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", two_policies);
    (void)done(folder, {"sweep", "s.yaml", "-q"});
}

/// Checks that the command refuses in a line that begins with `message`, and writes nothing.
void refuses(const Folder& folder, const Arguments& arguments, const std::string& message) {
    CAPTURE(arguments);
    const auto before = folder.listing();
    const Answer answer = folder.berth(arguments);
    CHECK(answer.status == 2);
    CHECK(answer.out.empty());
    CHECK_THAT(answer.err, Catch::StartsWith(message));
    CHECK(answer.err.find("error: error:") == std::string::npos);
    CHECK(folder.listing() == before);
}

}  // namespace

TEST_CASE("a run of which a file is missing or cut is not shown", "[cli][whole]") {
    const Folder folder;
    folder.write("e.yaml", replaced(sound_experiment, "spec:\n", "spec:\n  replications: 2\n"));
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "a"});
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "b"});
    const std::string pods = folder.read("a/pods.csv");
    SECTION("cut") {
        folder.write("a/pods.csv", pods.substr(0, pods.rfind('\n', pods.size() - 2) + 1));
        const std::string message = "a: error: pods.csv was changed since the run: expected ";
        refuses(folder, {"report", "a"}, message);
        refuses(folder, {"report", "b", "a", "-o", "x.html"}, message);
        refuses(folder, {"plot", "a", "-f", "cluster", "-o", "x.svg"}, message);
        refuses(folder, {"compare", "b", "a"}, message);
        CHECK_THAT(folder.berth({"verify", "a"}).out,
                   Catch::StartsWith("a: pods.csv was changed since the run\n"));
    }
    SECTION("missing") {
        std::filesystem::remove(folder.path() / "a/replications.csv");
        const std::string message = "a: error: replications.csv is missing: expected ";
        refuses(folder, {"report", "a"}, message);
        refuses(folder, {"plot", "a", "-f", "cluster", "-o", "x.svg"}, message);
        refuses(folder, {"compare", "a", "b"}, message);
        CHECK_THAT(folder.berth({"why", "a", "g"}).err,
                   Catch::Contains("replications.csv is missing"));
        CHECK(folder.berth({"verify", "a"}).status == 1);
    }
    SECTION("without the manifest nobody can tell, and that is said first") {
        std::filesystem::remove(folder.path() / "a/manifest.json");
        const Answer answer = folder.berth({"report", "a"});
        CHECK(answer.status == 0);
        CHECK_THAT(answer.err, Catch::StartsWith("a: warning: manifest.json is missing, so "));
    }
    SECTION("a folder of runs is none") {
        refuses(folder, {"report", "."}, ".: error: this is a folder of 2 runs: expected one or");
    }
}

TEST_CASE("a sweep of which the results are cut is not shown", "[cli][whole]") {
    const Folder folder;
    write_sweep(folder);
    const std::string results = folder.read("out/s/results.csv");
    folder.write("out/s/results.csv",
                 results.substr(0, results.rfind('\n', results.size() - 2) + 1));
    const std::string message = "out/s: error: results.csv ends before point 3, replication 1: ";
    refuses(folder, {"report", "out/s"}, message);
    refuses(folder, {"plot", "out/s", "-f", "lines", "-o", "x.svg"}, message);
    CHECK_THAT(folder.berth({"report", "out/s"}).err,
               Catch::Contains("berth sweep out/s --collect writes them"));
    (void)done(folder, {"sweep", "out/s", "--collect"});
    CHECK(done(folder, {"report", "out/s"}) == "wrote out/s/report.html: open it in a browser\n");
}

TEST_CASE("a report is a page, and a name that promises something else is refused",
          "[cli][whole]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "a"});
    for (const char* name : {"x.pdf", "x.svg", "x.csv", "x"}) {
        refuses(folder,
                {"report", "a", "-o", name},
                std::string(name) +
                    ": error: a report is a page in HTML: expected a name that "
                    "ends in .html; berth plot");
    }
    CHECK(done(folder, {"report", "a", "-o", "x.html"}) == "wrote x.html: open it in a browser\n");
    CHECK(done(folder, {"plot", "a", "-f", "cluster", "-o", "x.csv"}) == "wrote x.csv\n");
}

TEST_CASE("every command takes a point of a sweep", "[cli][whole]") {
    const Folder folder;
    write_sweep(folder);
    const std::string point = "out/s:cpu=8,policy=best";
    (void)done(folder, {"report", point, "out/s:cpu=8,policy=worst", "-o", "x.html"});
    CHECK_THAT(folder.read("x.html"), Catch::Contains("cpu=8, policy=best"));
    (void)done(folder, {"plot", point, "-f", "cluster", "-o", "x.csv"});
    CHECK_THAT(done(folder, {"verify", point}),
               Catch::StartsWith(point + ": 9 of 9 files match manifest.json\n"));
    CHECK_THAT(done(folder, {"why", point, "g"}), Catch::Contains("g"));
    for (const Arguments& arguments : {Arguments{"report", "out/s:cpu=9"},
                                       Arguments{"plot", "out/s:cpu=9", "-f", "levels", "-o", "x"},
                                       Arguments{"why", "out/s:cpu=9", "g"},
                                       Arguments{"verify", "out/s:cpu=9"}}) {
        refuses(folder, arguments, "out/s:cpu=9: error: no point has cpu=9: expected 4 or 8");
    }
}

TEST_CASE("compare says first that the runs were not given the same", "[cli][whole]") {
    const Folder folder;
    folder.write("e.yaml", replaced(sound_experiment, "spec:\n", "spec:\n  replications: 8\n"));
    const auto run = [&](const std::string& name, const Arguments& more) {
        Arguments arguments{"run", "e.yaml", "-q", "-o", name};
        arguments.insert(arguments.end(), more.begin(), more.end());
        (void)done(folder, arguments);
    };
    const std::string mean = "spec.workload[2].generate.arrivals.mean";
    run("a", {});
    run("policy", {"--set", "spec.scheduler.profile.score=[worst-fit]"});
    run("load", {"--set", "spec.workload[generate].generate.arrivals.mean=5s"});
    run("racks", {"--set", "spec.topology.spec.levels[rack].count=3"});
    run("window", {"--set", "spec.until=30m"});
    CHECK(done(folder, {"compare", "a", "policy"}).find("WARNING") == std::string::npos);
    run("estimate", {"--set", "spec.workload[generate].generate.estimate=1h"});
    CHECK(done(folder, {"compare", "a", "estimate"}).find("WARNING") == std::string::npos);
    const std::string saves = "spec.workload[generate].generate.checkpoint={every: 1m, takes: 1s}";
    run("checkpoint", {"--set", saves});
    CHECK(done(folder, {"compare", "a", "checkpoint"}).find("WARNING") == std::string::npos);

    const std::string load = done(folder, {"compare", "a", "load", "--all"});
    CHECK_THAT(load,
               Catch::Contains("by seed\n  WARNING: the runs were not given the same work or the "
                               "same time, ") &&
                   Catch::Contains("generate.arrivals.mean is 1m in the baseline and 5s in this"));
    CHECK(load.find("  better\n") == std::string::npos);
    CHECK(load.find("  worse\n") == std::string::npos);
    CHECK_THAT(load, Catch::Contains("  higher\n"));
    CHECK_THAT(done(folder, {"compare", "a", "window"}),
               Catch::Contains("spec.until is not there in the baseline and 30m in this run"));
    CHECK_THAT(done(folder, {"compare", "a", "racks"}),
               Catch::Contains("note: the clusters differ: "
                               "spec.topology.spec.levels[0].count is 2 in the baseline and 3"));

    const Answer json = folder.berth({"compare", "a", "load", "-o", "x.json"});
    CHECK_THAT(json.err, Catch::StartsWith("load: warning: the runs were not given the same work"));
    const auto first = nlohmann::json::parse(folder.read("x.json")).at("comparisons")[0];
    CHECK_FALSE(first.at("work_differs").empty());
    CHECK_THAT(first.at("warning").get<std::string>(), Catch::StartsWith("the runs were not"));
}

TEST_CASE("compare refuses runs that have not one pod in common", "[cli][whole]") {
    const Folder folder;
    const std::string header = "replication,pod,outcome,node,wait_s,jct_s,start_s\n";
    for (const char* run : {"a", "b"}) {
        folder.write(std::string(run) + "/replications.csv",
                     "replication,seed,wait_s_mean\n0,1,1\n1,2,3\n");
        folder.write(std::string(run) + "/pods.csv",
                     header + "0," + run + "-pod,finished,s,1,2,1\n");
    }
    refuses(folder,
            {"compare", "a", "b"},
            "b: error: no pod in common with a: expected runs of the same workload, ");
}
