#include "experiments/program/results/quotas.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/support/source.hpp"
#include "experiments/program/report/page_data.hpp"
#include "experiments/program/report/what_limits.hpp"
#include "experiments/program/results/run_directory.hpp"
#include "tests/support/folder.hpp"
#include "tests/unit/report/quota_run.hpp"

using namespace berth;
using berth::tests::TestFolder;
namespace fs = std::filesystem;

namespace {

const std::string header =
    "replication,time_s,quota,resource,min,max,runtime,request,used,scaled_min,parent\n";

report::Quotas read(const std::string& rows) {
    const TestFolder folder;
    folder.write("quotas.csv", header + rows);
    return *report::read_quotas(folder.path());
}

}  // namespace

TEST_CASE("quotas: only changes are kept, of replication 0", "[report][quota]") {
    const report::Quotas quotas = read(
        "0,0,a,cpu,10,40,20,20,4,10,koordinator-root-quota\n"
        "0,0,b,cpu,,,5.5,6,5,,a\n"
        "0,60,a,cpu,10,40,20,20,4,10,koordinator-root-quota\n"
        "0,60,b,cpu,,,5.5,6,5.25,,a\n"
        "1,0,c,cpu,1,1,1,1,1,1,koordinator-root-quota\n");
    CHECK(quotas.samples == 2);
    CHECK(quotas.replications == 2);
    CHECK(quotas.last_s == 60);
    REQUIRE(quotas.quotas.size() == 3);  // the root, a, b
    CHECK(quotas.quotas[1].steps[0].size() == 1);
    CHECK(quotas.quotas[2].steps[0].size() == 2);
    CHECK(quotas.quotas[2].last_parent() == 1);
    CHECK(std::isnan(quotas.quotas[2].steps[0][0].max));
    CHECK(quotas.quotas[2].steps[0][1].used == 5.25);
}

TEST_CASE("quotas: a root without rows has the sums of the first level", "[report][quota]") {
    const report::Quotas quotas = read(
        "0,0,a,cpu,10,15,20,20,4,10,koordinator-root-quota\n"
        "0,0,b,cpu,10,,5,6,5,10,\n"
        "0,0,c,cpu,1,1,1,1,1,1,a\n");
    const report::QuotaStep& root = quotas.quotas[0].steps[0][0];
    CHECK(root.used == 9);
    CHECK(root.request == 15 + 6);  // a's request is cut at its max
    CHECK(std::isnan(root.runtime));
    const report::Quotas own = read(
        "0,0,koordinator-root-quota,cpu,,,100,50,40,,\n"
        "0,0,a,cpu,10,15,20,20,4,10,koordinator-root-quota\n");
    CHECK(own.quotas[0].steps[0][0].used == 40);
    CHECK(own.quotas[0].steps[0].size() == 1);
    CHECK(own.quotas[0].last_parent() == report::no_quota);
}

TEST_CASE("quotas: they come, move and go", "[report][quota]") {
    const report::Quotas quotas = read(
        "0,0,a,cpu,1,1,1,1,1,1,koordinator-root-quota\n"
        "0,0,b,cpu,1,1,1,1,1,1,koordinator-root-quota\n"
        "0,0,c,cpu,1,1,1,1,1,1,a\n"
        "0,10,a,cpu,1,1,1,1,1,1,koordinator-root-quota\n"
        "0,10,b,cpu,1,1,1,1,1,1,koordinator-root-quota\n"
        "0,10,c,cpu,1,1,1,1,1,1,b\n"
        "0,20,a,cpu,1,1,1,1,1,1,koordinator-root-quota\n"
        "0,20,b,cpu,1,1,1,1,1,1,koordinator-root-quota\n");
    const report::Quota& c = quotas.quotas[3];
    REQUIRE(c.parents.size() == 2);
    CHECK(c.parents[1].time_s == 10);
    CHECK(c.last_parent() == 2);
    REQUIRE(c.steps[0].size() == 2);
    CHECK(c.steps[0][1].time_s == 20);
    CHECK_FALSE(c.steps[0][1].there());
    CHECK(report::figures_of(c.steps[0], quotas.last_s).there_s == 20);
}

TEST_CASE("quotas: figures weigh by time", "[report][quota]") {
    // The use is 4 for 1 h and 16 for 3 h; the min is 10 and the runtime 12.
    const double none = report::QuotaStep::not_stated;
    const std::vector<report::QuotaStep> steps{{0, 10, none, 12, 20, 4},
                                               {3600, 10, none, 12, 20, 16}};
    const report::QuotaFigures figures = report::figures_of(steps, 4 * 3600);
    CHECK(figures.used_mean == Approx(13));
    CHECK(figures.min_mean == Approx(10));
    CHECK_FALSE(figures.max_mean);
    CHECK(figures.over_min_s == 3 * 3600);
    CHECK(figures.over_use_s == 3 * 3600);
    CHECK(figures.borrowed_h == Approx(18));
    CHECK(figures.borrowed_most == 6);
    CHECK(figures.over_use_most == 4);
    CHECK(report::figures_of({steps[1]}, 3600).used_mean == Approx(16));  // one sample is a value
    CHECK_FALSE(report::figures_of({}, 3600).used_mean);
}

TEST_CASE("quotas: what is wrong is told with its place", "[report][quota]") {
    const auto [file, text, message] = GENERATE(table<std::string, std::string, std::string>({
        {"quotas.csv", "replication,time_s\n", "quotas.csv:1:1: error: no column 'quota'"},
        {"quotas.csv",
         header + "0,5,a,cpu,,,,,1,,\n0,4,a,cpu,,,,,1,,\n",
         "quotas.csv:3:3: error: the time goes back"},
        {"quotas.csv", header + "0,5,a,cpu,x,,,,1,,\n", "quotas.csv:2:11: error: 'x'"},
        {"quotas.csv", header + "0,5,a,cpu,,,,,1,,a\n", "quotas.csv:2:18: error: the quota 'a' is"},
        {"quota_changes.csv",
         "replication,time_s,change,quota,accepted,message\n0,1,create,a,yes,\n",
         "quota_changes.csv:2:14: error: 'yes': expected true or false"},
        {"evictions.csv",
         "replication,time_s,pod,quota,cause,ran_s,lost_s\n0,x,p,a,revoked,1,1\n",
         "evictions.csv:2:3: error: 'x'"},
    }));
    CAPTURE(file, text);
    const TestFolder folder;
    folder.write("quotas.csv", header + "0,0,a,cpu,,,,,1,,\n");
    folder.write(file, text);
    CHECK_THROWS_WITH(report::read_quotas(folder.path()), Catch::Contains(message));
}

TEST_CASE("quotas: without rows of replication 0 there is nothing to show", "[report][quota]") {
    const TestFolder folder;
    CHECK_FALSE(report::read_quotas(folder.path()));
    folder.write("quotas.csv", header);
    CHECK_FALSE(report::read_quotas(folder.path()));
}

TEST_CASE("quotas: metrics of quotas stay out of the others", "[report][quota]") {
    const TestFolder folder;
    folder.write("summary.json", R"({"schema": "berth.summary/v1", "metrics": {
        "wait_s_mean": {"mean": 1, "n": 1},
        "quota/a/wait_s_mean": {"mean": 2, "ci95": 0.5, "n": 2},
        "quota/b/lost_s": {"mean": 7, "n": 2},
        "quota/a/nvidia.com/gpu_lent_h": {"mean": 3, "n": 1}}})");
    folder.write("replications.csv",
                 "replication,seed,quota/a/wait_s_mean,wait_s_mean\n0,1,2,3\n1,2,4,5\n");
    folder.write("timeseries.csv", "replication,time_s,quota/a/used,pods\n0,0,1,2\n0,1,2,3\n");
    const report::RunDirectory run = report::read_run_directory(folder.path());
    REQUIRE(run.metrics.size() == 1);
    CHECK(run.metrics[0].name == "wait_s_mean");
    CHECK(run.quota_metrics.size() == 3);
    REQUIRE(run.replication_samples.size() == 1);
    CHECK(run.replication_samples[0].name == "wait_s_mean");
    REQUIRE(run.quota_samples.size() == 1);
    CHECK(run.series.columns == std::vector<std::string>{"pods"});
    const auto page = report::make_page_data({run})["runs"][0];
    CHECK(page["metrics"].size() == 1);
    CHECK(page["distributions"].size() == 1);
    const auto& metrics = page["quotaMetrics"];
    CHECK(metrics["names"] == nlohmann::ordered_json({"a", "b"}));
    CHECK(metrics["figures"]["wait_s_mean"]["mean"] == nlohmann::ordered_json({2, nullptr}));
    CHECK(metrics["figures"]["lost_s"]["mean"] == nlohmann::ordered_json({nullptr, 7}));
    CHECK(metrics["figures"]["nvidia.com/gpu_lent_h"]["mean"][0] == 3);
    CHECK(page["quotas"].is_null());
}

TEST_CASE("quotas: a whole run becomes what the page shows", "[report][quota][page]") {
    const TestFolder folder;
    test::write_quota_run(folder.path(), {});
    const report::RunDirectory run = report::read_run_directory(folder.path());
    REQUIRE(run.quotas);
    const auto page = report::make_page_data({run})["runs"][0]["quotas"];
    CHECK(page["resources"] == nlohmann::ordered_json({"cpu", "nvidia.com/gpu", "memory"}));
    CHECK(page["names"][0] == "koordinator-root-quota");
    CHECK(page["parents"][0] == -1);
    CHECK(page["names"][page["chosen"].get<std::size_t>()] == "research");
    CHECK(page["leftOut"] == 0);
    CHECK(page["moves"].size() == 2);  // the visitors, before and after the move
    CHECK(page["gone"].size() == 1);
    CHECK(page["evictions"]["total"] == run.quotas->evictions.size());
    CHECK(page["changes"]["marks"].size() == 5);
    CHECK(page["total"][1].get<double>() > 200);  // from nodes.csv, less the default quota's part
    CHECK(page["loans"].size() > 3);
    // Every amount that was borrowed at the first level came from somewhere.
    for (const auto& loans : page["loans"]) {
        if (loans["parent"] != 0) {
            continue;
        }
        double lent = 0;
        for (const auto& row : loans["rows"]) {
            lent += row[2].get<double>();
        }
        const auto& figures = page["figures"][loans["resource"].get<std::size_t>()];
        double borrowed = 0;
        for (std::size_t q = 2; q < page["names"].size(); ++q) {  // 1 is the default quota
            borrowed += page["parents"][q] == 0 ? figures["borrowed"][q].get<double>() : 0;
        }
        CHECK(lent == Approx(borrowed).epsilon(1e-4));
    }
}

TEST_CASE("quotas: a thousand of them make a small page", "[report][quota][page]") {
    const TestFolder folder;
    test::QuotaRunShape shape;
    shape.departments = 16;
    shape.teams = 20;
    shape.projects = 4;
    shape.samples = 96;
    test::write_quota_run(folder.path(), shape);
    const report::RunDirectory run = report::read_run_directory(folder.path());
    REQUIRE(run.quotas->quotas.size() > 1000);
    report::PageLimits limits;
    limits.quota_values = 300'000;
    const auto page = report::make_page_data({run}, limits)["runs"][0]["quotas"];
    const auto left_out = page["leftOut"].get<std::size_t>();
    CHECK(left_out > 500);
    CHECK(left_out < 900);
    CHECK_FALSE(page["series"][0].is_null());  // parents keep their series
    CHECK_FALSE(page["series"][2].is_null());
    CHECK(page["figures"][0]["used"].size() == run.quotas->quotas.size());
    CHECK(page.dump().size() < 3'000'000);
}

TEST_CASE("quotas: thinned steps keep their extremes", "[report][quota]") {
    std::vector<report::QuotaStep> steps;
    for (int i = 0; i < 10'000; ++i) {
        steps.push_back({double(i), 10, 40, 20, 30, i == 7'777 ? 39.0 : double(i % 7)});
    }
    const std::vector<report::QuotaStep> few = report::thinned(steps, 100);
    CHECK(few.size() <= 102);
    CHECK(std::ranges::count(few, 39.0, &report::QuotaStep::used) >= 1);
    CHECK(few.back().time_s == 9'999);
    CHECK(report::thinned(steps, 10'000).size() == 10'000);
}

TEST_CASE("quotas: the one that binds is the one whose max is asked for", "[report][quota]") {
    const std::string root = "koordinator-root-quota\n";
    // The parent asks for as much as its child may have: the child's own max binds.
    CHECK(report::binding_quota(read("0,0,p,gpu,0,50,40,40,40,0," + root +
                                     "0,0,c,gpu,0,40,40,90,40,0,p\n"
                                     "0,30,p,gpu,0,50,40,40,40,0," +
                                     root +
                                     "0,30,c,gpu,0,40,40,40,40,0,p\n"
                                     "0,40,p,gpu,0,50,40,40,40,0," +
                                     root)) ==
          "The quota that binds is c: for 75 % of the time its pods ask for more gpu than its max, "
          "40.");
    // The child's max is larger, so its parent's max binds.
    CHECK(
        report::binding_quota(read("0,0,p,gpu,0,50,50,90,50,0," + root +
                                   "0,0,c,gpu,0,100,50,90,50,0,p\n"
                                   "0,40,p,gpu,0,50,50,90,50,0," +
                                   root)) ==
        "The quota that binds is p: for 100 % of the time its pods ask for more gpu than its max, "
        "50.");
    CHECK(report::binding_quota(
              read("0,0,p,gpu,0,,50,90,50,0," + root + "0,0,q,gpu,0,,10,10,10,0," + root +
                   "0,20,p,gpu,0,,50,40,50,0," + root + "0,80,p,gpu,0,,50,40,50,0," + root)) ==
          "No quota's max binds. All quotas together ask for more than there is: p gets less gpu "
          "than its pods ask for, 25 % of the time.");
    CHECK(report::binding_quota(
              read("0,0,p,gpu,0,50,50,50,50,0," + root + "0,40,p,gpu,0,50,50,50,50,0," + root))
              .empty());
}
