/// An invalid call reports what is wrong, has no effect, and leaves the handle usable.

#include <berth.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include "c/calls.hpp"
#include "cli/folder.hpp"

using namespace berth::tests;

namespace {

constexpr berth_place first_server{0, 1};

}  // namespace

TEST_CASE("calls: a program of another interface version gets no handle", "[c][bad-input]") {
    CHECK(berth_interface_version() == BERTH_INTERFACE_VERSION);
    for (const int version : {BERTH_INTERFACE_VERSION + 1, BERTH_INTERFACE_VERSION - 1, -7}) {
        berth_handle* handle = opened().release();
        berth_close(handle);
        CHECK(berth_open(version, &handle) == BERTH_WRONG_VERSION);
        CHECK(handle == nullptr);
    }
    CHECK(std::string(berth_status_text(BERTH_WRONG_VERSION)) ==
          "this library has interface version 1 of berth.h: expected a program compiled for that "
          "one");
    CHECK(std::string(berth_version()).find('.') != std::string::npos);
}

TEST_CASE("calls: NULL is told where it can be seen", "[c][bad-input]") {
    CHECK(berth_open(BERTH_INTERFACE_VERSION, nullptr) == BERTH_BAD_INPUT);
    CHECK(berth_read(nullptr, "e.yaml") == BERTH_BAD_INPUT);
    CHECK(berth_step(nullptr, nullptr) == BERTH_BAD_INPUT);
    CHECK(berth_warning(nullptr, 0) == nullptr);
    CHECK(berth_file_name(nullptr, 0) == nullptr);
    berth_stop(nullptr);
    berth_close(nullptr);
    CHECK(std::string(berth_message(nullptr)) == "no handle: expected one that berth_open gave");
    const Handle handle = opened(two_pods);
    CHECK(berth_get_cluster(handle.get(), nullptr) == BERTH_BAD_INPUT);
    CHECK(said(handle) == "cluster: error: NULL: expected a pointer to it");
    REQUIRE(berth_begin(handle.get(), nullptr) == BERTH_OK);
    CHECK(berth_step(handle.get(), nullptr) == BERTH_BAD_INPUT);
    berth_view view{};
    REQUIRE(berth_step(handle.get(), &view) == BERTH_OK);
    CHECK(berth_start(handle.get(), 0, nullptr, 1) == BERTH_BAD_INPUT);
    CHECK(said(handle) == "places: error: NULL: expected a pointer to it");
    CHECK(berth_reject(handle.get(), 0, nullptr) == BERTH_BAD_INPUT);
    CHECK(berth_reject(handle.get(), 0, "R\xe9") == BERTH_BAD_INPUT);
    CHECK(said(handle) == "reason: error: 'R\\xe9' is not UTF-8: expected a text in UTF-8");
    CHECK(berth_start(handle.get(), 0, &first_server, 1) == BERTH_OK);
}

TEST_CASE("calls: an experiment's mistakes have their places", "[c][bad-input]") {
    const Handle handle = opened();
    CHECK(berth_read_text(handle.get(), replaced(two_pods, "cpu: 3", "cpu: x").c_str(), "e.yaml") ==
          BERTH_BAD_INPUT);
    CHECK(said(handle).starts_with("e.yaml:9:24: error: "));
    const char* file = nullptr;
    int line = 0;
    int column = 0;
    REQUIRE(berth_error_place(handle.get(), &file, &line, &column) == BERTH_OK);
    CHECK(std::string(file) == "e.yaml");
    CHECK(line == 9);
    CHECK(column == 24);
    CHECK(berth_error_place(handle.get(), nullptr, &line, &column) == BERTH_BAD_INPUT);

    CHECK(berth_read(handle.get(), "/nowhere/e.yaml") == BERTH_BAD_INPUT);
    REQUIRE(berth_error_place(handle.get(), &file, &line, &column) == BERTH_OK);
    CHECK(std::string(file) == "/nowhere/e.yaml");
    CHECK(line == 0);
    CHECK(berth_set(handle.get(), "spec.seed") == BERTH_BAD_INPUT);
    CHECK(berth_read_text(handle.get(), two_pods.c_str(), "e.yaml") == BERTH_OK);
    double mean = 0;
    CHECK(berth_metric(handle.get(), "jobs_finished", &mean) == BERTH_OUT_OF_TURN);
    CHECK(said(handle) == "no run is over: expected berth_run, or berth_step until BERTH_OVER");
}

TEST_CASE("calls: one that is not allowed now says what was expected before", "[c][bad-input]") {
    const Handle handle = opened();
    berth_view view{};
    berth_cluster cluster{};
    CHECK(berth_get_cluster(handle.get(), &cluster) == BERTH_OUT_OF_TURN);
    CHECK(said(handle) == "no experiment: expected berth_read or berth_read_text before");
    CHECK(berth_run(handle.get(), nullptr, 1) == BERTH_OUT_OF_TURN);
    REQUIRE(berth_read_text(handle.get(), two_pods.c_str(), "e.yaml") == BERTH_OK);
    CHECK(berth_read_text(handle.get(), two_pods.c_str(), "e.yaml") == BERTH_OUT_OF_TURN);
    CHECK(berth_set(handle.get(), "spec.seed=1") == BERTH_OUT_OF_TURN);
    CHECK(berth_step(handle.get(), &view) == BERTH_OUT_OF_TURN);
    CHECK(said(handle) == "no run to step: expected berth_begin before");
    CHECK(berth_start(handle.get(), 0, &first_server, 1) == BERTH_OUT_OF_TURN);
    REQUIRE(berth_begin(handle.get(), nullptr) == BERTH_OK);
    CHECK(berth_look(handle.get(), &view) == BERTH_OUT_OF_TURN);
    CHECK(said(handle) == "no turn yet: expected berth_step before");
    CHECK(berth_run(handle.get(), nullptr, 1) == BERTH_OUT_OF_TURN);
    CHECK(said(handle) == "the handle is used already: expected a new one by berth_open");
    REQUIRE(berth_step(handle.get(), &view) == BERTH_OK);
    REQUIRE(berth_reject(handle.get(), 0, "no") == BERTH_OK);
    REQUIRE(berth_step(handle.get(), &view) == BERTH_OK);
    REQUIRE(berth_reject(handle.get(), 1, "no") == BERTH_OK);
    REQUIRE(berth_step(handle.get(), &view) == BERTH_OVER);
    CHECK(berth_step(handle.get(), &view) == BERTH_OUT_OF_TURN);
    CHECK(said(handle) == "the run is over: expected no further turn");
    CHECK(berth_evict(handle.get(), 0) == BERTH_OUT_OF_TURN);
}

TEST_CASE("calls: a verb that breaks a rule does nothing", "[c][bad-input]") {
    const Handle handle = opened(two_pods);
    REQUIRE(berth_begin(handle.get(), nullptr) == BERTH_OK);
    berth_view view{};
    REQUIRE(berth_step(handle.get(), &view) == BERTH_OK);
    const auto start = [&](std::int64_t job, const std::vector<berth_place>& places) {
        return berth_start(handle.get(), job, places.data(), places.size());
    };
    const std::string place = "two: error: replication 0, at 0 s: ";
    const auto broken = [&](int status, const std::string& rule) {
        CHECK(status == BERTH_BAD_DECISION);
        CHECK(said(handle) == place + rule);
        CHECK(view.free[0] == 4000);
    };
    broken(start(7, {{0, 1}}), "job number 7 cannot start: it neither waits nor runs");
    broken(start(-1, {{0, 1}}), "job number -1 cannot start: it neither waits nor runs");
    broken(start(0, {{1, 1}}), "job 'a' cannot be on server 1: expected an index from 0 to 0");
    broken(start(0, {{-1, 1}}), "job 'a' cannot be on server -1: expected an index from 0 to 0");
    broken(start(0, {}), "job 'a' cannot start: 0 members on its servers: expected 1");
    broken(start(0, {{0, 2}}),
           "job 'a' cannot start: more than 1 member on its servers: expected 1");
    broken(start(0, {{0, 1}, {0, 1}}),
           "job 'a' cannot start: server 'server-0' is in its list twice: expected each server "
           "once");
    broken(berth_evict(handle.get(), 0), "job 'a' cannot be evicted: it does not run");
    broken(berth_resize(handle.get(), 0, 2, nullptr, 0),
           "job 'a' cannot be resized: it is a single pod: expected a group");
    broken(berth_wake(handle.get(), -1),
           "the scheduler asks for a turn at -1 ns: expected a time from 0 on");
    REQUIRE(start(0, {{0, 1}}) == BERTH_OK);
    CHECK(start(0, {{0, 1}}) == BERTH_BAD_DECISION);
    CHECK(said(handle) == place + "job 'a' cannot start: it runs already");
    CHECK(berth_reject(handle.get(), 0, "no") == BERTH_BAD_DECISION);
    REQUIRE(berth_step(handle.get(), &view) == BERTH_OK);
    CHECK(start(1, {{0, 1}}) == BERTH_BAD_DECISION);
    CHECK(said(handle) ==
          "two: error: replication 0, at 5 s: job 'b' cannot start: server 'server-0' has 1 cpu "
          "free, and 1 member of 3 each are to start there");
    REQUIRE(berth_step(handle.get(), &view) == BERTH_OK);
    REQUIRE(start(1, {{0, 1}}) == BERTH_OK);
    REQUIRE(berth_step(handle.get(), &view) == BERTH_OK);
    CHECK(berth_step(handle.get(), &view) == BERTH_OVER);
}

TEST_CASE("calls: what cannot be stepped is told before it begins", "[c][bad-input]") {
    const auto said_of = [](const std::string& change) {
        const Handle handle = opened(two_pods, {change});
        CHECK(berth_begin(handle.get(), nullptr) == BERTH_BAD_INPUT);
        return said(handle);
    };
    CHECK(said_of("spec.scheduler={}") ==
          "two: error: the experiment names a scheduler that decides itself: expected "
          "spec.scheduler: {caller: NAME} where the run is stepped");
    CHECK(said_of("spec.replications=2") ==
          "two: error: 2 replications: expected spec.replications: 1 where the run is stepped");
    const Handle handle = opened(two_pods);
    CHECK(berth_run(handle.get(), nullptr, 1) == BERTH_BAD_INPUT);
    CHECK(said(handle) ==
          "e.yaml:10:23: error: this experiment is stepped from C (berth_begin, berth_step): berth "
          "run cannot drive it");
    const Handle elsewhere = opened(two_pods);
    CHECK(berth_begin(elsewhere.get(), "/dev/null/run") == BERTH_OK);
    berth_view view{};
    CHECK(berth_step(elsewhere.get(), &view) < BERTH_OK);
    CHECK(said(elsewhere).find("/dev/null") != std::string::npos);
    CHECK(berth_step(elsewhere.get(), &view) == BERTH_OUT_OF_TURN);
}

TEST_CASE("calls: a library is loaded once it was allowed", "[c][bad-input]") {
    const std::string no_library = "spec.scheduler={batsim: /etc/hostname}";
    const Handle refused = opened(two_pods, {no_library});
    CHECK(berth_run(refused.get(), nullptr, 1) == BERTH_BAD_INPUT);
    CHECK(said(refused).find("the experiment runs the code of /etc/hostname: expected") !=
          std::string::npos);
    CHECK(berth_allow_code(refused.get()) == BERTH_OUT_OF_TURN);
    CHECK(said(refused) == "the experiment was read already: expected berth_allow_code before");
    const Handle allowed = opened();
    REQUIRE(berth_allow_code(allowed.get()) == BERTH_OK);
    REQUIRE(berth_set(allowed.get(), no_library.c_str()) == BERTH_OK);
    REQUIRE(berth_read_text(allowed.get(), two_pods.c_str(), "e.yaml") == BERTH_OK);
    CHECK(berth_run(allowed.get(), nullptr, 1) == BERTH_BAD_INPUT);
    CHECK(said(allowed).find("/etc/hostname: error: it cannot be loaded (") != std::string::npos);
    CHECK(berth_allow_code(nullptr) == BERTH_BAD_INPUT);
}
