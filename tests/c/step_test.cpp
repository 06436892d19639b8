/// Runs in which the caller is the scheduler.

#include <berth.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "c/calls.hpp"
#include "cli/folder.hpp"

using namespace berth::tests;

namespace {

constexpr std::int64_t second = 1'000'000'000;

/// Steps to the next turn, which must exist.
berth_view step(const Handle& handle) {
    berth_view view{};
    INFO(berth_message(handle.get()));
    REQUIRE(berth_step(handle.get(), &view) == BERTH_OK);
    return view;
}

berth_view look(const Handle& handle) {
    berth_view view{};
    REQUIRE(berth_look(handle.get(), &view) == BERTH_OK);
    return view;
}

void begin(const Handle& handle, const char* folder = nullptr) {
    const int status = berth_begin(handle.get(), folder);
    INFO(berth_message(handle.get()));
    REQUIRE(status == BERTH_OK);
}

constexpr berth_place first_server{0, 1};

/// The rows of pods.csv up to the server; later columns depend on the kind of scheduler.
std::vector<std::string> times_and_servers(const std::string& pods) {
    constexpr int columns = 12;
    std::vector<std::string> rows;
    std::istringstream in(pods);
    for (std::string line; std::getline(in, line);) {
        std::size_t end = 0;
        for (int column = 0; column < columns; ++column) {
            end = line.find(',', end + 1);
        }
        rows.push_back(line.substr(0, end));
    }
    CHECK(rows.at(0).ends_with(",slowdown,node"));
    CHECK(rows.size() > 100);
    return rows;
}

}  // namespace

TEST_CASE("step: a scheduler sees each instant at which something happened", "[c]") {
    const Folder folder;
    const Handle handle = opened(two_pods);
    begin(handle, (folder.path() / "run").c_str());

    berth_view view = step(handle);
    CHECK(view.now == 0);
    REQUIRE(view.waiting_count == 1);
    CHECK(view.running_count == 0);
    const berth_job& a = view.waiting[0];
    CHECK(a.number == 0);
    CHECK(std::string(a.name) == "a");
    CHECK(std::string(a.type) == "three");
    CHECK(std::string(a.user).empty());
    CHECK(a.priority == 7);
    CHECK(a.preemptible == 1);
    CHECK(a.group == 0);
    CHECK(a.size == 1);
    CHECK(a.min_available == 1);
    CHECK(a.submit == 0);
    CHECK(a.estimate == 20 * second);
    CHECK(a.start == BERTH_NONE);
    CHECK(a.demand[0] == 3000);
    CHECK(a.place_count == 0);
    CHECK(view.free[0] == 4000);
    REQUIRE(berth_start(handle.get(), 0, &first_server, 1) == BERTH_OK);
    CHECK(view.free[0] == 1000);  // the call changes this value, but not the lists
    CHECK(view.waiting_count == 1);
    view = look(handle);
    CHECK(view.waiting_count == 0);
    REQUIRE(view.running_count == 1);
    CHECK(view.running[0].start == 0);
    REQUIRE(view.running[0].place_count == 1);
    CHECK(view.running[0].places[0].server == 0);
    CHECK(view.running[0].places[0].members == 1);

    view = step(handle);
    CHECK(view.now == 5 * second);
    REQUIRE(view.waiting_count == 1);
    CHECK(view.waiting[0].number == 1);
    CHECK(view.waiting[0].estimate == BERTH_NONE);
    REQUIRE(berth_wake(handle.get(), 7 * second) == BERTH_OK);

    view = step(handle);
    CHECK(view.now == 7 * second);
    REQUIRE(berth_evict(handle.get(), 0) == BERTH_OK);
    CHECK(view.free[0] == 4000);
    REQUIRE(berth_start(handle.get(), 1, &first_server, 1) == BERTH_OK);
    view = look(handle);
    REQUIRE(view.waiting_count == 1);
    CHECK(view.waiting[0].number == 0);
    CHECK(view.waiting[0].place_count == 0);
    CHECK(view.waiting[0].start == BERTH_NONE);

    view = step(handle);
    CHECK(view.now == 17 * second);
    CHECK(view.running_count == 0);
    REQUIRE(berth_reject(handle.get(), 0, "it had its time") == BERTH_OK);
    CHECK(std::string(view.waiting[0].name) == "a");  // valid until the next step or look

    CHECK(berth_step(handle.get(), &view) == BERTH_OVER);
    CHECK(view.waiting_count == 0);
    CHECK(metric_of(handle, "pods_finished") == 1);
    const std::string jobs = folder.read("run/jobs.csv");
    CHECK(jobs.find("rejected") != std::string::npos);
    CHECK(jobs == file_of(handle, "jobs.csv"));
    CHECK(file_of(handle, "experiment.yaml").find("caller: test") != std::string::npos);
}

TEST_CASE("step: a group grows and shrinks where the caller has it", "[c]") {
    const Handle handle = opened(R"(kind: Experiment
metadata: {name: group}
spec:
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4}}}
  types: {one: {cpu: 1}}
  scheduler: {caller: test}
  workload:
    - groups:
        - document: {spec: {group: {name: g, size: 3, type: one}}}
          lifetime: 10s
)");
    begin(handle);
    berth_view view = step(handle);
    REQUIRE(view.waiting_count == 1);
    CHECK(view.waiting[0].group == 1);
    CHECK(view.waiting[0].size == 3);
    REQUIRE(berth_resize(handle.get(), 0, 4, nullptr, 0) == BERTH_OK);
    view = look(handle);
    CHECK(view.waiting[0].size == 4);
    const std::vector<berth_place> places{{1, 3}, {0, 1}};
    REQUIRE(berth_start(handle.get(), 0, places.data(), places.size()) == BERTH_OK);
    const std::vector<berth_place> after{{1, 4}, {0, 1}};
    REQUIRE(berth_resize(handle.get(), 0, 5, after.data(), after.size()) == BERTH_OK);
    view = look(handle);
    CHECK(view.free[0] == 3000);
    CHECK(view.free[1] == 0);
    CHECK(view.running[0].size == 5);
    view = step(handle);
    CHECK(view.now == 10 * second);
    CHECK(view.running_count == 0);
    CHECK(berth_step(handle.get(), &view) == BERTH_OVER);
}

TEST_CASE("step: a job that hangs where nobody knows of it does not answer", "[c]") {
    const Folder folder;
    folder.write("failures.csv", "time_s,component,event,cause\n2,server-0,fail,x\n");
    folder.write("e.yaml", R"(kind: Experiment
metadata: {name: hangs}
spec:
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4}}}
  types: {one: {cpu: 1}}
  scheduler: {caller: test}
  failures: {file: failures.csv, detection: 5m}
  until: 10m
  workload:
    - groups:
        - document: {spec: {group: {name: g, size: 2, type: one}}}
          lifetime: 1m
)");
    const Handle handle = opened();
    const int status = berth_read(handle.get(), (folder.path() / "e.yaml").c_str());
    INFO(berth_message(handle.get()));
    REQUIRE(status == BERTH_OK);
    begin(handle);
    (void)step(handle);
    const std::vector<berth_place> places{{0, 1}, {1, 1}};
    REQUIRE(berth_start(handle.get(), 0, places.data(), places.size()) == BERTH_OK);
    REQUIRE(berth_wake(handle.get(), 3 * second) == BERTH_OK);
    berth_view view = step(handle);
    while (view.now < 3 * second) {
        view = step(handle);
    }
    CHECK(berth_resize(handle.get(), 0, 1, places.data(), 1) == BERTH_UNANSWERED);
    view = look(handle);
    REQUIRE(view.running_count == 1);
    CHECK(view.running[0].size == 2);
    view = step(handle);
    CHECK(view.now == 302 * second);  // only now is it known
    CHECK(view.running_count == 0);
    CHECK(view.free[0] == 0);
    CHECK(view.free[1] == 4000);
}

TEST_CASE("step: the same decisions leave the same files, whoever makes them", "[c]") {
    const Handle one = opened(queue_of_the_caller);
    run_first_fit(one);
    const Handle other = opened(queue_of_the_caller);
    run_first_fit(other);
    CHECK((files_of(one) == files_of(other)));
    CHECK(metric_of(one, "pods_finished") == 200);

    const Handle fcfs = opened(queue_of_the_caller,
                               {"spec.scheduler={profile: {queueSort: fcfs, score: [first-fit]}}"});
    REQUIRE(berth_run(fcfs.get(), nullptr, 1) == BERTH_OK);
    CHECK((times_and_servers(file_of(fcfs, "pods.csv")) ==
           times_and_servers(file_of(one, "pods.csv"))));
}

TEST_CASE("step: who closes a handle in a turn leaves nothing", "[c]") {
    const Folder folder;
    {
        const Handle handle = opened(two_pods);
        begin(handle, (folder.path() / "run").c_str());
        (void)step(handle);
    }
    CHECK(folder.listing().empty());
    const Handle never_stepped = opened(two_pods);
    begin(never_stepped);
}
