#include "experiments/program/results/failures.hpp"

#include <unistd.h>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "experiments/program/report/page_data.hpp"
#include "experiments/program/results/outage_strip.hpp"
#include "experiments/program/results/run_directory.hpp"
#include "tests/unit/report/failing_run.hpp"

using namespace berth;
namespace fs = std::filesystem;

namespace {

/// The failing run, read from a folder that is gone afterwards.
report::RunDirectory failing_run() {
    const fs::path folder =
        fs::temp_directory_path() / ("berth-failures-test-" + std::to_string(::getpid()));
    fs::remove_all(folder);
    test::write_failing_run(folder);
    report::RunDirectory run = report::read_run_directory(folder);
    fs::remove_all(folder);
    return run;
}

using Shares = std::vector<double>;

}  // namespace

TEST_CASE("failures: sizes are pooled over the replications", "[report][failures]") {
    const report::RunDirectory run = failing_run();
    REQUIRE(run.failures);
    const report::Failures& failures = *run.failures;
    CHECK(failures.size_of == "gpus");
    REQUIRE(failures.sizes.size() == 2);  // a size that never ran is left out
    CHECK(failures.sizes[0].jobs == 4);
    CHECK(failures.sizes[0].running_s == 200);
    CHECK_FALSE(failures.sizes[0].time().mean_s);
    CHECK(failures.sizes[1].interruptions == 4);
    CHECK(failures.sizes[1].mean_size() == 7.5);
    CHECK(failures.sizes[1].time().mean_s == 50);
    // 4 interruptions in 1500 GPU-seconds of jobs that may take a server's 8 GPUs; the 200
    // GPU-seconds of the jobs of one GPU are left out.
    CHECK(failures.projected_s(1) == 375);
    CHECK(failures.projected_s(7.5) == 50);
    report::Failures small = failures;
    small.server_size = 16;
    CHECK(small.projected_s(1) == 425);  // no job is so large
    CHECK(failures.gpu_time.size() == 3);
    CHECK(failures.gpu_time[0].gpu_seconds == 2000);
}

TEST_CASE("failures: a rack is out by the part of its servers' time", "[report][failures]") {
    const report::RunDirectory run = failing_run();
    CHECK(run.failures->outages.size() == 4);  // those of replication 0
    const auto strip = report::outage_strip(*run.cluster, *run.failures, 100, {8, 10});
    REQUIRE(strip);
    CHECK(strip->level == "rack");
    CHECK(strip->rows == std::vector<std::string>{"rack-0", "rack-1"});
    // From 20 s to 30 s both servers are out, and one of them is counted once although it is out
    // for two causes.
    CHECK(strip->out[0] == Shares{0, 0.5, 1, 0.5, 0, 0, 0.5, 0.5, 0, 0});
    CHECK(strip->out[1] == Shares{0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5});
    REQUIRE(strip->hits.size() == 3);  // the device's failure took no places
    CHECK(strip->hits[1].row == 0);
    CHECK(strip->hits[1].outage == 1);
    CHECK(strip->hits[2].row == 1);
}

TEST_CASE("failures: slices take their part of an outage", "[report][failures]") {
    const report::RunDirectory run = failing_run();
    const auto strip = report::outage_strip(*run.cluster, *run.failures, 100, {8, 4});
    REQUIRE(strip);
    // A slice has 50 server-seconds. In the first two, one server is out for 15 s and the other for
    // 5 s; then one is out for 15 s, and then for 5 s.
    const Shares expected{0.4, 0.4, 0.3, 0.1};
    for (std::size_t slice = 0; slice < expected.size(); ++slice) {
        CHECK(strip->out[0][slice] == Approx(expected[slice]));
    }
}

TEST_CASE("failures: the racks that were out most are kept", "[report][failures]") {
    report::RunDirectory run = failing_run();
    const auto most = report::outage_strip(*run.cluster, *run.failures, 100, {1, 10});
    REQUIRE(most);
    CHECK(most->rows == std::vector<std::string>{"rack-0"});
    CHECK(most->left_out == 1);
    CHECK(most->hits.size() == 2);
    run.failures->outages.erase(run.failures->outages.begin(), run.failures->outages.end() - 1);
    const auto other = report::outage_strip(*run.cluster, *run.failures, 100, {1, 10});
    CHECK(other->rows == std::vector<std::string>{"rack-1"});
    CHECK(other->hits.at(0).row == 0);
    CHECK_FALSE(report::outage_strip(*run.cluster, *run.failures, 0, {1, 10}));
}

TEST_CASE("failures: the page has them, and of other runs nothing", "[report][failures]") {
    const auto page = report::make_page_data({failing_run()});
    const auto& failures = page.at("runs").at(0).at("failures");
    CHECK(failures.at("sizes").at(1).at("mttf") == 50);
    CHECK(failures.at("sizes").at(0).at("high").is_null());
    CHECK(failures.at("strip").at("rows").size() == 2);
    CHECK(failures.at("strip").at("hits").at(2) ==
          nlohmann::ordered_json::array({1, 90, nullptr, "d", "board", 1}));
    CHECK(failures.at("gpuTime").at(2) == nlohmann::ordered_json::array({"redone", 100}));
    const auto other = report::make_page_data(
        {report::read_run_directory(BERTH_SOURCE_DIR "/tests/browser/data/tiny-run")});
    CHECK_FALSE(other.at("runs").at(0).contains("failures"));
}
