/// berth_run writes the same files as the program, in a folder and in memory.

#include <berth.h>

#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "c/calls.hpp"
#include "cli/documents.hpp"
#include "cli/folder.hpp"

using namespace berth::tests;

TEST_CASE("run: C gets the bytes that the program writes", "[c]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    done(folder, {"run", "e.yaml", "-o", "program", "-q", "--set", "spec.seed=7"});
    const Handle handle = opened();
    REQUIRE(berth_set(handle.get(), "spec.seed=7") == BERTH_OK);
    REQUIRE(berth_read(handle.get(), (folder.path() / "e.yaml").c_str()) == BERTH_OK);
    const std::string place = (folder.path() / "library").string();
    const bool on_disk = GENERATE(false, true);
    const int status = berth_run(handle.get(), on_disk ? place.c_str() : nullptr, 2);
    INFO(berth_message(handle.get()));
    REQUIRE(status == BERTH_OK);
    std::size_t files = 0;
    for (; berth_file_name(handle.get(), files) != nullptr; ++files) {
        const std::string name = berth_file_name(handle.get(), files);
        if (name != "run.json") {
            CHECK(file_of(handle, name) == folder.read("program/" + name));
        }
        if (on_disk) {
            CHECK(file_of(handle, name) == folder.read("library/" + name));
        }
    }
    CHECK(files > 8);
    const char* digest = nullptr;
    REQUIRE(berth_digest(handle.get(), &digest) == BERTH_OK);
    CHECK(std::string(digest).size() == 64);
    CHECK(folder.read("program/summary.json").find("\"job_wait_s_mean\"") != std::string::npos);
    CHECK(metric_of(handle, "pods_finished") > 0);
}

TEST_CASE("run: the cluster and the warnings are there before the run", "[c]") {
    const Handle handle = opened(
        two_pods, {"spec.scheduler={}", "spec.workload[0].pods[0].quota=red", "spec.until=1s"});
    berth_cluster cluster{};
    REQUIRE(berth_get_cluster(handle.get(), &cluster) == BERTH_OK);
    REQUIRE(cluster.server_count == 1);
    REQUIRE(cluster.resource_count == 1);
    CHECK(std::string(cluster.servers[0]) == "server-0");
    CHECK(std::string(cluster.resources[0]) == "cpu");
    CHECK(cluster.per_unit[0] == 1000);
    CHECK(cluster.capacity[0] == 4000);
    REQUIRE(berth_warning(handle.get(), 0) != nullptr);
    CHECK(std::string(berth_warning(handle.get(), 0)).find("quota") != std::string::npos);
    CHECK(berth_warning(handle.get(), 1) == nullptr);
    REQUIRE(berth_run(handle.get(), nullptr, 0) == BERTH_OK);
    REQUIRE(berth_warning(handle.get(), 0) != nullptr);
    CHECK(std::string(berth_warning(handle.get(), 0)).find("quota") != std::string::npos);
    CHECK(std::isnan(metric_of(handle, "jct_s_mean")));
}

TEST_CASE("run: another thread stops a run, which leaves nothing and may be run again", "[c]") {
    const Handle handle = opened(queue_of_the_caller,
                                 {"spec.scheduler={}", "spec.workload[0].generate.count=2000000"});
    std::thread impatient([&handle] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        berth_stop(handle.get());
    });
    CHECK(berth_run(handle.get(), nullptr, 1) == BERTH_STOPPED);
    impatient.join();
    CHECK(said(handle) == "queue: stopped: nothing was written");
    CHECK(berth_file_name(handle.get(), 0) == nullptr);
}
