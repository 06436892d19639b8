#include "experiments/program/report/page_data.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <limits>
#include <string>

using namespace berth::report;

namespace {

const std::filesystem::path tiny = BERTH_SOURCE_DIR "/tests/browser/data/tiny-run";

nlohmann::ordered_json tiny_run(const PageLimits& limits = {}) {
    return make_page_data({read_run_directory(tiny)}, limits)["runs"][0];
}

}  // namespace

TEST_CASE("page data: a run becomes what the page shows", "[report][page]") {
    const nlohmann::ordered_json run = tiny_run();
    CHECK(run["experiment"] == "tiny <b>run</b> & co");
    CHECK(run["claims"][1]["holds"] == false);
    CHECK(run["metrics"].size() == 4);
    CHECK(run["cluster"]["names"].size() == 12);
    CHECK(run["cluster"]["capacity"][0] == 16);  // equal machines: one number
    CHECK(run["cluster"]["background"][0].size() == 12);
    CHECK(run["cluster"]["views"][1]["members"]["counts"] ==
          nlohmann::ordered_json::parse("[1, 4, 1]"));
    CHECK(run["pods"]["explained"] == 3);
    CHECK(run["pods"]["causes"][0][0] == "Insufficient cpu");
    CHECK(run["series"]["band"]["points"] == 13);
    CHECK(run["series"]["runs"].size() == 3);
    CHECK(run["series"]["runs"][0]["values"][2]["null"] == -1);  // there is an empty cell
    CHECK(run["gantt"]["pods"] == 9);
    CHECK(run["film"]["moments"] > 60);
    CHECK(run["cumulatives"][0]["name"] == "wait_s");
}

TEST_CASE("page data: limits hold", "[report][page]") {
    PageLimits limits;
    limits.replications_shown = 1;
    limits.reasons = 1;
    const nlohmann::ordered_json run = tiny_run(limits);
    CHECK(run["series"]["runs"].size() == 1);
    CHECK(run["series"]["count"] == 3);
    CHECK(run["pods"]["causes"].size() == 1);
}

TEST_CASE("page data: a large cluster is joined to racks", "[report][page]") {
    RunDirectory run;
    std::vector<NodeRow> nodes;
    for (int i = 0; i < 600; ++i) {
        nodes.push_back({"n" + std::to_string(i), {"rack" + std::to_string(i / 20)}, {8}, {1}});
    }
    run.cluster = build_cluster({"rack"}, "server", {"gpu"}, nodes, {}, {}, {{}});
    PageLimits limits;
    limits.cells = 500;
    const nlohmann::ordered_json data = make_page_data({run}, limits)["runs"][0]["cluster"];
    CHECK(data["names"].size() == 30);
    CHECK(data["leaf"] == "rack");
    CHECK(data["servers"] == 600);
    CHECK(data["serversPerCell"][0] == 20);
}

TEST_CASE("page data: 1000 replications and 100 000 pods stay small", "[report][page]") {
    RunDirectory run;
    Samples samples{"wait_s", {}};
    for (int i = 0; i < 100'000; ++i) {
        samples.values.push_back(i % 977 * 0.37);
        ++run.pods.reasons["0/9 nodes are available: " + std::to_string(i) + " Insufficient cpu."];
    }
    run.pods.outcomes["waiting"] = 100'000;
    run.pod_samples.push_back(samples);
    for (int c = 0; c < 10; ++c) {
        run.series.columns.push_back("m" + std::to_string(c));
    }
    for (int r = 0; r < 1000; ++r) {
        ReplicationSeries series{r, {}, std::vector<std::vector<double>>(10)};
        for (int i = 0; i < 300; ++i) {
            series.time_s.push_back(i + r * 0.001);
            for (std::vector<double>& column : series.values) {
                column.push_back(i * 0.123456789 + r);
            }
        }
        run.series.replications.push_back(std::move(series));
    }
    CHECK(make_page_data({run}).dump().size() < 3'000'000);
    std::vector<NodeRow> nodes;
    for (int i = 0; i < 300; ++i) {
        nodes.push_back({"server-" + std::to_string(i), {}, {8}, {0}});
    }
    std::vector<PodRow> pods(100'000);
    for (std::uint32_t i = 0; i < pods.size(); ++i) {
        pods[i].node = i * 7919 % 300;
        pods[i].group = no_group;
        pods[i].submit_s = i * 5.123456789;
        pods[i].start_s = pods[i].submit_s + i % 1013 * 1.37;
        pods[i].finish_s = pods[i].start_s + i * 31 % 9973 * 2.7;
        pods[i].number = i;
        pods[i].demand = 1;
        pods[i].gpus = std::uint64_t{1} << i % 8;
    }
    run.cluster = build_cluster(
        {}, "server", {"nvidia.com/gpu"}, nodes, pods, {{}, {""}, {"pod-"}}, {{}, {1}});
    const nlohmann::ordered_json data = make_page_data({run})["runs"][0];
    CHECK(data["gantt"]["pods"] == 100'000);
    CHECK(data["gantt"].dump().size() < 2'500'000);
    CHECK(data["film"].dump().size() < 500'000);
}
