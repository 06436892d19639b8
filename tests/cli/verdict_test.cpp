#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Pods that arrive at random on two or more racks.
const std::string experiment = R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: base}
spec:
  topology:
    spec:
      levels: [{name: rack, count: 2}, {name: server, count: 2}]
      machines: [{type: small}]
      machineTypes: {small: {capacity: {cpu: 8}}}
  types: {worker: {cpu: 4}}
  workload:
    - generate: {name: w, type: worker, arrivals: {distribution: exponential, mean: 2m},
        service: {distribution: exponential, mean: 20m}, count: 60}
  replications: 6
)";
const std::string sweep = R"(apiVersion: berth/v1
kind: Sweep
metadata: {name: s}
spec:
  experiment: {file: base.yaml}
  axes:
    - {name: racks, path: spec.topology.spec.levels[rack].count, values: [2, 3]}
    - name: every
      path: spec.workload[0].generate.arrivals.mean
      range: {from: 90s, to: 3m, step: 90s}
)";

void write_sweep(const Folder& folder) {
    folder.write("base.yaml", experiment);
    folder.write("sweep.yaml", sweep);
    (void)done(folder, {"sweep", "sweep.yaml", "-o", "s", "--quiet"});
}

nlohmann::json data_of(const Folder& folder, const Arguments& arguments) {
    Arguments all = arguments;
    all.insert(all.end(), {"-o", "page.html"});
    (void)done(folder, all);
    const std::string page = folder.read("page.html");
    const std::string open = "id=\"data\">";
    const std::size_t begin = page.find(open) + open.size();
    return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

}  // namespace

TEST_CASE("compare, a page of two runs and a sweep's page have one verdict of a metric",
          "[cli][compare][sweep]") {
    const Folder folder;
    write_sweep(folder);
    // Points are numbered by racks first: 0 is racks 2, every 90s; 2 is racks 3, every 90s.
    const auto points = csv_rows(folder.read("s/points.csv"));
    REQUIRE(points.size() == 4);
    CHECK(points[0].at("every") == "90s");
    CHECK(points[1].at("every") == "180s");
    const nlohmann::json page = data_of(folder, {"report", "s"}).at("sweep");
    CHECK(page.at("axes")[0].at("given") == false);
    CHECK(page.at("axes")[1].at("given") == true);
    CHECK(page.at("axes")[1].at("numbers") == nlohmann::json::parse("[90, 180]"));
    std::map<std::string, int> seen;
    for (const auto& [number, place] : std::vector<std::pair<std::size_t, std::string>>{
             {2, "racks=3,every=90s"}, {1, "racks=2,every=180s"}}) {
        CAPTURE(place);
        (void)done(folder, {"compare", "s:racks=2,every=90s", "s:" + place, "-o", "c.csv"});
        const nlohmann::json runs = data_of(folder,
                                            {"report",
                                             "s/points/" + points[0].at("key"),
                                             "s/points/" + points[number].at("key")})
                                        .at("comparison")
                                        .at("comparisons")[0]
                                        .at("metrics");
        for (const auto& row : csv_rows(folder.read("c.csv"))) {
            const std::string& metric = row.at("metric");
            const std::string& verdict = row.at("verdict");
            CAPTURE(metric);
            ++seen[verdict];
            const nlohmann::json& against = page.at("against");
            std::string in_sweep = "equal";
            if (against.at("metrics").contains(metric)) {
                const auto text =
                    against.at("metrics").at(metric).at("verdicts").get<std::string>();
                in_sweep = against.at("names")[static_cast<std::size_t>(text[number] - '0')];
            }
            CHECK(in_sweep == verdict);
            std::string in_page = "equal";
            for (const nlohmann::json& one : runs) {
                in_page =
                    one.at("metric") == metric ? one.at("verdict").get<std::string>() : in_page;
            }
            CHECK(in_page == verdict);
            if (metric == "cpu_utilization") {
                CHECK((verdict == "lower" || verdict == "no difference shown"));
                CHECK(row.at("better").empty());
            }
        }
    }
    CHECK(seen["better"] > 0);
    CHECK(seen["no difference shown"] > 0);
    CHECK(seen["lower"] > 0);  // a lighter load is not better
}

TEST_CASE("a target of a sweep says how many points meet it, or what to do", "[cli][sweep]") {
    const Folder folder;
    write_sweep(folder);
    const auto report = [&](const std::string& target) {
        return folder.berth({"report", "s", "--target", target, "-o", "page.html"});
    };
    const Answer met = report("wait_s_mean<=10d");
    CHECK(met.status == 0);
    CHECK(met.out ==
          "4 of 4 points meet wait_s_mean<=10d\nwrote page.html: open it in a browser\n");
    CHECK(
        data_of(folder, {"report", "s", "--target", "wait_s_mean<=10d"}).at("sweep").at("target") ==
        "wait_s_mean<=10d");
    const Answer unmet = report("wait_s_mean<=-1");
    CHECK(unmet.status == 0);
    CHECK(unmet.err ==
          "--target: warning: no point meets wait_s_mean<=-1: the nearest is racks 3, every 180s "
          "with 5.78 s (20.6 s at the worse end of its interval); add values to an axis, more "
          "replications, or ask for less\n");
    const auto refused = [&](const Arguments& arguments, const std::string& message) {
        const Answer answer = folder.berth(arguments);
        CHECK(answer.status == 2);
        CHECK(answer.first_line() == message);
    };
    refused({"report", "s", "--target", "wait_s_maen<=10m"},
            "--target: error: unknown metric 'wait_s_maen': expected one of the sweep's (did you "
            "mean 'wait_s_mean'?)");
    refused({"report", "s", "--target", "wait_s_mean=10m"},
            "--target: error: 'wait_s_mean=10m' has no <= or >= behind a metric: expected "
            "METRIC<=VALUE or METRIC>=VALUE, such as 'job_wait_s_p95<=10m'");
    const std::string run = "s/points/" + csv_rows(folder.read("s/points.csv"))[0].at("key");
    refused({"report", run, "--target", "wait_s_mean<=10m"},
            run +
                ": error: --target is for a sweep: expected one sweep's directory (of a run, "
                "spec.expect says what is expected)");
}
